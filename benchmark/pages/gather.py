"""Everything the pages show, gathered before the first one is written."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmark import fresh, gallery, verified
from benchmark.audit import load_all
from benchmark.entries import Entry, list_entries
from benchmark.fresh import Commitment, Commitments
from benchmark.ranking import Group, Standing, Standings, standings
from benchmark.records import Arrays
from benchmark.results import Result
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Track
from benchmark.verified import Verification


@dataclass(frozen=True)
class Face:
    """How an entry is named on a page, whether or not its folder is still there."""

    id: str
    """Its id."""
    title: str
    """Its name."""
    family: str
    """The kind of method; empty when its folder is gone."""
    control: bool
    """Whether it is a control."""

    @property
    def page(self) -> str:
        """Its page, below site/leaderboard/."""
        return f"entries/{self.id}.html"


@dataclass(frozen=True)
class TrackBoard:
    """A track with the standings of all its versions."""

    track: Track
    """The track."""
    current: Standings
    """The standings of its current version."""
    older: tuple[Standings, ...]
    """The standings of its earlier versions, newest first."""

    @property
    def all(self) -> tuple[Standings, ...]:
        """All standings, the current ones first."""
        return (self.current, *self.older)


@dataclass(frozen=True)
class Board:
    """Everything there is to show."""

    tracks: tuple[TrackBoard, ...]
    """In the order of `TRACKS`."""
    entries: Mapping[str, Entry]
    """By id."""
    faces: Mapping[str, Face]
    """By id, of every entry that has a folder or a result."""
    galleries: Mapping[Path, Arrays] = field(default_factory=dict)
    """The pictures of the results that have some, by the results' places."""
    keys: Mapping[tuple[str, str], Commitments] = field(default_factory=dict)
    """The keys of fresh seeds, by track and version."""
    verifications: Mapping[tuple[str, str, str], Verification] = field(default_factory=dict)
    """The last verification of each result, by track, version and entry."""

    def gallery(self, result: Result | None) -> Arrays | None:
        """The pictures of a result; None where it has none."""
        return None if result is None else self.galleries.get(result.place)

    def verification(self, result: Result | None) -> Verification | None:
        """When this very result was last scored again, and what came of it; None when it was not."""
        if result is None:
            return None
        found = self.verifications.get((result.track, result.version, result.entry))
        return found if found is not None and found.scored_at == result.timing.scored_at else None

    def verified(self, table: Standings) -> dict[str, Verification]:
        """The last verification of the results of a table that were scored again, by entry."""
        found = {row.entry: self.verification(row.result) for row in table.rows}
        return {name: one for name, one in found.items() if one is not None}

    def key(self, table: Standings) -> Commitment | None:
        """The key that new fresh scores of a version are made with; None where it has none."""
        keys = self.keys.get((table.track.key, table.version.number))
        return None if keys is None else keys.current

    def key_of(self, result: Result | None) -> Commitment | None:
        """The key that a result's fresh score was made with; None without such a score."""
        if result is None or result.fresh is None:
            return None
        keys = self.keys.get((result.track, result.version))
        return None if keys is None else keys.of(result.fresh.key_sha256)


def gather(root: Path) -> Board:
    """The board of the repository at `root`: its contrib/ and its committed results/.

    Raises EntryError and ResultError with all faults found.
    """
    return gather_from(root, list_entries(root / "contrib"), load_all(root / "results"))


def gather_from(root: Path, entries: list[Entry], results: list[Result]) -> Board:
    """The board of the repository at `root`, whose entries and results have been read.

    Raises ResultError for what lies beside the results and is not valid.
    """
    board = board_of(entries, results, tuple(TRACKS.values()))
    return replace(
        board,
        galleries=_galleries(root / "results", results),
        keys=_keys(root / "results"),
        verifications={one.place: one for one in verified.last(root / "results").results},
    )


def _keys(root: Path) -> dict[tuple[str, str], Commitments]:
    """The keys of fresh seeds below `root`. Raises ResultError for a file that is not valid."""
    found = [fresh.load(path) for path in sorted(root.glob(f"*/*/{fresh.FILE_NAME}"))]
    return {(one.track, one.version): one for one in found}


def _galleries(root: Path, results: list[Result]) -> dict[Path, Arrays]:
    """The pictures beside the results below `root`. Raises ResultError for others than a result names."""
    return {
        result.place: gallery.load(gallery.place_of(root / result.place), result.digests.gallery)
        for result in results
        if result.digests.gallery is not None
    }


def board_of(entries: list[Entry], results: list[Result], tracks: tuple[Track, ...]) -> Board:
    """The board of `entries` and `results` on `tracks`."""
    by_id = {entry.id: entry for entry in entries}
    names = sorted(by_id.keys() | {result.entry for result in results})
    return Board(
        tracks=tuple(_track_board(track, results, entries) for track in tracks),
        entries=by_id,
        faces={name: _face(name, by_id.get(name)) for name in names},
    )


def _track_board(track: Track, results: list[Result], entries: list[Entry]) -> TrackBoard:
    found = [standings(track, version, results, entries) for version in reversed(track.versions)]
    return TrackBoard(track, found[0], tuple(found[1:]))


def _face(name: str, entry: Entry | None) -> Face:
    if entry is None:
        return Face(name, name, "", control=False)
    return Face(name, entry.title, entry.family, entry.kind == "control")


def folder_of(table: Standings) -> str:
    """Where the page of a table lies, below site/leaderboard/."""
    key, version = table.track.key, table.version
    return key if version is table.track.current else f"{key}/{version.number}"


def scored(table: Standings) -> list[Standing]:
    """The rows that have a result."""
    return [row for row in table.rows if row.group is not Group.WAITING]


def scored_at(row: Standing) -> str:
    """The day a row was scored, such as 2026-03-01; empty without a result."""
    return row.result.timing.scored_at[:10] if row.result else ""
