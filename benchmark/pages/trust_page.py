"""The page on trust: controls, what is out of order, fresh seeds, verifications."""

from collections.abc import Iterator
from dataclasses import dataclass

import jinja2

from benchmark.fresh import Commitment
from benchmark.metrics import METRICS
from benchmark.pages.figures import drawn
from benchmark.pages.fresh_figure import fresh_drawings
from benchmark.pages.gather import Board, folder_of
from benchmark.pages.render import Page
from benchmark.pages.tables import HEADINGS, remarks
from benchmark.pages.track_page import Files, Output
from benchmark.ranking import Group, Standing, Standings
from benchmark.verified import Verification

FOLDER = "trust"
OUT_OF_ORDER = (Group.DEGENERATE, Group.INCOMPLETE)
"""The groups whose rows are told, each with its note."""


@dataclass(frozen=True)
class Stop:
    """A stop on the way from an entry to a row."""

    title: str
    """What it is called."""
    about: str
    """What happens there, in a few words."""
    person: bool = False
    """Whether a person does it."""


WAY = (
    Stop("Entry", "someone writes a method: one folder, in a pull request", person=True),
    Stop("Preview", "checked, scored in the sandbox, told in a comment, kept nowhere"),
    Stop("Review", "a maintainer reads the method and merges it", person=True),
    Stop("Cases", "made from public seeds, and from a secret key; the truth stays with the scorer"),
    Stop("Calls", "isolated, each case on its own; answers checked; failures kept as failures"),
    Stop("Metrics", "each with a 95% interval from drawing the cases again"),
    Stop("Result", "one file with every case, digests, machine and commit"),
    Stop("Row", "rank interval and ties, worked out anew at every build"),
    Stop("Again", "each week some results are scored again and compared"),
)
"""The way from an entry to a row."""


@dataclass(frozen=True)
class Oddity:
    """A row that a reader should know of."""

    standings: Standings
    """The table it stands in."""
    row: Standing
    """The row."""
    words: tuple[str, ...]
    """What is to be said of it."""


@dataclass(frozen=True)
class Checked:
    """A verification."""

    standings: Standings
    """The table of its result."""
    row: Standing
    """Its row."""
    found: Verification
    """What came of it."""


@dataclass(frozen=True)
class Seeds:
    """The key of a version's fresh seeds."""

    standings: Standings
    """The version's table."""
    key: Commitment
    """The key."""


def trust_output(board: Board, templates: jinja2.Environment) -> Output:
    """The page, and the figures it shows."""
    drawings = fresh_drawings(board)
    body = templates.get_template("trust.md.j2").render(
        faces=board.faces,
        up="../",
        way=WAY,
        controls=[
            (table, row) for table in _current(board) for row in table.rows if row.group is Group.CONTROL
        ],
        oddities=list(_oddities(board)),
        drawings=drawings,
        checked=sorted(_checked(board), key=lambda one: one.found.verified_at, reverse=True),
        results=sum(row.result is not None for table in _all(board) for row in table.rows),
        seeds=list(_seeds(board)),
        tracks=[found.track for found in board.tracks],
        metrics=METRICS,
        folder_of=folder_of,
    )
    about = (
        "What controls score, what is out of order, public against fresh seeds, and what was scored again."
    )
    files: Files = {f"{FOLDER}/{name}": text for name, text in drawn(drawings)}
    return Output((Page(f"{FOLDER}/index.md", "Can I trust these numbers?", about, body, wide=True),), files)


def _current(board: Board) -> Iterator[Standings]:
    return (found.current for found in board.tracks)


def _all(board: Board) -> Iterator[Standings]:
    return (table for found in board.tracks for table in found.all)


def _oddities(board: Board) -> Iterator[Oddity]:
    """The rows of current tables that are not as they should be, in table order."""
    for table in _current(board):
        for row in table.rows:
            said = remarks(row, table.version.ranking)
            words = (*_kind(row), *said, *_unsteady(row), *_failed(board, row))
            if words:
                yield Oddity(table, row, words)


def _kind(row: Standing) -> Iterator[str]:
    if row.group in OUT_OF_ORDER:
        yield f"{HEADINGS[row.group].split(' (')[0].lower()}: {row.note}"


def _unsteady(row: Standing) -> Iterator[str]:
    twice = row.result.determinism if row.result else None
    if twice is not None and twice.differing:
        yield f"{twice.differing} of {twice.cases} cases that were run twice were answered otherwise"


def _failed(board: Board, row: Standing) -> Iterator[str]:
    found = board.verification(row.result)
    if found is not None and not found.stands:
        yield f"did not reproduce on {found.verified_at[:10]}"


def _checked(board: Board) -> Iterator[Checked]:
    for table in _all(board):
        for row in table.rows:
            found = board.verification(row.result)
            if found is not None:
                yield Checked(table, row, found)


def _seeds(board: Board) -> Iterator[Seeds]:
    for table in _all(board):
        key = board.key(table)
        if key is not None:
            yield Seeds(table, key)
