"""What a score costs: the ranking metric against the time per case, and who is not beaten on both."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from benchmark.metrics import METRICS, Metric
from benchmark.pages.axis import axis_for
from benchmark.pages.figures import Drawing, Scheme, in_schemes, panel, short, spread, svg_text
from benchmark.pages.gather import Face
from benchmark.pages.tables import seconds_per_case
from benchmark.ranking import RANKED, Group, Standings

LEAST_SECONDS = 1e-4
"""Times below this are drawn at it: clocks say no more."""
FEWEST = 3
"""With fewer entries there is nothing to compare."""


@dataclass(frozen=True)
class Point:
    """An entry."""

    name: str
    """What it is called."""
    seconds: float
    """Time per case, in seconds."""
    value: float
    """The ranking metric."""
    control: bool
    """Whether it is drawn hollow and never on the front."""


def cost_drawing(table: Standings, faces: Mapping[str, Face]) -> Drawing | None:
    """Score against cost; None where fewer than three entries have both."""
    points = _points(table, faces)
    if len(points) < FEWEST:
        return None
    metric = METRICS[table.version.ranking]
    best = front(points, metric.higher_is_better)
    names = ", ".join(point.name for point in best)
    alt = f"{metric.title} against seconds per case. No other entry is both faster and better than: {names}."
    return Drawing("cost", alt, in_schemes(partial(_figure, points, best, metric)))


def _points(table: Standings, faces: Mapping[str, Face]) -> list[Point]:
    found = []
    for row in table.rows:
        seconds = seconds_per_case(row.result)
        if row.value is not None and seconds is not None and row.group in (*RANKED, Group.CONTROL):
            control = row.group is Group.CONTROL
            found.append(Point(faces[row.entry].title, max(seconds, LEAST_SECONDS), row.value, control))
    return found


def front(points: Sequence[Point], up: bool) -> list[Point]:
    """The Pareto front, fastest first: ranked entries that none is both as fast as and better than.

    up: whether higher values are better.
    """
    found: list[Point] = []
    sign = 1.0 if up else -1.0
    ranked = [point for point in points if not point.control]
    for point in sorted(ranked, key=lambda point: (point.seconds, -sign * point.value, point.name)):
        if not found or sign * point.value > sign * found[-1].value:
            found.append(point)
    return found


def _figure(points: Sequence[Point], best: Sequence[Point], metric: Metric, scheme: Scheme) -> str:
    figure, axes = panel(scheme, width=4.8, height=3.3, right=0.6)
    if metric.chance is not None:
        axes.axhline(metric.chance, color=scheme.quiet, linewidth=0.7, linestyle=(0, (1, 2)))
    for control, face in ((False, scheme.quiet), (True, "none")):
        chosen = [point for point in points if point.control is control and point not in best]
        dots = axes.scatter([p.seconds for p in chosen], [p.value for p in chosen], s=22, facecolors=face)
        dots.set(edgecolors=scheme.quiet, linewidth=1)
    axes.scatter([p.seconds for p in best], [p.value for p in best], s=30, color=scheme.lines[0], zorder=3)
    axes.step(
        [p.seconds for p in best],
        [p.value for p in best],
        where="post",
        color=scheme.lines[0],
        linewidth=1,
    )
    _scales(axes, points, metric)
    _name(axes, best, scheme)
    axes.set_ylabel(metric.title, color=scheme.ink)
    axes.set_xlabel("seconds per case", color=scheme.ink)
    return svg_text(figure)


def _scales(axes: Axes, points: Sequence[Point], metric: Metric) -> None:
    low, high = min(p.seconds for p in points), max(p.seconds for p in points)
    axes.set_xscale("log")
    axes.set_xlim(
        10 ** (math.floor(math.log10(low) * 2) / 2), 10 ** (math.ceil(math.log10(high * 1.1) * 2) / 2)
    )
    axes.xaxis.set_major_locator(LogLocator(10))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axis = axis_for(metric, [p.value for p in points])
    axes.set_ylim(axis.low - 0.02, axis.high + 0.02)


def _name(axes: Axes, best: Sequence[Point], scheme: Scheme) -> None:
    """The front's names in a column on the right, each with a thin lead to its point."""
    low, high = axes.get_ylim()
    order = sorted(best, key=lambda point: (point.value, point.seconds))
    heights = spread([point.value for point in order], (high - low) / 15, high)
    for point, height in zip(order, heights, strict=True):
        axes.annotate(
            short(point.name),
            xy=(point.seconds, point.value),
            xytext=(1.04, height),
            textcoords=axes.get_yaxis_transform(),
            color=scheme.ink,
            fontsize=8,
            va="center",
            parse_math=False,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": scheme.quiet, "linewidth": 0.5, "shrinkB": 3},
        )
