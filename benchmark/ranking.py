"""From results to standings: groups, ranks as intervals, ties, and what is stale or missing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from string import ascii_lowercase

import numpy as np

from benchmark.audit import is_stale
from benchmark.entries import Entry
from benchmark.measures import UndefinedMetric
from benchmark.metrics import METRICS
from benchmark.records import BoolArray, Columns, FloatArray, Outcome, Status
from benchmark.results import Result
from benchmark.summary import COVERAGE, draws, interval, ones
from benchmark.tracks.detection import MAX_FLAG_FPR
from benchmark.tracks.spec import Track, Version

LEAST_DISTINCT = 3
"""Fewer distinct scores than this make an entry degenerate."""
BLOCK = 32
"""How many rows are compared with another one at a time: their draws fit the processor's cache."""


class Group(StrEnum):
    """The groups of a table, in the order it shows them."""

    CALIBRATED = "calibrated"
    """The flag fires on at most `MAX_FLAG_FPR` of the null cases."""
    NO_FLAG = "no-flag"
    """The entry returns no flag."""
    OVERFIRING = "over-firing"
    """The flag fires on more than `MAX_FLAG_FPR` of the null cases."""
    RANKED = "ranked"
    """The one ranked group of a track without flags."""
    CONTROL = "control"
    """Shown for orientation, not ranked."""
    DEGENERATE = "degenerate"
    """Scores with fewer than `LEAST_DISTINCT` distinct values: not ranked."""
    INCOMPLETE = "incomplete"
    """A case failed: not ranked."""
    WAITING = "waiting"
    """No result under this version yet."""


RANKED = (Group.CALIBRATED, Group.NO_FLAG, Group.OVERFIRING, Group.RANKED)
"""The groups whose rows have ranks, best first."""


@dataclass(frozen=True)
class Standing:
    """One row of a table."""

    entry: str
    """The entry's id."""
    group: Group
    """The group it stands in."""
    result: Result | None = None
    """Its result under this version; None while it waits for one."""
    value: float | None = None
    """The ranking metric; None where it has no value."""
    interval: tuple[float, float] | None = None
    """The ranking metric's 95% interval."""
    rank: tuple[int, int] | None = None
    """Best and worst rank that the paired bootstrap allows; None when unranked."""
    mark: str = ""
    """Letters: rows of a group that share one cannot be told apart."""
    stale: bool = False
    """The version's data or metrics are no longer those of the result."""
    changed: bool = False
    """The entry is no longer the one that was scored."""
    note: str = ""
    """Why the row is unranked or marked, in one sentence."""


@dataclass(frozen=True)
class Standings:
    """The table of one version of a track."""

    track: Track
    """The track."""
    version: Version
    """The version whose results these are."""
    rows: tuple[Standing, ...]
    """In the order they are shown: by group, best first, rows without a value last."""
    told_apart: frozenset[tuple[str, str]]
    """Pairs (better, worse) of one group whose paired difference excludes 0."""

    @cached_property
    def by_entry(self) -> Mapping[str, Standing]:
        """The rows by their entries."""
        return {row.entry: row for row in self.rows}

    @cached_property
    def by_value(self) -> tuple[tuple[float, Standing], ...]:
        """The rows that have a value, with it, the lowest value first."""
        valued = [(row.value, row) for row in self.rows if row.value is not None]
        return tuple(sorted(valued, key=lambda pair: (pair[0], pair[1].entry)))

    def row(self, entry: str) -> Standing:
        """The row of an entry. Raises KeyError when it has none."""
        return self.by_entry[entry]

    def level_with(self, entry: str) -> tuple[str, ...]:
        """The other entries of an entry's group that it cannot be told apart from, in table order."""
        row = self.row(entry)
        others = (other for other in self.rows if other.group is row.group and other is not row)
        return tuple(
            other.entry
            for other in others
            if (entry, other.entry) not in self.told_apart and (other.entry, entry) not in self.told_apart
        )


