"""Small images as PNG, the same bytes for the same pixels: they are enlarged by the page."""

import io
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from benchmark.pages.axis import CIVIDIS

Bytes = npt.NDArray[np.uint8]

EDGE = 1
"""By how many rows a picture's ends are repeated, so that rounding cuts nothing of its neighbors."""

GRAYS, HEATS = 12, 20
"""How many shades of the image, and how many colors of the heatmap, a mixed picture has: 240 pairs."""
HEAT_SHARE = (0.45, 0.85)
"""The heatmap's share in a mixed picture where it is least and where it is greatest."""


def png_color(pixels: Bytes) -> bytes:
    """A PNG of `pixels`, uint8 (height, width, 3)."""
    return _png(Image.fromarray(np.ascontiguousarray(pixels)))


def png_heat(images: Bytes, heatmaps: Bytes) -> bytes:
    """A PNG of n pictures below one another: each image in gray with its heatmap in cividis over it.

    images: uint8 (n, 3, height, width). heatmaps: uint8 (n, height, width), 0 for their least value.
    """
    gray = _levels(images.mean(axis=1), GRAYS)
    indices = _edged(gray * HEATS + _levels(heatmaps, HEATS))
    picture = Image.fromarray(indices.reshape(-1, indices.shape[-1]).astype(np.uint8))
    picture.putpalette(_mixed().tobytes())
    return _png(picture)


def png_column(images: Bytes) -> bytes:
    """A PNG of images uint8 (n, 3, height, width), in color, below one another."""
    rows = _edged(images.transpose(0, 2, 3, 1))
    return png_color(rows.reshape(-1, *rows.shape[2:]))


def cut_at(place: int, count: int, height: int = 32) -> float:
    """The CSS object-position, in percent, that cuts picture `place` out of `count` below one another."""
    pitch = height + 2 * EDGE
    return round(100 * (pitch * place + EDGE) / (pitch * count - height), 4)


def _edged(pictures: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Pictures (n, height, ...) with their first and last rows repeated."""
    return np.pad(pictures, [(0, 0), (EDGE, EDGE), *[(0, 0)] * (pictures.ndim - 2)], mode="edge")


def _levels(values: npt.NDArray[np.floating] | Bytes, count: int) -> npt.NDArray[np.intp]:
    """Values from 0 to 255 as whole levels below `count`."""
    return np.minimum(np.asarray(values, dtype=np.float64) * count / 256, count - 1).astype(np.intp)


def _mixed() -> Bytes:
    """uint8 (GRAYS * HEATS, 3): each gray mixed with each color of the heatmap."""
    stops = np.array([[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in CIVIDIS], dtype=np.float64)
    places = np.linspace(0, len(stops) - 1, HEATS)
    heat = np.stack([np.interp(places, range(len(stops)), channel) for channel in stops.T], axis=1)
    gray = np.linspace(0, 255, GRAYS)[:, None, None]
    share = np.linspace(*HEAT_SHARE, HEATS)[None, :, None]
    mixed = (1 - share) * gray + share * heat[None, :, :]
    colors: Bytes = np.rint(mixed).astype(np.uint8).reshape(-1, 3)
    return colors


def _png(picture: Image.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()
