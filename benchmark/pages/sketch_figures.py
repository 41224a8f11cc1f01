"""What cases look like: the pictures that a track makes of its own data."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmark.pages.figures import Drawing, Scheme, in_schemes, panel, svg_text
from benchmark.pages.raster import png_color
from benchmark.tracks.spec import ImageRow, Picture, Sketch

POINTS = 250
"""How many points of a case its sketch shows."""


@dataclass(frozen=True)
class Sample:
    """One image of a case."""

    file: str
    """Its file's name."""
    caption: str
    """What it shows."""
    content: bytes
    """The PNG, at its own size; the page enlarges it."""


@dataclass(frozen=True)
class Samples:
    """A row of images of a case."""

    title: str
    """Its heading."""
    images: tuple[Sample, ...]
    """The images."""


def sketch_drawings(pictures: Sequence[Picture]) -> list[Drawing]:
    """The sketches among a track's pictures, drawn on axes of one range."""
    sketches = [picture for picture in pictures if isinstance(picture, Sketch)]
    reach = max((float(np.abs(values).max()) for s in sketches for values in (s.x, s.y)), default=1.0)
    return [
        Drawing(
            name=sketch.name,
            alt=f"Samples of a case, {sketch.title}: {sketch.x_label} against {sketch.y_label}.",
            files=in_schemes(partial(_sketch_panel, sketch, reach)),
        )
        for sketch in sketches
    ]


def sample_rows(pictures: Sequence[Picture]) -> list[Samples]:
    """The rows of images among a track's pictures."""
    return [_samples(picture) for picture in pictures if isinstance(picture, ImageRow)]


def _samples(row: ImageRow) -> Samples:
    pixels = np.rint(np.clip(row.images, 0.0, 1.0) * 255).astype(np.uint8)
    found = enumerate(zip(pixels, row.captions, strict=True), 1)
    return Samples(
        row.title,
        tuple(Sample(f"{row.name}-{n}.png", caption, png_color(image)) for n, (image, caption) in found),
    )


def _sketch_panel(sketch: Sketch, reach: float, scheme: Scheme) -> str:
    """One sketch; `reach` is the greatest distance from 0 that any of them shows."""
    figure, axes = panel(scheme, width=3.4, height=3.1, right=0.97)
    for group, marker in ((0, "o"), (1, "^")):
        rows = [place for place in range(min(POINTS, len(sketch.x))) if sketch.group[place] == group]
        dots = axes.scatter(sketch.x[rows], sketch.y[rows], s=13, marker=marker, color=scheme.pair[group])
        dots.set(alpha=0.75, linewidth=0, label=sketch.groups[group])
    axes.set_title(sketch.title, loc="left", color=scheme.ink, fontweight="bold", fontsize=10)
    axes.set_xlabel(sketch.x_label, color=scheme.ink)
    axes.set_ylabel(sketch.y_label, color=scheme.ink)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-reach, reach)
    axes.legend(loc="upper right", frameon=False, fontsize=8, labelcolor=scheme.ink, handletextpad=0.1)
    return svg_text(figure)
