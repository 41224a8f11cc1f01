"""The small pictures of rows, cards and entries: numbers for the templates that draw them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmark.metrics import METRICS
from benchmark.pages.axis import Axis, axis_for, number
from benchmark.pages.gather import Face
from benchmark.ranking import Standings
from benchmark.records import Kind, Status
from benchmark.results import Row

LANES = (0, -1, 1, -2, 2, -3, 3)
"""Where dots that would cover one another go, in steps from the middle line."""
APART = 3.0
"""How far apart two dots of a lane are at least, in hundredths of the axis."""


@dataclass(frozen=True)
class Dot:
    """An entry on a strip."""

    x: float
    """From 0 at the left end to 100 at the right."""
    lane: int
    """Steps from the middle line."""
    face: Face
    """The entry."""
    label: str
    """What it says when pointed at."""
    chosen: bool
    """Whether the picture is about this entry."""


@dataclass(frozen=True)
class Strip:
    """All entries of a table on one line."""

    axis: Axis
    """The line."""
    title: str
    """What is drawn along it."""
    dots: tuple[Dot, ...]
    """The entries that have a value."""


def strip(table: Standings, faces: Mapping[str, Face], chosen: str = "") -> Strip:
    """The ranking metric of all entries of `table` that have one; `chosen` stands out."""
    metric = METRICS[table.version.ranking]
    rows = [row for row in table.rows if row.value is not None]
    axis = axis_for(metric, [row.value for row in rows if row.value is not None])
    ends = [-APART] * len(LANES)
    dots = []
    for row in sorted(rows, key=lambda row: (axis.at(row.value or 0.0), row.entry)):
        x = axis.at(row.value or 0.0)
        free = [place for place, end in enumerate(ends) if x - end >= APART]
        place = free[0] if free else int(np.argmin(ends))
        ends[place] = x
        label = f"{faces[row.entry].title}: {number(row.value)}"
        dots.append(Dot(x, LANES[place], faces[row.entry], label, row.entry == chosen))
    return Strip(axis, metric.title, tuple(dots))


@dataclass(frozen=True)
class CaseDot:
    """A case on an entry's picture of its scores."""

    x: float
    """The rank of its score among the entry's cases, from 0 (lowest) to 100."""
    flagged: bool
    """Whether the flag fired."""


@dataclass(frozen=True)
class CaseLine:
    """The cases of one variant and strength."""

    label: str
    """`null`, or the strength."""
    null: bool
    """Whether these are null cases."""
    dots: tuple[CaseDot, ...]
    """Its cases."""


@dataclass(frozen=True)
class CasePanel:
    """The cases of one variant."""

    variant: str
    """Its name."""
    lines: tuple[CaseLine, ...]
    """Null cases first, then by strength."""


def case_panels(rows: Sequence[Row], symbol: str) -> tuple[CasePanel, ...]:
    """The scores of an entry's cases by rank, one panel for each variant; empty without scores.

    symbol: what a strength is called.
    """
    held = [row for row in rows if row.status is Status.OK and row.score is not None]
    scores = np.array([row.score for row in held], dtype=np.float64)
    if len(scores) < 2:
        return ()
    below = (scores[:, None] > scores[None, :]).sum(axis=1)
    ties = (scores[:, None] == scores[None, :]).sum(axis=1) - 1
    place = np.round(100 * (below + ties / 2) / (len(scores) - 1), 1)
    placed = list(zip(held, place.tolist(), strict=True))
    variants = dict.fromkeys(row.variant for row in held)
    return tuple(
        CasePanel(variant, tuple(_lines([(r, x) for r, x in placed if r.variant == variant], symbol)))
        for variant in variants
    )


def _lines(placed: Sequence[tuple[Row, float]], symbol: str) -> Iterable[CaseLine]:
    kinds = dict.fromkeys((row.kind, row.strength) for row, _ in placed)
    for kind, strength in sorted(kinds, key=lambda pair: (pair[0] is not Kind.NULL, pair[1])):
        dots = tuple(
            CaseDot(x, bool(row.flag)) for row, x in placed if (row.kind, row.strength) == (kind, strength)
        )
        named = f"{symbol} = {strength:g}" if kind is Kind.SHORTCUT else kind.value
        yield CaseLine(named, kind is Kind.NULL, dots)
