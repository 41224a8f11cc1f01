"""The best result over time and by version."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from benchmark.metrics import METRICS
from benchmark.pages.axis import axis_for, number
from benchmark.pages.figures import SCHEMES, Drawing, Scheme, panel, short, spread, svg_text
from benchmark.pages.gather import Face, TrackBoard, scored_at
from benchmark.ranking import RANKED, Standing, Standings

SECONDS_A_DAY = 86400
MOST_VERSIONS = 8
"""How many versions are drawn, the newest ones."""


@dataclass(frozen=True)
class Course:
    """How the best result came about, as far as the results tell."""

    drawings: tuple[Drawing, ...]
    """By version where several are ranked alike, over time where results are of several days."""
    days: tuple[str, ...]
    """The days on which the ranked results were scored, in order."""
    versions: tuple[str, ...]
    """The numbers of the versions that have ranked results, oldest first."""


NO_COURSE = Course((), (), ())
"""Of a page that shows none."""


@dataclass(frozen=True)
class Step:
    """A result that led when it was scored."""

    moment: float
    """When, in days since 1970."""
    row: Standing
    """Its row."""


def course(found: TrackBoard, faces: Mapping[str, Face]) -> Course:
    """The best results of a track; without any drawing where all are of one version and one day."""
    ranking = found.track.current.ranking
    tables = [t for t in found.all if _ranked(t) and t.version.ranking == ranking][:MOST_VERSIONS]
    days = sorted({scored_at(row) for table in tables for row in _ranked(table)})
    versions = tuple(table.version.number for table in reversed(tables))
    drawings = []
    if len(tables) > 1:
        drawings.append(_drawing("best-by-version", tables, faces))
    if len(days) > 1:
        drawings.append(_drawing("best-over-time", tables, faces))
    return Course(tuple(drawings), tuple(days), versions)


def steps(table: Standings) -> list[Step]:
    """The results that led the table when they were scored, oldest first; a group's order counts as there."""
    found: list[Step] = []
    rows = _ranked(table)
    place = {row.entry: position for position, row in enumerate(rows)}
    for row in sorted(rows, key=lambda row: (_moment(row), place[row.entry])):
        if not found or place[row.entry] < place[found[-1].row.entry]:
            found.append(Step(_moment(row), row))
    return found


def _ranked(table: Standings) -> list[Standing]:
    """The rows that have a rank and a value, best first."""
    return [row for row in table.rows if row.group in RANKED and row.value is not None and row.result]


def _moment(row: Standing) -> float:
    assert row.result is not None
    return datetime.fromisoformat(row.result.timing.scored_at).timestamp() / SECONDS_A_DAY


def _value(row: Standing) -> float:
    assert row.value is not None
    return row.value


def _drawing(name: str, tables: Sequence[Standings], faces: Mapping[str, Face]) -> Drawing:
    """A figure of the tables, newest first, in both color schemes."""
    draw, what = DRAWN[name]
    best = "; ".join(_told(table, faces) for table in reversed(tables))
    alt = f"{METRICS[tables[0].version.ranking].title} of the best entry {what}: {best}."
    return Drawing(name, alt, {scheme.name: draw(tables, faces, scheme) for scheme in SCHEMES})


def _told(table: Standings, faces: Mapping[str, Face]) -> str:
    first = _ranked(table)[0]
    return f"{table.version.number}: {faces[first.entry].title} {number(first.value)}"


def _by_version(tables: Sequence[Standings], faces: Mapping[str, Face], scheme: Scheme) -> str:
    """A line of dots for each version, the newest on top; the leader is named and has its interval."""
    high = 0.62 * len(tables)
    figure, axes = panel(scheme, width=4.8, height=high + 0.6, right=0.96)
    axes.set_position((0.09, 0.5 / (high + 0.6), 0.87, high / (high + 0.6)))
    for place, table in enumerate(reversed(tables)):
        first, *others = _ranked(table)
        dots = axes.scatter([_value(row) for row in others], [place] * len(others), s=20)
        dots.set(facecolors="none", edgecolors=scheme.quiet)
        if first.interval:
            axes.plot(first.interval, [place] * 2, color=scheme.lines[0], linewidth=4, alpha=0.35)
        axes.scatter([_value(first)], [place], s=34, color=scheme.lines[0], zorder=3)
        text = f"{short(faces[first.entry].title)} {number(first.value)}"
        _write(axes, place + 0.36, text, scheme)
    _frame(axes, tables, scheme)
    axes.set_ylim(-0.5, len(tables) - 0.35)
    axes.set_yticks(range(len(tables)), [table.version.number for table in reversed(tables)])
    return svg_text(figure)


