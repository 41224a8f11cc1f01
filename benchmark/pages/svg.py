"""The strip of all entries: numbers for the templates that draw it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from markupsafe import Markup

from benchmark.metrics import METRICS
from benchmark.pages.axis import Axis, axis_for, number
from benchmark.pages.escape import neutral
from benchmark.pages.gather import Face
from benchmark.ranking import Standing, Standings

LANES = (0, *(lane for step in range(1, 10) for lane in (-step, step)))
"""Where dots that would cover one another go, in steps from the middle line."""
STEP = 9.0
"""How far lanes are apart at most."""
LEAST_REACH, MOST_REACH = 24.0, 36.0
"""How far from the middle line the axis is at least, and the outermost lane at most."""
APART = 3.0
"""How far apart two dots of a lane are at least, in hundredths of the axis."""
MOST = 100
"""How many dots a strip has; of more entries it shows as many, spread evenly over their order."""


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
    """The entries that have a value; of many, some."""
    valued: int = 0
    """How many entries have a value."""

    @property
    def of(self) -> str:
        """Which entries the dots are, in words."""
        shown = len(self.dots)
        return "all entries" if shown == self.valued else f"{shown} of {self.valued} entries, evenly by rank"

    @cached_property
    def step(self) -> float:
        """How far lanes are apart: less where there are so many that the picture would grow too high."""
        outermost = max((abs(dot.lane) for dot in self.dots), default=0)
        return round(min(STEP, MOST_REACH / max(outermost, 1)), 2)

    @cached_property
    def reach(self) -> float:
        """How far the axis is from the middle line: below every dot."""
        return round(
            max(LEAST_REACH, max((dot.lane * self.step for dot in self.dots), default=0.0) + STEP), 2
        )

    def body(self, up: str) -> Markup:
        """The dots as HTML, each a link; up: from the page to site/leaderboard/."""
        return Markup("".join(self._dot_html(dot, up) for dot in self.dots))

    def _dot_html(self, dot: Dot, up: str) -> str:
        kind = f"lb-dot{' lb-control' if dot.face.control else ''}{' lb-chosen' if dot.chosen else ''}"
        x, y = round(10 + dot.x * 3, 2), round(30 + dot.lane * self.step, 2)
        circle = f'<circle class="{kind}" cx="{x}" cy="{y}" r="{6 if dot.chosen else 4.2}"/>'
        return f'<a href="{up}{neutral(dot.face.page)}"><title>{neutral(dot.label)}</title>{circle}</a>\n'


def strip(table: Standings, faces: Mapping[str, Face], chosen: str = "") -> Strip:
    """The ranking metric of the entries of `table` that have one, up to `MOST`; `chosen` stands out."""
    metric = METRICS[table.version.ranking]
    axis = axis_for(metric, [value for value, _ in (*table.by_value[:1], *table.by_value[-1:])])
    placed = [(axis.at(value), row) for value, row in _some(table, chosen)]
    ends = [-APART] * len(LANES)
    dots = []
    for x, row in sorted(placed, key=lambda pair: (pair[0], pair[1].entry)):
        free = [place for place, end in enumerate(ends) if x - end >= APART]
        place = free[0] if free else int(np.argmin(ends))
        ends[place] = x
        label = f"{faces[row.entry].title}: {number(row.value)}"
        dots.append(Dot(x, LANES[place], faces[row.entry], label, row.entry == chosen))
    return Strip(axis, metric.title, tuple(dots), len(table.by_value))


def _some(table: Standings, chosen: str) -> list[tuple[float, Standing]]:
    """The rows that have a value, with it; of more than `MOST` the chosen one and others evenly by order."""
    rows = table.by_value
    if len(rows) <= MOST:
        return list(rows)
    held = table.by_entry.get(chosen)
    own = [(held.value, held)] if held is not None and held.value is not None else []
    others = [pair for pair in rows if pair[1] is not held] if own else rows
    places = np.linspace(0, len(others) - 1, MOST - len(own)).round().astype(int)
    return [*own, *(others[place] for place in places.tolist())]
