"""The results of an entry, one for each version, newest first."""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmark.entries import Entry
from benchmark.metrics import METRICS
from benchmark.pages.badges import standing_text
from benchmark.pages.gather import TrackBoard, folder_of
from benchmark.ranking import Standing, Standings

COMMIT = 10
"""How many characters of a commit are shown."""


@dataclass(frozen=True)
class Past:
    """A result of an entry under one version."""

    folder: str
    """Where the page of its table lies, below site/leaderboard/."""
    version: str
    """The version's number."""
    metric: str
    """What ranks its table."""
    value: float | None
    """Its value of that; None where it has none."""
    interval: tuple[float, float] | None
    """The 95% interval."""
    rank: str
    """Where it stands there, in a few words."""
    scored_at: str
    """When it was scored, to the minute, in UTC."""
    commit: str
    """The commit it was scored at, shortened."""
    files: str
    """Whether the entry's files were those it has now."""


def history(found: TrackBoard, name: str, entry: Entry | None) -> tuple[Past, ...]:
    """The results of the entry called `name` on a track; entry: its folder, None where it is gone."""
    return tuple(_pasts(found, name, entry))


def _pasts(found: TrackBoard, name: str, entry: Entry | None) -> Iterator[Past]:
    for table in found.all:
        for row in table.rows:
            if row.entry == name and row.result is not None:
                yield _past(table, row, entry)


def _past(table: Standings, row: Standing, entry: Entry | None) -> Past:
    assert row.result is not None
    text = standing_text(table, row)
    return Past(
        folder=folder_of(table),
        version=table.version.number,
        metric=METRICS[table.version.ranking].title,
        value=row.value,
        interval=row.interval,
        rank=text.removeprefix("rank "),
        scored_at=row.result.timing.scored_at[:16].replace("T", " "),
        commit=(row.result.environment.commit or "unknown")[:COMMIT],
        files=_files(row.result.digests.entry, entry),
    )


def _files(digest: str, entry: Entry | None) -> str:
    if entry is None:
        return "gone since"
    return "as now" if entry.digest == digest else "changed since"
