"""What became of each entry from one version of a track to the next."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmark.metrics import METRICS
from benchmark.pages.gather import Face, TrackBoard, scored
from benchmark.pages.tables import HEADINGS
from benchmark.ranking import Standing, Standings

MOST_SHOWN = 100
"""How many rows a page shows; each entry's own page has its history."""


@dataclass(frozen=True)
class Move:
    """An entry under two versions, one after the other."""

    face: Face
    """The entry."""
    there: Standing | None
    """Its row under the earlier version; None without a result there."""
    here: Standing | None
    """Its row under the later one; None without a result here."""
    words: tuple[str, ...]
    """What to note, a few words each; none where its ranks still overlap."""


@dataclass(frozen=True)
class Moves:
    """All entries under two versions of a track, one after the other."""

    there: Standings
    """The table of the earlier version."""
    here: Standings
    """The table of the later one."""
    rows: tuple[Move, ...]
    """In the order of the later table, those that are not scored there last."""

    @property
    def shown(self) -> tuple[Move, ...]:
        """The first of the rows, as many as a page shows."""
        return self.rows[:MOST_SHOWN]

    @property
    def metrics(self) -> tuple[str, str]:
        """What ranks the earlier table and the later one."""
        return METRICS[self.there.version.ranking].title, METRICS[self.here.version.ranking].title

    @property
    def up(self) -> list[Face]:
        """The entries all of whose ranks here are better than all they had there."""
        return [move.face for move in self.rows if _better(move.here, move.there)]

    @property
    def down(self) -> list[Face]:
        """The entries all of whose ranks here are worse than all they had there."""
        return [move.face for move in self.rows if _better(move.there, move.here)]


def moves(there: Standings, here: Standings, faces: Mapping[str, Face]) -> Moves:
    """What became of each entry from the table `there` to the table `here` of the version after it."""
    before = {row.entry: row for row in scored(there)}
    after = {row.entry: row for row in scored(here)}
    rows = [_move(faces[name], before.get(name), after.get(name)) for name in {**after, **before}]
    return Moves(there, here, tuple(rows))


def all_moves(found: TrackBoard, faces: Mapping[str, Face]) -> dict[str, Moves]:
    """By a version's number what moved since the version before it, where either has a result."""
    pairs = zip(found.all, found.older, strict=False)
    made = (moves(there, here, faces) for here, there in pairs)
    return {one.here.version.number: one for one in made if one.rows}


def _move(face: Face, there: Standing | None, here: Standing | None) -> Move:
    return Move(face, there, here, tuple(_words(there, here)))


def _words(there: Standing | None, here: Standing | None) -> Iterator[str]:
    if there is None or here is None:
        yield "new" if there is None else "not scored here"
        return
    if _better(here, there):
        yield "moved up"
    elif _better(there, here):
        yield "moved down"
    if here.group is not there.group:
        yield f"now in “{HEADINGS[here.group].split(' (')[0]}”"


def _better(one: Standing | None, other: Standing | None) -> bool:
    """Whether every rank open to `one` is better than every rank open to `other`."""
    if one is None or other is None or one.rank is None or other.rank is None:
        return False
    return one.rank[1] < other.rank[0]
