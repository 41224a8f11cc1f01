"""Number formats, the axis that rows share, and the colors of shaded cells."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from benchmark.metrics import Metric

DIGITS = 3
"""Decimals of a metric."""
CIVIDIS = (
    "#00224e", "#083370", "#35456c", "#4f576c", "#666970",
    "#7d7c78", "#948e77", "#aea371", "#c8b866", "#e5cf52", "#fee838",
)  # fmt: skip
"""The colors of matplotlib's cividis at tenths, from low to high."""
SHADES = 21
"""How many colors shaded cells have, evenly from low to high; the style sheet has a class for each."""
DARK_INK, LIGHT_INK = "#000000", "#ffffff"


@dataclass(frozen=True)
class Axis:
    """A span of values that several pictures share."""

    low: float
    """Its left end."""
    high: float
    """Its right end, above `low`."""
    chance: float | None
    """What an uninformed entry scores, where there is such a value."""

    def at(self, value: float) -> float:
        """Where `value` lies, from 0 at the left end to 100 at the right."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(max(share, 0.0), 1.0), 2)

    @property
    def ticks(self) -> tuple[float, ...]:
        """The values written below it: its ends and chance, less the low end where chance is close to it."""
        if self.chance is None or not 0 < self.at(self.chance) < 75:
            return (self.low, self.high)
        return (self.chance, self.high) if self.at(self.chance) < 25 else (self.low, self.chance, self.high)


def axis_for(metric: Metric, values: Iterable[float]) -> Axis:
    """An axis for `values` of a metric: from a round number below all of them to above all of them."""
    held = [*values, *([] if metric.chance is None else [metric.chance])]
    low, high = min(held, default=metric.low), max(held, default=metric.high)
    if math.isfinite(metric.high) and high > metric.high - 0.2:
        high = metric.high
    low, high = math.floor(low * 10) / 10, math.ceil(high * 10) / 10
    return Axis(low, high if high > low else low + 0.1, metric.chance)


def number(value: float | None, digits: int = DIGITS) -> str:
    """`value` with a fixed number of decimals and a true minus sign; empty for None."""
    if value is None:
        return ""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")


def signed(value: float) -> str:
    """`value` with its sign, a plus too; no sign where it rounds to 0."""
    text = number(value)
    return text if value < 0 or float(text) == 0 else f"+{text}"


def span(interval: tuple[float, float] | None, digits: int = DIGITS) -> str:
    """An interval as `0.912–0.987`; empty for None."""
    return "" if interval is None else f"{number(interval[0], digits)}–{number(interval[1], digits)}"


def rank_text(rank: tuple[int, int] | None) -> str:
    """A rank interval as `1–2`, or `3` where only one is open; empty when unranked."""
    if rank is None:
        return ""
    return str(rank[0]) if rank[0] == rank[1] else f"{rank[0]}–{rank[1]}"


def seconds(value: float | None) -> str:
    """A time in seconds, with two significant digits below 10; empty for None."""
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.3f}"


@dataclass(frozen=True)
class Shade:
    """The colors of a shaded cell."""

    step: int
    """Which of the `SHADES` it is, from 0; `lb-s0` and so on in the style sheet."""
    fill: str
    """Behind the number."""
    ink: str
    """Of the number, at least 4.5:1 against `fill`."""


def shade(metric: Metric, value: float) -> Shade:
    """The color nearest to `value` between chance (or the metric's worst value) and its best."""
    best, worst = (metric.high, metric.low) if metric.higher_is_better else (metric.low, metric.high)
    start = worst if metric.chance is None else metric.chance
    return shade_at(round(min(max((value - start) / (best - start), 0.0), 1.0) * (SHADES - 1)))


def shade_at(step: int) -> Shade:
    """The cividis color of a step, with the ink that is read on it."""
    fill = _cividis(step / (SHADES - 1))
    return Shade(step, fill, DARK_INK if _luminance(fill) > 0.179 else LIGHT_INK)


def _cividis(share: float) -> str:
    """The color at `share`, clipped to 0 to 1."""
    place = min(max(share, 0.0), 1.0) * (len(CIVIDIS) - 1)
    lower = min(int(place), len(CIVIDIS) - 2)
    pairs = zip(_channels(CIVIDIS[lower]), _channels(CIVIDIS[lower + 1]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * (place - lower)):02x}" for a, b in pairs)


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _luminance(color: str) -> float:
    """The relative luminance in [0, 1], as WCAG 2 defines it."""
    parts = [c / 255 for c in _channels(color)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
