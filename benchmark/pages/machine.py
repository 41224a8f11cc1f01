"""The whole board as one JSON file for programs."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from benchmark.metrics import METRICS
from benchmark.pages.downloads import records
from benchmark.pages.gather import Board, TrackBoard, folder_of
from benchmark.pages.tables import main_table
from benchmark.ranking import Standings
from benchmark.stored import Record, canonical_text

FILE_NAME = "leaderboard.json"
"""The file, below site/leaderboard/."""


class MetricRow(Record):
    """A metric of the tables."""

    title: str
    """Its name."""
    about: str
    """What it says."""
    higher_is_better: bool
    """Its direction."""
    chance: float | None
    """What an uninformed entry scores; null where there is no such value."""


class EntryRow(Record):
    """An entry."""

    title: str
    """Its name; its id where its folder is gone."""
    kind: str
    """`method` or `control`."""
    family: str
    """The kind of method."""
    summary: str
    """What it does, in a sentence; empty where its folder is gone."""
    authors: list[str]
    """Who wrote it."""
    page: str
    """Its page, beside this file."""


class VersionTable(Record):
    """The table of one version of a track, as shown."""

    number: str
    """The version."""
    current: bool
    """Whether it is the track's current one."""
    ranking: str
    """The metric that orders the rows."""
    cases: int
    """How many cases it has."""
    page: str
    """Its page, beside this file."""
    rows: list[dict[str, str | float | None]]
    """The rows in table order: group, ranks, entry, every number with its interval, remarks."""


class TrackRow(Record):
    """A track."""

    title: str
    """Its name."""
    question: str
    """What it asks."""
    versions: list[VersionTable]
    """Newest first."""


class Leaderboard(Record):
    """All tables of the site."""

    schema_: Literal[1] = Field(alias="schema")
    """The layout's version."""
    tracks: dict[str, TrackRow]
    """By key."""
    entries: dict[str, EntryRow]
    """By id."""
    metrics: dict[str, MetricRow]
    """By name, of all columns that are metrics."""


def leaderboard_json(board: Board) -> str:
    """The board as JSON: every table as shown, numbers in full precision, null for none."""
    used = sorted({name for found in board.tracks for s in found.all for name in s.version.metrics})
    return canonical_text(
        Leaderboard(
            schema=1,
            tracks={found.track.key: _track(board, found) for found in board.tracks},
            entries=dict(_entries(board)),
            metrics={name: _metric(name) for name in used},
        )
    )


def _track(board: Board, found: TrackBoard) -> TrackRow:
    versions = [_table(board, standings, standings is found.current) for standings in found.all]
    return TrackRow(title=found.track.title, question=found.track.question, versions=versions)


def _table(board: Board, standings: Standings, current: bool) -> VersionTable:
    version = standings.version
    return VersionTable(
        number=version.number,
        current=current,
        ranking=version.ranking,
        cases=len(version.keys()),
        page=f"{folder_of(standings)}/index.html",
        rows=list(records(main_table(standings, board.faces, board.verified(standings)))),
    )


def _entries(board: Board) -> Iterator[tuple[str, EntryRow]]:
    for name, face in board.faces.items():
        entry = board.entries.get(name)
        yield (
            name,
            EntryRow(
                title=face.title,
                kind="control" if face.control else "method",
                family=face.family,
                summary=entry.summary if entry else "",
                authors=list(entry.authors) if entry else [],
                page=face.page,
            ),
        )


def _metric(name: str) -> MetricRow:
    metric = METRICS[name]
    return MetricRow(
        title=metric.title,
        about=metric.about,
        higher_is_better=metric.higher_is_better,
        chance=metric.chance,
    )