def _write(axes: Axes, height: float, text: str, scheme: Scheme) -> None:
    """Writes a line's name at the right end of the panel."""
    axes.text(
        1.0, height, text, ha="right", va="center", fontsize=8, color=scheme.ink, parse_math=False,
        transform=axes.get_yaxis_transform(),
    )  # fmt: skip


def _frame(axes: Axes, tables: Sequence[Standings], scheme: Scheme) -> None:
    metric = METRICS[tables[0].version.ranking]
    axis = axis_for(metric, list(_ends(tables)))
    axes.set_xlim(axis.low - 0.02 * (axis.high - axis.low), axis.high + 0.02 * (axis.high - axis.low))
    if metric.chance is not None:
        axes.axvline(metric.chance, color=scheme.quiet, linewidth=0.7, linestyle=(0, (1, 2)))
    axes.set_xlabel(metric.title, color=scheme.ink)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _ends(tables: Sequence[Standings]) -> Iterator[float]:
    for table in tables:
        for row in _ranked(table):
            yield _value(row)
        yield from _ranked(table)[0].interval or ()


def _over_time(tables: Sequence[Standings], faces: Mapping[str, Face], scheme: Scheme) -> str:
    """A staircase for each version: the value of the entry that led, named where it ends."""
    figure, axes = panel(scheme, width=4.8, height=3.0, right=0.6)
    last = max(_moment(row) for table in tables for row in _ranked(table))
    for place, table in enumerate(tables):
        found = steps(table)
        moments, values = [step.moment for step in found], [_value(step.row) for step in found]
        color = scheme.lines[place % len(scheme.lines)]
        axes.step([*moments, last], [*values, values[-1]], where="post", color=color, linewidth=1.2)
        axes.plot(moments, values, color=color, marker="o", markersize=4, linewidth=0)
    metric = METRICS[tables[0].version.ranking]
    axis = axis_for(metric, [_value(step.row) for table in tables for step in steps(table)])
    axes.set_ylim(axis.low - 0.02, axis.high + 0.02)
    axes.xaxis.set_major_locator(MaxNLocator(3, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(_day))
    axes.set_ylabel(metric.title, color=scheme.ink)
    _name(axes, tables, faces, scheme)
    return svg_text(figure)


def _day(moment: float, place: int) -> str:
    """The day of a moment, as an axis asks for it."""
    return (date(1970, 1, 1) + timedelta(days=round(moment))).isoformat()


def _name(axes: Axes, tables: Sequence[Standings], faces: Mapping[str, Face], scheme: Scheme) -> None:
    """The versions and their leaders at the staircases' ends, moved apart until none covers another."""
    low, high = axes.get_ylim()
    order = sorted(tables, key=lambda table: _value(_ranked(table)[0]))
    heights = spread([_value(_ranked(table)[0]) for table in order], (high - low) / 14, high)
    for table, height in zip(order, heights, strict=True):
        name = short(f"{table.version.number}: {faces[_ranked(table)[0].entry].title}")
        color = scheme.lines[tables.index(table) % len(scheme.lines)]
        axes.text(
            1.03, height, name, va="center", fontsize=8, color=color, parse_math=False,
            transform=axes.get_yaxis_transform(),
        )  # fmt: skip


DRAWN: Mapping[str, tuple[Callable[[Sequence[Standings], Mapping[str, Face], Scheme], str], str]] = {
    "best-by-version": (_by_version, "by version"),
    "best-over-time": (_over_time, "over time, for each version"),
}
"""How each figure is drawn, and what it is called."""
