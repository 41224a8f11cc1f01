"""What the hand-written pages include: all that comes from tracks, metrics and the citation file."""

from collections.abc import Iterator
from dataclasses import dataclass

import jinja2

from benchmark.metrics import METRICS
from benchmark.pages.citation import Citation, site_bibtex
from benchmark.pages.gather import Board
from benchmark.pages.metadata import served_at
from benchmark.pages.notes import MetricNote, metric_notes, symbols
from benchmark.scaffold import descriptor_text, function_names
from benchmark.tracks.spec import Track

NAME = "my_method"
"""What the pages call an entry that a reader might write."""
PARTS = {
    "commands": ".parts/commands.html",
    "takes": ".parts/takes.html",
    "wholes": ".parts/wholes.md",
    "ranked": ".parts/ranked.html",
    "formulas": ".parts/formulas.html",
    "cite": ".parts/cite.html",
}
"""The templates of the parts, and where each goes below site/leaderboard/."""


@dataclass(frozen=True)
class Whole:
    """A complete entry of a track, as `new_entry.py` writes it."""

    track: Track
    """The track."""
    descriptor: str
    """Its entry.toml."""
    method: str
    """Its method.py."""


@dataclass(frozen=True)
class Formula:
    """The definition of a metric with the tracks that use it."""

    note: MetricNote
    """The definition."""
    tracks: tuple[Track, ...]
    """The tracks whose current version has it."""


def written_parts(board: Board, templates: jinja2.Environment, citation: Citation) -> dict[str, str]:
    """The parts by their paths below site/leaderboard/; MkDocs passes over names that begin with a dot."""
    tracks = [found.track for found in board.tracks]
    facts = {
        "name": NAME,
        "tracks": tracks,
        "metrics": METRICS,
        "wholes": [whole(track) for track in tracks],
        "formulas": list(_formulas(tracks)),
        "symbols": list(dict.fromkeys(one for track in tracks for one in symbols(track.current))),
        "bibtex": site_bibtex(citation, board, served_at()),
    }
    return {path: templates.get_template(f"parts/{name}.j2").render(facts) for name, path in PARTS.items()}


def whole(track: Track) -> Whole:
    """The complete small entry of a track, from its own scaffold."""
    return Whole(track, descriptor_text(NAME, [track], function_names([track])), track.scaffold)


def _formulas(tracks: list[Track]) -> Iterator[Formula]:
    """The definitions of all current metrics, each once, in the order of tracks."""
    notes: dict[str, MetricNote] = {}
    users: dict[str, list[Track]] = {}
    for track in tracks:
        for note in metric_notes(track.current):
            key = f"{note.title} {note.formula}"
            notes.setdefault(key, note)
            users.setdefault(key, []).append(track)
    for key, note in notes.items():
        yield Formula(note, tuple(users[key]))
