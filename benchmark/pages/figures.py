"""What the large figures of a track's page share: color schemes, empty panels, SVG text."""

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure


@dataclass(frozen=True)
class Scheme:
    """The colors of one color scheme of the site."""

    name: str
    """`light` or `dark`, as the theme's `#only-` marks have it."""
    ink: str
    """Text."""
    quiet: str
    """Axes, grid and what is not named."""
    lines: tuple[str, ...]
    """Named lines, in order."""
    pair: tuple[str, str]
    """Two groups of points: the ends of cividis, brought closer to the page's ink."""


SCHEMES = (
    Scheme(
        "light", "#1c1e26", "#8a8f9c",
        (
            "#3949ab", "#00796b", "#c2185b", "#bf5600", "#4e7d1f",
            "#7b1fa2", "#6d4c41", "#0277bd", "#827717", "#37474f",
        ),
        ("#00224e", "#c9a400"),
    ),
    Scheme(
        "dark", "#e6e8f0", "#858b9c",
        (
            "#9fa8ff", "#4dd0c0", "#ff80ab", "#ffb066", "#aed581",
            "#ce93d8", "#d0b0a5", "#64c4ff", "#dce775", "#b0bec5",
        ),
        ("#7fa6e8", "#fee838"),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Drawing:
    """A figure in both color schemes."""

    name: str
    """The stem of its file names."""
    alt: str
    """What it shows, for those who cannot see it."""
    files: Mapping[str, str]
    """SVG text by color scheme."""


def drawing_settings() -> AbstractContextManager[None]:
    """What all figures share while they are drawn and written."""
    return matplotlib.rc_context(
        {
            "svg.hashsalt": "leaderboard",
            "svg.fonttype": "none",
            "font.size": 9.0,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    )


def panel(scheme: Scheme, width: float, height: float, right: float) -> tuple[Figure, Axes]:
    """An empty panel of `width` x `height` inches whose axes end at the share `right` of its width."""
    with drawing_settings():
        figure = Figure(figsize=(width, height))
        axes = figure.add_axes((0.135, 0.145, right - 0.135, 0.765))
    axes.tick_params(colors=scheme.ink, labelsize=8, length=3)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(scheme.quiet)
    return figure, axes


def svg_text(figure: Figure) -> str:
    """The figure as SVG text that is the same on every run."""
    buffer = io.StringIO()
    with drawing_settings():
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def in_schemes(draw: Callable[[Scheme], str]) -> dict[str, str]:
    """What `draw` makes as SVG text, by color scheme: drawn in the first, with the other's colors put in."""
    first, *others = SCHEMES
    text = draw(first)
    return {first.name: text} | {other.name: _recolored(text, first, other) for other in others}


def _recolored(text: str, old: Scheme, new: Scheme) -> str:
    """SVG text whose fills and strokes of one scheme are those of another."""
    colors = dict(zip(_colors(old), _colors(new), strict=True))
    return _PAINT.sub(lambda match: match[1] + colors.get(match[2], match[2]), text)


def _colors(scheme: Scheme) -> tuple[str, ...]:
    return (scheme.ink, scheme.quiet, *scheme.lines, *scheme.pair)


_PAINT = re.compile(r"\b((?:fill|stroke): )(#[0-9a-f]{6})(?=[;\"])")


def drawn(drawings: Sequence[Drawing]) -> Iterator[tuple[str, str]]:
    """File names and contents of all drawings."""
    for drawing in drawings:
        for scheme, text in drawing.files.items():
            yield f"{drawing.name}-{scheme}.svg", text


def short(name: str, longest: int = 29) -> str:
    """A name short enough for a label."""
    return name if len(name) <= longest else name[: longest - 1].rstrip() + "…"


def spread(wanted: Sequence[float], gap: float, top: float) -> list[float]:
    """Heights near the `wanted` ones (ascending), at least `gap` apart and, by moving down, at most `top`."""
    heights: list[float] = []
    for height in wanted:
        heights.append(max(height, heights[-1] + gap) if heights else height)
    limit = top
    for place in reversed(range(len(heights))):
        heights[place] = min(heights[place], limit)
        limit = heights[place] - gap
    return heights
