"""An entry's cases as dots on lines, a panel for each variant: numbers for the template that draws them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from benchmark.metrics import METRICS
from benchmark.pages.axis import axis_for, number
from benchmark.ranking import Standings
from benchmark.records import FloatArray, Kind, Status
from benchmark.results import Row


@dataclass(frozen=True)
class CaseDot:
    """A case."""

    x: float
    """Where it lies, from 0 at the left end to 100."""
    flagged: bool
    """Whether the flag fired."""


@dataclass(frozen=True)
class CaseLine:
    """The cases of one variant, kind and strength."""

    label: str
    """`null`, or the strength, with the kind where that must be said."""
    kind: str
    """What these cases are in truth."""
    dots: tuple[CaseDot, ...]
    """Its cases."""

    def outlines(self, flagged: bool, left: float, width: float, y: int) -> Markup:
        """The SVG path of all marks whose flag fired, or of those whose flag did not; empty without any.

        One path for all, as a page of many elements takes long to convert. left, width: where the line begins
        and how long it is. y: its height.
        """
        xs = (left + dot.x * width / 100 for dot in self.dots if dot.flagged is flagged)
        if self.kind == Kind.AMBIGUOUS:
            return Markup("".join(f"M{x:.1f} {y - 5}l5 5-5 5-5-5z" for x in xs))
        return Markup("".join(f"M{x - 4:.1f} {y}a4 4 0 1 0 8 0 4 4 0 1 0-8 0z" for x in xs))


@dataclass(frozen=True)
class CasePanel:
    """The cases of one variant."""

    variant: str
    """Its name."""
    lines: tuple[CaseLine, ...]
    """Null cases first, then by strength."""


@dataclass(frozen=True)
class CaseMap:
    """All cases of an entry."""

    by: str
    """What places them, within a sentence: `score`, or the ranking metric."""
    ranked: bool
    """Whether they are placed by the rank of the value among the entry's cases, or by the value."""
    ends: tuple[str, str]
    """The least and the greatest value of the cases, in words."""
    sides: tuple[str, str]
    """What is written at the two ends of a line."""
    flags: bool
    """Whether some case has a flag."""
    panels: tuple[CasePanel, ...]
    """One for each variant."""

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of its cases."""
        return frozenset(line.kind for panel in self.panels for line in panel.lines)


def case_map(rows: Sequence[Row], table: Standings) -> CaseMap | None:
    """The cases of a result by what ranks its entry; None with fewer than two of them.

    Where the ranking metric is a figure that each case has, they are placed by that figure; elsewhere by
    the rank of their scores, whose size means nothing from one entry to another.
    """
    ranking = table.version.ranking
    by_figure = ranking in table.version.figures
    values = _values(rows, ranking if by_figure else "score")
    if len(values) < 2:
        return None
    held = np.array(list(values.values()))
    axis = axis_for(METRICS[ranking], values.values() if by_figure else ())
    places = [axis.at(value) for value in held.tolist()] if by_figure else np.round(ranks(held), 1).tolist()
    where = dict(zip(values, places, strict=True))
    placed = [(row, where[row.case]) for row in rows if row.case in where]
    variants = dict.fromkeys(row.variant for row, _ in placed)
    symbol = table.track.strength_symbol
    return CaseMap(
        by=METRICS[ranking].inline if by_figure else "score",
        ranked=not by_figure,
        ends=(number(float(held.min())), number(float(held.max()))),
        sides=(number(axis.low, 1), number(axis.high, 1)) if by_figure else ("lowest score", "highest"),
        flags=any(row.flag is not None for row, _ in placed),
        panels=tuple(
            CasePanel(name, tuple(_lines([pair for pair in placed if pair[0].variant == name], symbol)))
            for name in variants
        ),
    )


def _values(rows: Sequence[Row], name: str) -> Mapping[str, float]:
    """The value `name` of each case that has it, by case id."""
    held = {
        row.case: {"score": row.score, **row.__pydantic_extra__} for row in rows if row.status is Status.OK
    }
    return {case: value for case, named in held.items() if (value := named.get(name)) is not None}


def ranks(scores: FloatArray) -> FloatArray:
    """float64 (n,): the rank of each score (n,) among all, 0 (lowest) to 100; equal ones share theirs."""
    below = (scores[:, None] > scores[None, :]).sum(axis=1)
    ties = (scores[:, None] == scores[None, :]).sum(axis=1) - 1
    found: FloatArray = 100 * (below + ties / 2) / max(len(scores) - 1, 1)
    return found


def _lines(placed: Sequence[tuple[Row, float]], symbol: str) -> Iterator[CaseLine]:
    kinds = dict.fromkeys((row.kind, row.strength) for row, _ in placed)
    for kind, strength in sorted(kinds, key=lambda pair: (pair[0] is not Kind.NULL, pair[1], pair[0].value)):
        dots = tuple(
            CaseDot(x, bool(row.flag)) for row, x in placed if (row.kind, row.strength) == (kind, strength)
        )
        yield CaseLine(_label(kind, f"{symbol} = {strength:g}"), kind.value, dots)


def _label(kind: Kind, strength: str) -> str:
    return {Kind.NULL: kind.value, Kind.SHORTCUT: strength}.get(kind, f"{strength}, {kind.value}")
