"""Preview cards of the tracks, which other sites show beside a link."""

import io
from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmark.metrics import METRICS
from benchmark.pages.axis import axis_for, number
from benchmark.pages.figures import SCHEMES, drawing_settings, short
from benchmark.pages.gather import Board, Face
from benchmark.ranking import Standing, Standings

SIZE, DPI = (12.0, 6.3), 100
"""1200 x 630 pixels, as Open Graph wants it."""
ROWS = 5
"""How many entries a card shows."""
PAPER = "#ffffff"
FOLDER = "cards"


def cards(board: Board) -> dict[str, bytes]:
    """The PNG of each track's card, by path below site/leaderboard/."""
    return {card_of(found.current): card(found.current, board.faces) for found in board.tracks}


def card_of(table: Standings) -> str:
    """Where the card of a track is, below site/leaderboard/."""
    return f"{FOLDER}/{table.track.key}.png"


def card(table: Standings, faces: Mapping[str, Face]) -> bytes:
    """The card of a track, a PNG of 1200 x 630 pixels: its question and its first entries with intervals."""
    scheme = SCHEMES[0]
    with drawing_settings():
        figure = Figure(figsize=SIZE, dpi=DPI, facecolor=PAPER)
        figure.text(0.05, 0.9, "Shortcut Leaderboard", color=scheme.quiet, fontsize=17)
        figure.text(0.05, 0.78, table.track.title, color=scheme.ink, fontsize=40, fontweight="bold")
        figure.text(0.05, 0.70, table.track.question, color=scheme.ink, fontsize=18, parse_math=False)
        axes = figure.add_axes((0.40, 0.11, 0.45, 0.48))
    rows = [row for row in table.rows if row.value is not None and row.rank is not None][:ROWS]
    _draw(axes, table, rows, faces)
    buffer = io.BytesIO()
    with drawing_settings():
        figure.savefig(buffer, format="png", facecolor=PAPER, metadata={"Software": None})
    return buffer.getvalue()


def _draw(axes: Axes, table: Standings, rows: list[Standing], faces: Mapping[str, Face]) -> None:
    scheme, metric = SCHEMES[0], METRICS[table.version.ranking]
    values = [row.value or 0.0 for row in rows]
    spans = [row.interval or (value, value) for row, value in zip(rows, values, strict=True)]
    axis = axis_for(metric, [end for span in spans for end in span])
    for place, (row, value, span) in enumerate(zip(rows, values, spans, strict=True)):
        (bar,) = axes.plot(span, [place, place], color=scheme.lines[0], alpha=0.35, linewidth=11)
        bar.set_solid_capstyle("butt")
        axes.plot([value] * 2, [place - 0.25, place + 0.25], color=scheme.lines[0], linewidth=3)
        _write(axes, -0.04, place, short(faces[row.entry].title))
        _write(axes, 1.04, place, number(value))
    if metric.chance is not None:
        axes.axvline(metric.chance, color=scheme.quiet, linewidth=1, linestyle=(0, (2, 3)))
    axes.set_xlim(axis.low - 0.01, axis.high + 0.01)
    axes.set_ylim(ROWS - 0.4, -0.6)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.spines["bottom"].set_color(scheme.quiet)
    axes.tick_params(colors=scheme.ink, labelsize=14)
    axes.set_xlabel(f"{metric.title}, 95% interval", color=scheme.quiet, fontsize=15)


def _write(axes: Axes, x: float, row: int, text: str) -> None:
    """Writes beside the axes: on their left text that ends there, on their right text that begins there."""
    axes.text(
        x,
        row,
        text,
        ha="right" if x < 0 else "left",
        va="center",
        fontsize=17,
        color=SCHEMES[0].ink,
        parse_math=False,
        transform=axes.get_yaxis_transform(),
    )
