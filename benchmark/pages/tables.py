"""Standings as the records of the tables that pages and downloads both show."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from statistics import fmean
from types import MappingProxyType

from benchmark.gaps import BEYOND, gap
from benchmark.metrics import METRICS
from benchmark.pages.axis import Axis, axis_for, number, rank_text, seconds, signed
from benchmark.pages.gather import Face
from benchmark.ranking import Group, Standing, Standings
from benchmark.results import Result
from benchmark.tracks.detection import MAX_FLAG_FPR
from benchmark.verified import Verification

CAP = f"{MAX_FLAG_FPR:.0%}"
HEADINGS: Mapping[Group, str] = {
    Group.CALIBRATED: f"Calibrated flag (fires on at most {CAP} of nulls)",
    Group.NO_FLAG: "No flag",
    Group.OVERFIRING: f"Flag fires on more than {CAP} of nulls",
    Group.RANKED: "",
    Group.CONTROL: "Controls (for orientation, not ranked)",
    Group.DEGENERATE: "Degenerate (scores that hardly differ, not ranked)",
    Group.INCOMPLETE: "Incomplete (a case failed, not ranked)",
    Group.WAITING: "Waiting for a score",
}
"""The heading of each group's rows; none where one group is all there is."""
OVERFIRING_MARK = f"flag FPR > {MAX_FLAG_FPR:g}"
TIME = "seconds_per_case"
FIRST_ROWS = 100
"""How many rows of a long table are shown at first; without a script all are."""
MOST_LETTERS = 4
"""How many tie letters a row shows one by one."""
FRESH, GAP, VERIFIED = "fresh", "gap", "verified"
NONE_VERIFIED: Mapping[str, Verification] = MappingProxyType({})
"""Of a table without that column."""
NOT_YET = "not yet"
"""What is shown of a result that was never scored again."""


@dataclass(frozen=True)
class Column:
    """One column of numbers."""

    key: str
    """Its name in downloads."""
    over: str
    """The heading it shares with its neighbors; empty where it stands alone."""
    title: str
    """Its own heading."""
    about: str
    """What it says, in one sentence."""
    metric: str
    """The metric whose values it holds; empty for times."""
    up: bool
    """Whether higher is better."""
    shaded: bool
    """Whether its cells are colored by value."""

    @property
    def directed(self) -> bool:
        """Whether more of it is better or worse at all; a gap should be near 0, and a day is only a day."""
        return self.key not in (GAP, VERIFIED)

    @property
    def path(self) -> tuple[str, ...]:
        """The columns of one metric at one variant and strength say which: metric, variant, strength."""
        return tuple(self.key.split("/"))


@dataclass(frozen=True)
class Cell:
    """One number."""

    value: float | None
    """The number; None where there is none."""
    text: str
    """As it is shown; empty where there is none."""
    interval: tuple[float, float] | None = None
    """Its 95% interval, where it has one."""
    error: float | None = None
    """Its standard error, where that is what is shown of it."""
    day: str = ""
    """The day whose number the value is, such as 2026-03-01; empty where it is not one."""

    @property
    def sorts_as_shown(self) -> bool:
        """Whether what is shown, read as a number, is enough to sort by."""
        plain = self.value is not None and self.error is None and not self.day
        return plain and not self.text.startswith("\N{MINUS SIGN}")

    @property
    def beside(self) -> dict[str, float]:
        """What stands beside the number in downloads, by what is added to its key."""
        if self.error is not None:
            return {"standard_error": self.error}
        return {} if self.interval is None else dict(zip(("low", "high"), self.interval, strict=True))


@dataclass(frozen=True)
class Line:
    """One row."""

    face: Face
    """The entry."""
    row: Standing
    """Its standing."""
    rank: str
    """Its rank interval, as shown."""
    remarks: tuple[str, ...]
    """What the reader must know of it, a few words each."""
    cells: tuple[Cell, ...]
    """One for each column; all blank where no metric has a value."""

    @property
    def tie(self) -> str:
        """Its tie letters; of more than a few, which follow one another, the first and the last."""
        letters = re.findall("[a-z][0-9]*", self.row.mark)
        return self.row.mark if len(letters) <= MOST_LETTERS else f"{letters[0]}–{letters[-1]}"

    @property
    def blank(self) -> bool:
        """Whether it has no number at all."""
        return all(cell.value is None for cell in self.cells)


