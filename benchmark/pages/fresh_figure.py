"""Public against fresh: every entry as a point with its intervals, and the diagonal where both agree."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from benchmark.gaps import gap
from benchmark.metrics import METRICS
from benchmark.pages.axis import axis_for
from benchmark.pages.figures import Drawing, Scheme, in_schemes, panel, svg_text
from benchmark.pages.gather import Board
from benchmark.ranking import Standings


@dataclass(frozen=True)
class FreshPoint:
    """An entry on public and on fresh seeds."""

    public: float
    """Across."""
    fresh: float
    """Up."""
    public_ends: tuple[float, float]
    """Its 95% interval on public seeds."""
    fresh_ends: tuple[float, float]
    """Its 95% interval on fresh ones."""
    marked: bool
    """Whether they differ by more than three standard errors."""


def fresh_drawings(board: Board) -> list[Drawing]:
    """A panel for each track's current version that has scores on fresh seeds."""
    found = []
    for track in board.tracks:
        points = fresh_points(track.current)
        if points:
            metric = METRICS[track.current.version.ranking]
            files = in_schemes(partial(_figure, track.current, points))
            odd = sum(point.marked for point in points)
            alt = (
                f"{track.track.title}: {metric.title} on public and on fresh seeds of {len(points)} entries; "
                f"{odd or 'none'} of them beyond three standard errors from the diagonal."
            )
            found.append(Drawing(f"fresh-{track.track.key}", alt, files))
    return found


def fresh_points(table: Standings) -> list[FreshPoint]:
    """The entries of a table that have the ranking metric on both."""
    found = []
    ranking = table.version.ranking
    for row in table.rows:
        one = None if row.result is None else gap(row.result, ranking)
        if row.result is not None and row.result.fresh is not None and one is not None:
            public, fresh = row.result.intervals[ranking], row.result.fresh.intervals[ranking]
            found.append(FreshPoint(one.public, one.fresh, public, fresh, one.marked))
    return found


def _figure(table: Standings, points: Sequence[FreshPoint], scheme: Scheme) -> str:
    metric = METRICS[table.version.ranking]
    ends = [end for point in points for end in (*point.public_ends, *point.fresh_ends)]
    axis = axis_for(metric, ends)
    low, high = axis.low - 0.02, axis.high + 0.02
    figure, axes = panel(scheme, width=3.4, height=3.3, right=0.97)
    axes.plot([low, high], [low, high], color=scheme.quiet, linewidth=0.7, linestyle=(0, (1, 2)))
    for point in points:
        color = scheme.lines[2] if point.marked else scheme.lines[0]
        axes.plot(point.public_ends, [point.fresh] * 2, color=color, linewidth=0.8, alpha=0.5)
        axes.plot([point.public] * 2, point.fresh_ends, color=color, linewidth=0.8, alpha=0.5)
        shape = "D" if point.marked else "o"
        axes.plot([point.public], [point.fresh], color=color, marker=shape, markersize=5, linewidth=0)
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.set_aspect("equal")
    axes.set_title(table.track.title, loc="left", color=scheme.ink, fontweight="bold", fontsize=10)
    axes.set_xlabel(f"{metric.title}, public seeds", color=scheme.ink)
    axes.set_ylabel("fresh seeds", color=scheme.ink)
    return svg_text(figure)
