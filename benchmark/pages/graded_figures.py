"""Scores against the figure that was measured on each case: one panel for each of the leading entries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmark.pages.case_map import ranks
from benchmark.pages.figures import Drawing, Scheme, in_schemes, panel, short, svg_text
from benchmark.pages.gather import Face
from benchmark.ranking import Group, Standing, Standings
from benchmark.records import Kind, Status
from benchmark.tracks.figures import FIGURES

MOST = 6
"""How many entries have a panel."""
SHAPES: Mapping[Kind, str] = {Kind.NULL: "o", Kind.AMBIGUOUS: "D", Kind.SHORTCUT: "^"}
"""The mark of each kind of case."""


@dataclass(frozen=True)
class GradedPoint:
    """A case."""

    figure: float
    """What was measured."""
    rank: float
    """The rank of its score among the entry's cases, from 0 (lowest) to 100; equal ones share theirs."""
    kind: Kind
    """What it is in truth."""


def graded_drawings(table: Standings, faces: Mapping[str, Face]) -> list[Drawing]:
    """The leading entries' scores by the version's graded figure; empty where it has none."""
    name = table.version.graded
    if not name:
        return []
    found = []
    for row in leading(table):
        points = graded_points(row, name)
        title, what = faces[row.entry].title, FIGURES[name].title
        files = in_schemes(partial(_figure, points, (short(title), what)))
        alt = f"{title}: the rank of its score in each case against {what}."
        found.append(Drawing(f"graded-{row.entry}", alt, files))
    return found


def leading(table: Standings) -> list[Standing]:
    """The rows that have a panel: the first ranked ones with a score for each case, and the first control."""
    scored = [row for row in table.rows if row.result is not None and row.value is not None]
    ranked = [row for row in scored if row.rank is not None]
    controls = [row for row in scored if row.group is Group.CONTROL]
    return [*ranked[: MOST - min(1, len(controls))], *controls[:1]]


def graded_points(row: Standing, name: str) -> list[GradedPoint]:
    """The cases of a row that are ok, by the figure `name` and by the rank of their score."""
    rows = [held for held in row.result.details.per_dataset if held.status is Status.OK] if row.result else []
    rows = [held for held in rows if held.score is not None and name in held.__pydantic_extra__]
    scores = np.array([held.score for held in rows], dtype=np.float64)
    return [
        GradedPoint(held.__pydantic_extra__[name], float(rank), held.kind)
        for held, rank in zip(rows, ranks(scores), strict=True)
    ]


def _figure(points: Sequence[GradedPoint], words: tuple[str, str], scheme: Scheme) -> str:
    figure, axes = panel(scheme, width=3.4, height=2.9, right=0.97)
    for kind, shape in SHAPES.items():
        chosen = [point for point in points if point.kind is kind]
        if chosen:
            color = scheme.pair[0] if kind is Kind.NULL else scheme.pair[1]
            marks = axes.scatter([p.figure for p in chosen], [p.rank for p in chosen], s=20, marker=shape)
            marks.set(facecolor=color, edgecolor=scheme.ink, linewidth=0.4, label=kind.value, clip_on=False)
    axes.set_xlim(-0.02, max([point.figure for point in points] + [0.1]) * 1.05)
    axes.set_ylim(-3, 103)
    axes.set_yticks([0, 50, 100])
    axes.set_title(words[0], loc="left", color=scheme.ink, fontweight="bold", fontsize=10)
    axes.set_xlabel(words[1], color=scheme.ink)
    axes.set_ylabel("rank of the score", color=scheme.ink, fontsize=8, labelpad=0)
    axes.legend(loc="lower right", frameon=False, fontsize=8, labelcolor=scheme.ink, handletextpad=0.1)
    return svg_text(figure)