@dataclass(frozen=True)
class Block:
    """The rows of one group."""

    group: Group
    """The group."""
    heading: str
    """Its heading; empty for none."""
    lines: tuple[Line, ...]
    """Best first."""


@dataclass(frozen=True)
class Table:
    """A table as shown."""

    name: str
    """The stem of its downloads' file names."""
    columns: tuple[Column, ...]
    """The columns of numbers; before them come rank and entry."""
    blocks: tuple[Block, ...]
    """The groups that have rows, in order."""
    axis: Axis
    """The axis of the intervals of the ranking metric."""
    ranking: str
    """The metric that orders the rows."""
    left: int = 0
    """How many rows of the whole table it is without."""

    @property
    def lines(self) -> Iterator[Line]:
        """All rows in order."""
        return (line for block in self.blocks for line in block.lines)

    @property
    def first(self) -> "Table":
        """The table with its first rows only; itself when it has no more."""
        blocks, room = [], FIRST_ROWS
        for block in self.blocks:
            blocks.append(replace(block, lines=block.lines[:room]))
            room -= len(blocks[-1].lines)
        kept = tuple(block for block in blocks if block.lines)
        return replace(self, blocks=kept, left=sum(len(b.lines) for b in self.blocks) - FIRST_ROWS + room)

    @property
    def late(self) -> frozenset[str]:
        """The entries behind the first rows, which a long table shows only when asked."""
        return frozenset(line.face.id for line in list(self.lines)[FIRST_ROWS:])

    @property
    def families(self) -> list[str]:
        """The families that rows have, by name."""
        return sorted({line.face.family for line in self.lines} - {""})

    @property
    def overs(self) -> list[tuple[str, list[Column]]]:
        """Runs of neighboring columns under one shared heading, all of one direction."""
        runs: list[tuple[str, list[Column]]] = []
        for column in self.columns:
            if runs and column.over and (column.over, column.up) == (runs[-1][0], runs[-1][1][0].up):
                runs[-1][1].append(column)
            else:
                runs.append((column.over, [column]))
        return runs


def main_table(
    table: Standings, faces: Mapping[str, Face], verified: Mapping[str, Verification] = NONE_VERIFIED
) -> Table:
    """The table that answers which method: all metrics but the secondary ones, fresh scores, and the time.

    verified: the last verification of each entry's result; where there is any, a column says when it was.
    """
    version = table.version
    names = [name for name in version.metrics if name not in version.secondary and name != version.ranking]
    columns = [_metric_column(name, shaded=METRICS[name].chance is not None) for name in names]
    time = Column(TIME, "", "s per case", "Mean wall time of the entry's calls for a case.", "", False, False)
    fresh = _fresh_columns(version.ranking) if has_fresh(table) else ()
    found = _table("table", table, (_metric_column(version.ranking), *columns, *fresh, time), faces)
    return _with_days(found, verified) if verified else found


def _with_days(table: Table, verified: Mapping[str, Verification]) -> Table:
    """The table with a last column that says when each result was verified."""
    about = "The day its result was last scored again."
    column = Column(VERIFIED, "", "Verified", about, "", True, False)
    blocks = tuple(
        replace(block, lines=tuple(_with_day(line, verified.get(line.face.id)) for line in block.lines))
        for block in table.blocks
    )
    return replace(table, columns=(*table.columns, column), blocks=blocks)


def _with_day(line: Line, found: Verification | None) -> Line:
    cell = Cell(None, NOT_YET if line.row.result else "")
    if found is not None:
        day = found.verified_at[:10]
        text = day if found.stands else f"differed {day}"
        cell = Cell(float(date.fromisoformat(day).toordinal()), text, day=day)
    return replace(line, cells=(*line.cells, cell))


def has_fresh(table: Standings) -> bool:
    """Whether some row has a score on fresh seeds."""
    return any(row.result is not None and row.result.fresh is not None for row in table.rows)


def _fresh_columns(ranking: str) -> tuple[Column, Column]:
    metric = METRICS[ranking]
    return (
        Column(FRESH, "", "Fresh", f"{metric.title} on fresh seeds.", "", metric.higher_is_better, False),
        Column(GAP, "", "Gap", "How much better public seeds did than fresh ones.", "", False, False),
    )


