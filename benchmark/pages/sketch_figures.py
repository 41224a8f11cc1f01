"""What cases look like, drawn from the track's own generator."""

import numpy as np

from benchmark.pages.figures import SCHEMES, Drawing, Scheme, panel, svg_text
from benchmark.ranking import Standings
from benchmark.records import CaseKey, Kind
from benchmark.tracks.spec import Sketch

POINTS = 250
"""How many points of a case its sketch shows."""


def sketch_drawings(table: Standings) -> list[Drawing]:
    """A case of each variant at its greatest strength; empty where the track has no sketch."""
    track, version = table.track, table.version
    if track.sketch is None or not version.strengths:
        return []
    strength = max(version.strengths)
    keys = [CaseKey(variant, strength, 0, Kind.SHORTCUT) for variant in version.variants]
    sketches = {key.variant: track.sketch(version.generate(key)) for key in keys}
    reach = max(
        float(np.abs(values).max()) for sketch in sketches.values() for values in (sketch.x, sketch.y)
    )
    title = f"{track.strength_symbol} = {strength:g}"
    return [
        Drawing(
            name=f"case-{variant}",
            alt=f"Samples of a {variant} case: {sketch.x_label} against {sketch.y_label}.",
            files={s.name: _sketch_panel(sketch, f"{variant}, {title}", reach, s) for s in SCHEMES},
        )
        for variant, sketch in sketches.items()
    ]


def _sketch_panel(sketch: Sketch, title: str, reach: float, scheme: Scheme) -> str:
    """One sketch; `reach` is the greatest distance from 0 that any of them shows."""
    figure, axes = panel(scheme, width=3.4, height=3.1, right=0.97)
    for group, marker in ((0, "o"), (1, "^")):
        rows = [place for place in range(min(POINTS, len(sketch.x))) if sketch.group[place] == group]
        dots = axes.scatter(sketch.x[rows], sketch.y[rows], s=13, marker=marker, color=scheme.pair[group])
        dots.set(alpha=0.75, linewidth=0, label=sketch.groups[group])
    axes.set_title(title, loc="left", color=scheme.ink, fontweight="bold", fontsize=10)
    axes.set_xlabel(sketch.x_label, color=scheme.ink)
    axes.set_ylabel(sketch.y_label, color=scheme.ink)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-reach, reach)
    axes.legend(loc="upper right", frameon=False, fontsize=8, labelcolor=scheme.ink, handletextpad=0.1)
    return svg_text(figure)