def standings(
    track: Track,
    version: Version,
    results: Iterable[Result],
    entries: Sequence[Entry],
    suite: str = "full",
) -> Standings:
    """The table of a track's version from the results that belong to it, on the cases of `suite`.

    results: of any tracks; those on other versions or other seeds are left out. entries: the
    folders there are now, which say who is a control, who changed and who waits for a score.
    """
    by_entry = {entry.id: entry for entry in entries if track.key in entry.tracks}
    table = _Table(track, version, frozenset(key.id for key in version.keys(suite)))
    candidates = sorted(
        (
            _candidate(table, result, by_entry.get(result.entry))
            for result in results
            if _belongs(table, result, suite)
        ),
        key=lambda candidate: _order(version, candidate.row),
    )
    told: set[tuple[str, str]] = set()
    ranked: list[Standing] = []
    for group in RANKED:
        members = [candidate for candidate in candidates if candidate.row.group is group]
        better = _better(members)
        told |= _pairs(members, better)
        ranked += _ranks(members, better, first=len(ranked) + 1)
    scored = {candidate.row.entry for candidate in candidates}
    current = version is track.current and suite == "full"
    waiting = [_waiting(track, name) for name in sorted(by_entry) if current and name not in scored]
    others = [candidate.row for group in Group for candidate in candidates if candidate.row.group is group]
    unranked = [row for row in others if row.group not in RANKED]
    return Standings(track, version, (*_marked(ranked, told), *unranked, *waiting), frozenset(told))


@dataclass(frozen=True)
class _Table:
    """What all rows of one table share."""

    track: Track
    """The track."""
    version: Version
    """The version."""
    cases: frozenset[str]
    """The ids of the cases rows are compared on."""


@dataclass(frozen=True)
class _Candidate:
    """A row before it has a rank."""

    row: Standing
    """The row."""
    draws: FloatArray | None
    """Its ranking metric in every resample (b,), larger is better; None without a value."""


def _belongs(table: _Table, result: Result, suite: str) -> bool:
    place = (result.track, result.version, result.seed_offset)
    return place == (table.track.key, table.version.number, 0) and suite in ("quick", result.suite)


def _order(version: Version, row: Standing) -> tuple[bool, float, str]:
    """Best first, rows without a value last, then by name."""
    sign = -1.0 if METRICS[version.ranking].higher_is_better else 1.0
    return (row.value is None, sign * (row.value or 0.0), row.entry)


def _candidate(table: _Table, result: Result, entry: Entry | None) -> _Candidate:
    """A result as a row without rank, in its group."""
    version, metric = table.version, METRICS[table.version.ranking]
    outcomes = [outcome for outcome in result.outcomes if outcome.key.id in table.cases]
    row = Standing(
        entry=result.entry,
        group=Group.INCOMPLETE,
        result=result,
        stale=is_stale(version, result),
        changed=entry is not None and entry.digest != result.digests.entry,
        note=_why_incomplete(outcomes, len(table.cases)),
    )
    if row.note:
        return _Candidate(row, None)
    columns = Columns.of(outcomes)
    row = replace(row, group=_group(table.track, entry, columns), note=_why_degenerate(columns))
    try:
        value = float(metric.compute(columns, ones(columns))[0])
    except UndefinedMetric as undefined:
        return _Candidate(replace(row, note=f"{metric.title}: {undefined}."), None)
    drawn = draws(version, columns, version.ranking)
    row = replace(row, value=value, interval=interval(drawn))
    return _Candidate(row, drawn if metric.higher_is_better else -drawn)


def _group(track: Track, entry: Entry | None, columns: Columns) -> Group:
    if entry is not None and entry.kind == "control":
        return Group.CONTROL
    if _why_degenerate(columns):
        return Group.DEGENERATE
    if not track.grouped_by_flag:
        return Group.RANKED
    if columns.flag is None:
        return Group.NO_FLAG
    fpr = float(METRICS["fpr"].compute(columns, ones(columns))[0])
    return Group.CALIBRATED if fpr <= MAX_FLAG_FPR else Group.OVERFIRING


def _why_degenerate(columns: Columns) -> str:
    """Why the scores say next to nothing, in a sentence; empty where they do say something."""
    if columns.score is None or (distinct := len(np.unique(columns.score))) >= LEAST_DISTINCT:
        return ""
    return f"Its scores hold only {distinct} distinct value{'s' if distinct > 1 else ''}."


