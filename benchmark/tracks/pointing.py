"""The pointing game: does a heatmap peak on the patch. And what of it the gallery keeps."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmark.data.patched_bars import SIDE, patch_slices
from benchmark.records import BoolArray, FloatArray, IntArray

NEAR = 2
"""How many pixels beside the patch a peak may be, counted along rows and columns (Chebyshev distance)."""


@dataclass(frozen=True)
class Peaks:
    """Where each of n heatmaps peaks."""

    hit: BoolArray
    """bool (n,): whether all of its largest values are on the patch or near it."""
    place: IntArray
    """int64 (n, 2): row and column of the first largest value; -1 where the map has no peak."""


def peaks(heatmaps: FloatArray, corner: int) -> Peaks:
    """The peaks of heatmaps float64 (n, 32, 32) against the patch in a corner.

    The peak is the largest value, whatever the signs. A map that is all equal, or holds NaN or infinity,
    has none and misses; several equal peaks hit only if all of them do. Source: track specification,
    image-detection, "Metrics"; Zhang et al. (2016), Top-down neural attention by excitation backprop.
    """
    flat = heatmaps.reshape(len(heatmaps), -1)
    usable = np.asarray(np.isfinite(flat).all(axis=1))
    flat = np.where(usable[:, None], flat, 0.0)
    largest = np.equal(flat, flat.max(axis=1, keepdims=True))
    usable &= ~largest.all(axis=1)
    off_patch = (largest & ~near_patch(corner).ravel()).any(axis=1)
    place = np.stack(np.divmod(largest.argmax(axis=1), SIDE), axis=1)
    return Peaks(usable & ~off_patch, np.where(usable[:, None], place, -1))


def near_patch(corner: int) -> BoolArray:
    """bool (32, 32): the places on the patch in a corner, or at most `NEAR` pixels beside it."""
    near = np.zeros((SIDE, SIDE), dtype=np.bool_)
    rows, columns = (slice(max(part.start - NEAR, 0), part.stop + NEAR) for part in patch_slices(corner))
    near[rows, columns] = True
    return near


def as_bytes(values: npt.NDArray[np.floating]) -> npt.NDArray[np.uint8]:
    """uint8 of the shape of `values` in [0, 1]."""
    scaled: npt.NDArray[np.uint8] = np.rint(np.clip(values, 0.0, 1.0) * 255).astype(np.uint8)
    return scaled


def heat_bytes(heatmaps: FloatArray) -> npt.NDArray[np.uint8]:
    """uint8 (n, 32, 32): each map from its least (0) to its largest value (255); 0 where it has no peak."""
    finite = np.isfinite(heatmaps).all(axis=(1, 2), keepdims=True)
    maps = np.where(finite, heatmaps, 0.0)
    low, high = maps.min(axis=(1, 2), keepdims=True), maps.max(axis=(1, 2), keepdims=True)
    with np.errstate(over="ignore", invalid="ignore"):
        span = high / 2 - low / 2
        share = np.divide(maps / 2 - low / 2, span, out=np.zeros_like(maps), where=span > 0)
    return as_bytes(share)