def detail_table(table: Standings, faces: Mapping[str, Face], metric: str, secondary: bool) -> Table:
    """One metric for each variant and strength; `secondary` adds the version's secondary metrics."""
    version = table.version
    cells = [
        Column(
            key=f"{metric}/{variant}/{strength}",
            over=f"{METRICS[metric].title}, {variant}",
            title=f"{table.track.strength_symbol} = {strength:g}",
            about=f"{METRICS[metric].title} at one variant and strength.",
            metric=metric,
            up=METRICS[metric].higher_is_better,
            shaded=True,
        )
        for variant in version.variants
        for strength in version.strengths
        if any(_at(row.result, metric, variant, str(strength)) is not None for row in table.rows)
    ]
    extra = [_metric_column(name) for name in version.secondary] if secondary else []
    return _table(f"{metric}-by-strength", table, (*cells, *extra), faces)


def _table(name: str, table: Standings, columns: tuple[Column, ...], faces: Mapping[str, Face]) -> Table:
    blocks = []
    for group in Group:
        rows = [row for row in table.rows if row.group is group]
        lines = tuple(_line(row, columns, table.version.ranking, faces) for row in rows)
        if lines:
            blocks.append(Block(group, HEADINGS[group], lines))
    ends = [end for row in table.rows for end in row.interval or ()]
    ranking = table.version.ranking
    return Table(name, columns, tuple(blocks), axis_for(METRICS[ranking], ends), ranking)


def _metric_column(name: str, shaded: bool = False) -> Column:
    metric = METRICS[name]
    title = metric.part or metric.title
    return Column(name, metric.over, title, metric.about, name, metric.higher_is_better, shaded)


def _line(row: Standing, columns: Sequence[Column], ranking: str, faces: Mapping[str, Face]) -> Line:
    cells = tuple(_cell(row, column, ranking) for column in columns)
    empty = all(cell.value is None for cell, column in zip(cells, columns, strict=True) if column.metric)
    return Line(
        face=faces[row.entry],
        row=row,
        rank=rank_text(row.rank),
        remarks=tuple(remarks(row, ranking)),
        cells=(Cell(None, ""),) * len(columns) if empty else cells,
    )


def remarks(row: Standing, ranking: str) -> Iterator[str]:
    """What a reader must know of a row before trusting its numbers, a few words each.

    ranking: the metric whose gap between public and fresh seeds counts.
    """
    if row.group is Group.OVERFIRING:
        yield OVERFIRING_MARK
    if row.stale:
        yield "stale: scored before its version's data or metrics changed"
    if row.changed:
        yield "changed since it was scored"
    if row.result is None or row.result.fresh is None:
        return
    if row.result.fresh.metrics.get(ranking) is None:
        yield "no value on fresh seeds"
    found = gap(row.result, ranking)
    if found is not None and found.marked:
        side = "above" if found.difference > 0 else "below minus"
        yield f"gap {side} {BEYOND:g} standard errors"


def _cell(row: Standing, column: Column, ranking: str) -> Cell:
    if column.key == TIME:
        mean = seconds_per_case(row.result)
        return Cell(mean, seconds(mean))
    if column.key == ranking:
        return Cell(row.value, number(row.value), row.interval)
    if column.key in (FRESH, GAP):
        return _fresh_cell(row.result, column.key, ranking)
    value = _value(row.result, column)
    interval = None if row.result is None else row.result.intervals.get(column.key)
    return Cell(value, number(value), interval)


def _fresh_cell(result: Result | None, key: str, ranking: str) -> Cell:
    found = None if result is None else gap(result, ranking)
    if result is None or result.fresh is None or found is None:
        return Cell(None, "")
    if key == FRESH:
        return Cell(found.fresh, number(found.fresh), result.fresh.intervals.get(ranking))
    return Cell(found.difference, signed(found.difference), error=found.standard_error)


def _value(result: Result | None, column: Column) -> float | None:
    if len(column.path) == 3:
        return _at(result, *column.path)
    return None if result is None else result.metrics.get(column.key)


def _at(result: Result | None, metric: str, variant: str, strength: str) -> float | None:
    if result is None:
        return None
    return result.details.by_strength.get(metric, {}).get(variant, {}).get(strength)


def seconds_per_case(result: Result | None) -> float | None:
    """The mean wall time of the entry's calls for a case, in seconds; None without cases."""
    if result is None or not result.timing.per_case:
        return None
    return fmean(result.timing.per_case.values())