def _why_incomplete(outcomes: Sequence[Outcome], wanted: int) -> str:
    """How many cases are missing, or failed and how the first did, in a sentence; empty when all are ok."""
    failed = [outcome for outcome in outcomes if outcome.status is not Status.OK]
    if len(outcomes) != wanted:
        return f"It holds {len(outcomes)} of the {wanted} cases."
    if not failed:
        return ""
    first = failed[0]
    more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
    return (
        f"{len(failed)} of {len(outcomes)} cases failed ({first.key.id}{more}): "
        f"{first.status.value}: {first.reason}"
    )


def _waiting(track: Track, name: str) -> Standing:
    return Standing(name, Group.WAITING, note=f"It has no result under version {track.version} yet.")


def _better(members: Sequence[_Candidate]) -> BoolArray:
    """bool (n, n): whether member i is better than j beyond what resampling the shared cases undoes.

    i is better when at most (1 - COVERAGE) / 2 of the resamples put it level with or behind j.
    A member without a value is behind all that have one.
    """
    valued = np.array([member.draws is not None for member in members], dtype=np.bool_)
    better = valued[:, None] & ~valued[None, :]
    draws = [member.draws for member in members if member.draws is not None]
    if draws:
        better[np.ix_(valued, valued)] = _beyond_chance(np.stack(draws))
    return better


def _beyond_chance(draws: FloatArray) -> BoolArray:
    """bool (n, n) from draws (n, b), larger is better: i above j in nearly all of the b resamples.

    A draw that is NaN is above none and below none. Where i is above j in all but k resamples, every order
    statistic of j is below the one of i that is k places higher, so only such pairs are counted out.
    """
    count, size = draws.shape
    allowed = (1 - COVERAGE) / 2 * size
    middle = (size - int(allowed)) // 2
    ordered = np.sort(draws, axis=1)
    lower, upper = ordered[:, middle], ordered[:, middle + int(allowed)]
    order = np.argsort(lower)
    found = np.zeros((count, count), dtype=np.bool_)
    for start in range(0, count, BLOCK):
        block = order[start : start + BLOCK]
        against = draws[block]
        for i in np.flatnonzero(~(upper <= lower[block[0]])):
            found[i, block] = size - np.count_nonzero(draws[i] > against, axis=1) <= allowed
    return found


def _pairs(members: Sequence[_Candidate], better: BoolArray) -> set[tuple[str, str]]:
    return {(members[i].row.entry, members[j].row.entry) for i, j in np.argwhere(better)}


def _ranks(members: Sequence[_Candidate], better: BoolArray, first: int) -> list[Standing]:
    """The members' rows with the ranks that the pairs told apart leave open, starting at `first`."""
    above, below = better.sum(axis=0), better.sum(axis=1)
    last = first + len(members) - 1
    return [
        replace(member.row, rank=(first + int(above[i]), last - int(below[i])))
        for i, member in enumerate(members)
    ]


def _marked(rows: Sequence[Standing], told: set[tuple[str, str]]) -> list[Standing]:
    """The rows with a letter for every longest run of a group's neighbors none of which are told apart."""
    marks: dict[str, str] = {row.entry: "" for row in rows}
    letter, end = 0, 0
    apart = _last_apart(rows, told)
    for start in range(len(rows)):
        stop = max(start + 1, end)
        while stop < len(rows) and apart[stop] < start:
            stop += 1
        if stop - start > 1 and stop > end:
            for row in rows[start:stop]:
                marks[row.entry] += _letter(letter)
            letter += 1
        end = max(end, stop)
    return [replace(row, mark=marks[row.entry]) for row in rows]


def _last_apart(rows: Sequence[Standing], told: set[tuple[str, str]]) -> list[int]:
    """For each row the place of the nearest row above that is of another group or told apart; -1 for none."""
    place = {row.entry: number for number, row in enumerate(rows)}
    groups = [row.group for row in rows]
    last = [groups.index(group) - 1 for group in groups]
    for pair in told:
        upper, lower = sorted(place[entry] for entry in pair)
        last[lower] = max(last[lower], upper)
    return last


def _letter(number: int) -> str:
    """a to z, then a1 to z1, and so on."""
    turn, place = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[place] + (str(turn) if turn else "")
