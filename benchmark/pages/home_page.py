"""The generated part of the home page, which the hand-written site/index.md includes."""

from dataclasses import dataclass

import jinja2

from benchmark.metrics import METRICS
from benchmark.pages.gather import Board, TrackBoard, scored, scored_at
from benchmark.pages.svg import Strip, strip
from benchmark.pages.tables import HEADINGS
from benchmark.pages.verdict import leaders
from benchmark.ranking import Standing, Standings

RECENT = 5
"""How many results the home page lists."""
PATHS = {"cards": ".parts/cards.html", "recent": ".parts/recent.html"}
"""Where the parts go, below site/leaderboard/; MkDocs passes over names that begin with a dot."""


@dataclass(frozen=True)
class Card:
    """A track on the home page."""

    standings: Standings
    """Its current table."""
    leaders: tuple[Standing, ...]
    """Who leads; several where they cannot be told apart."""
    group: str
    """The heading of the leaders' group."""
    metric: str
    """What the table is ranked by, within a sentence."""
    entries: int
    """How many entries have a result."""
    strip: Strip
    """All entries."""


@dataclass(frozen=True)
class News:
    """A result that was made lately."""

    standings: Standings
    """The table it stands in."""
    row: Standing
    """Its row."""
    day: str
    """When it was scored."""


def home_parts(board: Board, templates: jinja2.Environment) -> dict[str, str]:
    """The parts by their paths below site/leaderboard/."""
    cards = [_card(board, found) for found in board.tracks]
    found = {"cards": cards, "recent": _recent(board), "faces": board.faces, "up": "leaderboard/"}
    return {path: templates.get_template(f"{name}.html.j2").render(found) for name, path in PATHS.items()}


def _card(board: Board, found: TrackBoard) -> Card:
    table = found.current
    first = tuple(leaders(table))
    return Card(
        standings=table,
        leaders=first,
        group=HEADINGS[first[0].group] if first else "",
        metric=METRICS[table.version.ranking].inline,
        entries=len(scored(table)),
        strip=strip(table, board.faces),
    )


def _recent(board: Board) -> list[News]:
    """The latest results under current versions, the newest first."""
    news = [
        (row.result.timing.scored_at, row.entry, News(found.current, row, scored_at(row)))
        for found in board.tracks
        for row in found.current.rows
        if row.result
    ]
    news.sort(key=lambda item: item[1])
    news.sort(key=lambda item: item[0], reverse=True)
    return [item[2] for item in news[:RECENT]]
