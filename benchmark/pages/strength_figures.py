"""A metric by strength: a panel for each variant, entries named at their lines' ends."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from matplotlib.axes import Axes

from benchmark.metrics import METRICS, Metric
from benchmark.pages.axis import Axis, axis_for, number
from benchmark.pages.figures import Drawing, Scheme, in_schemes, panel, short, spread, svg_text
from benchmark.pages.gather import Face
from benchmark.ranking import RANKED, Group, Standing, Standings

TPR, FPR = "tpr", "fpr"
NAMED = 10
"""How many ranked entries a panel names and colors; the others are thin gray lines."""
MARKED = 100
"""With more entries only the named ones have a mark at each strength."""


def strength_drawings(table: Standings, faces: Mapping[str, Face], metric: str = "") -> list[Drawing]:
    """A metric by strength, one panel for each variant; empty where no row has a breakdown.

    metric: a key of `METRICS`; by default the one that ranks.
    """
    metric = metric or table.version.ranking
    panels = {variant: _curves(table, faces, metric, variant) for variant in table.version.variants}
    held = [value for curves in panels.values() for curve in curves for value in curve.values]
    shared = axis_for(METRICS[metric], held)
    found = []
    for variant, curves in panels.items():
        if curves:
            title = METRICS[metric].title
            look = _Look(METRICS[metric], variant, shared, table.track.strength_symbol)
            files = in_schemes(partial(_strength_panel, curves, look))
            alt = f"{title} by strength on {variant}; the numbers are in the table below."
            found.append(Drawing(f"{metric}-{variant}", alt, files))
    return found


@dataclass(frozen=True)
class _Look:
    """What a panel shows."""

    metric: Metric
    """Up."""
    variant: str
    """Its heading."""
    axis: Axis
    """The range that all panels share."""
    symbol: str
    """What a strength is called."""


@dataclass(frozen=True)
class _Curve:
    """One entry's line in a panel."""

    name: str
    """What it is called; empty for a line without a name."""
    place: int
    """Which of the scheme's colors it has."""
    control: bool
    """Whether it is dashed."""
    strengths: tuple[float, ...]
    """Across."""
    values: tuple[float, ...]
    """Up."""


def _curves(table: Standings, faces: Mapping[str, Face], metric: str, variant: str) -> list[_Curve]:
    ranked = [row for row in table.rows if row.group in RANKED]
    controls = [row for row in table.rows if row.group is Group.CONTROL]
    found = []
    for place, row in enumerate([*ranked, *controls]):
        values = _by_strength(row, metric, variant)
        if values:
            control = row.group is Group.CONTROL
            name = faces[row.entry].title if control or place < NAMED else ""
            found.append(_Curve(name, place, control, tuple(values), tuple(values.values())))
    return found


def flag_drawings(table: Standings, faces: Mapping[str, Face]) -> list[Drawing]:
    """How often flags fire on shortcuts by strength, each entry named with how often its fires on nulls."""
    if TPR not in table.version.breakdown:
        return []
    named = dict(faces)
    for row in table.rows:
        fpr = row.result.metrics.get(FPR) if row.result else None
        if fpr is not None:
            title = f"{number(fpr, 2)} {faces[row.entry].title}"
            named[row.entry] = replace(faces[row.entry], title=title)
    return strength_drawings(table, named, TPR)


def _by_strength(row: Standing, metric: str, variant: str) -> dict[float, float]:
    held = row.result.details.by_strength.get(metric, {}).get(variant, {}) if row.result else {}
    return {strength: held[str(strength)] for strength in sorted(map(float, held)) if str(strength) in held}


def _strength_panel(curves: Sequence[_Curve], look: _Look, scheme: Scheme) -> str:
    figure, axes = panel(scheme, width=4.4, height=3.3, right=0.54)
    if look.metric.chance is not None:
        axes.axhline(look.metric.chance, color=scheme.quiet, linewidth=0.7, linestyle=(0, (1, 2)))
    for curve in reversed(_joined(curves)):
        (line,) = axes.plot(curve.strengths, curve.values, color=_color(curve, scheme))
        line.set_marker("o" if curve.name or len(curves) <= MARKED else "")
        line.set(linewidth=1.6 if curve.name else 0.6, markersize=3, clip_on=False)
        line.set_linestyle((0, (4, 2)) if curve.control else "-")
    axes.set_xticks(curves[0].strengths)
    axes.set_ylim(look.axis.low - 0.02, look.axis.high + 0.02)
    _name_lines(axes, [curve for curve in curves if curve.name], scheme)
    axes.set_title(look.variant, loc="left", color=scheme.ink, fontweight="bold", fontsize=10)
    axes.set_ylabel(look.metric.title, color=scheme.ink)
    axes.set_xlabel(f"strength {look.symbol}", color=scheme.ink)
    return svg_text(figure)


def _joined(curves: Sequence[_Curve]) -> list[_Curve]:
    """The curves with all those without a name as one broken line, which is drawn as fast as one."""
    named, others = [c for c in curves if c.name], [c for c in curves if not c.name]
    if not others:
        return named
    across = chain.from_iterable((*curve.strengths, math.nan) for curve in others)
    up = chain.from_iterable((*curve.values, math.nan) for curve in others)
    joined = replace(others[0], strengths=tuple(across), values=tuple(up))
    return sorted([*named, joined], key=lambda curve: curve.place)


def _color(curve: _Curve, scheme: Scheme) -> str:
    if curve.control or not curve.name:
        return scheme.quiet
    return scheme.lines[curve.place % len(scheme.lines)]


def _name_lines(axes: Axes, curves: Sequence[_Curve], scheme: Scheme) -> None:
    """Names at the lines' ends, moved apart until none covers another, each with a thin lead."""
    low, high = axes.get_ylim()
    gap = (high - low) / 17.5
    order = sorted(curves, key=lambda curve: curve.values[-1])
    wanted = [curve.values[-1] for curve in order]
    heights = spread(wanted, gap, high)
    left, right = axes.get_xlim()
    for curve, height in zip(order, heights, strict=True):
        end = curve.strengths[-1]
        start = end + (right - left) * 0.03
        stop = end + (right - left) * 0.10
        lead = ([start, stop], [curve.values[-1], height])
        axes.plot(*lead, color=_color(curve, scheme), linewidth=0.6, clip_on=False)
        ink = scheme.quiet if curve.control else scheme.ink
        place = stop + (right - left) * 0.02
        axes.text(place, height, short(curve.name), color=ink, va="center", fontsize=8, parse_math=False)
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
