"""Small pictures that say where an entry stands, for its own pages elsewhere."""

from collections.abc import Iterator
from html import escape

from benchmark.pages.axis import rank_text
from benchmark.pages.gather import Board
from benchmark.ranking import RANKED, Group, Standing, Standings

WIDTHS = {**dict.fromkeys("fijl.,:;'|!() -", 4.2), **dict.fromkeys("mwMW", 10.2)}
"""How wide narrow and wide characters of an 11 px sans-serif font are, in px, with room to spare."""
USUAL_WIDTH = 6.9
MARGIN = 7
LEFT, RIGHT = "#3b3f4a", "#3949ab"
"""Behind the track's name and behind the rank; white on both is above 4.5:1."""
WORDS = {
    Group.CONTROL: "control",
    Group.DEGENERATE: "degenerate",
    Group.INCOMPLETE: "incomplete",
    Group.WAITING: "waiting",
}


def badges(board: Board) -> Iterator[tuple[str, str]]:
    """The path below site/leaderboard/ and the SVG of each row under a current version."""
    for found in board.tracks:
        for row in found.current.rows:
            yield badge_of(found.current, row), badge(found.track.title, standing_text(found.current, row))


def badge_of(table: Standings, row: Standing) -> str:
    """Where the badge of a row is, below site/leaderboard/."""
    return f"badges/{table.track.key}/{row.entry}.svg"


def standing_text(table: Standings, row: Standing) -> str:
    """Where a row stands in a few words, such as `rank 1–2 of 9`."""
    if row.rank is None:
        return WORDS.get(row.group, "not ranked")
    ranked = sum(other.group in RANKED for other in table.rows)
    return f"rank {rank_text(row.rank)} of {ranked}{', stale' if row.stale else ''}"


def badge(label: str, text: str) -> str:
    """An SVG of 20 px height with a label on the left and a text on the right."""
    left, right = _width(label), _width(text)
    name = escape(f"{label}: {text}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{name}"><title>{name}</title>'
        f'<rect width="{left}" height="20" fill="{LEFT}"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{RIGHT}"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2:g}" y="14">{escape(label)}</text>'
        f'<text x="{left + right / 2:g}" y="14">{escape(text)}</text></g></svg>\n'
    )


def _width(text: str) -> int:
    """How wide a text is with its margins, in px."""
    return round(sum(WIDTHS.get(character, USUAL_WIDTH) for character in text)) + 2 * MARGIN
