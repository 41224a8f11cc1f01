"""Images of a faint bar, some of them with a red patch in one corner that goes along with the label."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmark.records import FloatArray, IntArray

SIDE = 32
"""Height and width of an image, in pixels."""
PATCH = 4
"""Height and width of the patch."""
CORNERS = ("top left", "top right", "bottom left", "bottom right")
"""Where a patch may be, by number."""
BACKGROUND, NOISE = 0.5, 0.2
"""The mean and the standard deviation of every pixel and channel."""
BAR_LENGTH, BAR_WIDTH, BAR_EFFECT = 16, 2, 0.14
"""The bar's size in pixels, and what it adds on all channels."""
RED, OPACITY = (0.9, 0.1, 0.1), 0.5
"""The patch's color, and its share in what is seen."""
GRAY = 0.5
"""What a patch is painted over with."""

Images = npt.NDArray[np.float32]
"""float32 (n, 3, 32, 32) in [0, 1]."""


@dataclass(frozen=True)
class Recipe:
    """What fixes the law of a dataset; the random generator fixes the draw."""

    rho: float
    """Probability that the patch agrees with the task label, in [0, 1]."""
    n: int
    """Number of images, even and positive."""
    corner: int
    """Where the patch is: a place in `CORNERS`."""

    def __post_init__(self) -> None:
        if not 0 <= self.rho <= 1:
            raise ValueError(f"rho: expected 0 to 1, got {self.rho}")
        if self.n < 2 or self.n % 2:
            raise ValueError(f"n: expected an even number of at least 2 images, got {self.n}")
        if not 0 <= self.corner < len(CORNERS):
            raise ValueError(f"corner: expected 0 to {len(CORNERS) - 1}, got {self.corner}")


@dataclass(frozen=True)
class PatchedBars:
    """One draw."""

    images: Images
    """float32 (n, 3, 32, 32) in [0, 1]."""
    attribute: IntArray
    """int64 (n,) of 0 and 1: whether the patch is there; agrees with the label with probability rho."""
    task_labels: IntArray
    """int64 (n,), exactly balanced: 0 for a horizontal bar, 1 for a vertical one."""


def generate_patched_bars(recipe: Recipe, rng: np.random.Generator) -> PatchedBars:
    """One dataset drawn by `recipe`.

    Only numpy generators and elementwise float64 arithmetic are used, so the bytes are the same on every
    machine. Source: track specification, image-detection, "Data".
    """
    labels = rng.permutation(np.repeat(np.array([0, 1], dtype=np.int64), recipe.n // 2))
    attribute = np.where(rng.random(recipe.n) < recipe.rho, labels, 1 - labels)
    pixels = BACKGROUND + NOISE * rng.standard_normal((recipe.n, 3, SIDE, SIDE))
    _add_bars(pixels, labels, rng)
    rows, columns = patch_slices(recipe.corner)
    patched = attribute == 1
    color = np.array(RED)[:, None, None]
    covered = pixels[:, :, rows, columns]
    pixels[:, :, rows, columns] = np.where(
        patched[:, None, None, None], (1 - OPACITY) * covered + OPACITY * color, covered
    )
    return PatchedBars(np.clip(pixels, 0.0, 1.0).astype(np.float32), attribute, labels)


def _add_bars(pixels: FloatArray, labels: IntArray, rng: np.random.Generator) -> None:
    """Adds a bar to each of `pixels` (n, 3, 32, 32), lying for label 0, at a uniform place."""
    along = rng.integers(SIDE - BAR_LENGTH + 1, size=len(labels))
    across = rng.integers(SIDE - BAR_WIDTH + 1, size=len(labels))
    for image, label, start, side in zip(pixels, labels, along, across, strict=True):
        long, short = slice(start, start + BAR_LENGTH), slice(side, side + BAR_WIDTH)
        rows, columns = (short, long) if label == 0 else (long, short)
        image[:, rows, columns] += BAR_EFFECT


def patch_slices(corner: int) -> tuple[slice, slice]:
    """The rows and the columns of the patch in a corner."""
    low, high = slice(0, PATCH), slice(SIDE - PATCH, SIDE)
    return (high if corner >= 2 else low), (high if corner % 2 else low)


def painted_gray(images: Images, corner: int) -> Images:
    """A copy of images (n, 3, 32, 32) with the patch's place in a corner painted gray."""
    painted = images.copy()
    rows, columns = patch_slices(corner)
    painted[:, :, rows, columns] = GRAY
    return painted
