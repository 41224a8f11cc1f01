"""The strip of all entries: numbers for the templates that draw it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from benchmark.metrics import METRICS
from benchmark.pages.axis import Axis, axis_for, number
from benchmark.pages.gather import Face
from benchmark.ranking import Standings

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
