"""Whether predictions change when a corner of the images is painted gray.

It is told that a patch is 4x4 and in a corner, so it measures nearly what the benchmark calls reliance, over
all images as it does not know which have the patch: what can be had with that knowledge. For the flag, the
corner with the most changed predictions is compared with the next one. Where no corner matters more than
another, an image that changes by one of the two alone is as likely to change by either; that is a sign test.

Source: M. Zeiler and R. Fergus, Visualizing and understanding convolutional networks, ECCV 2014, section
4.2, for the gray square; Q. McNemar, Psychometrika 12 (1947), for the test.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats
from torch import nn

from benchmark.models import logits_of

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]

ALPHA = 0.05
GRAY = 0.5
SIZE = 4


def detect(images: Floats, task_labels: Ints, model: nn.Module, seed: int) -> dict[str, Any]:
    """The share of changed predictions, whether the sign test rejects, and a heatmap for each image.

    images: float32 (n, 3, h, w). task_labels, seed: not used. A heatmap is, on each corner, by how much the
    margin between the two logits moves when the corner is gray, and 0 elsewhere.
    """
    before = margins(model, images)
    blocks = corners(images.shape[-1])
    after = np.array([margins(model, grayed(images, block)) for block in blocks])
    changed, moves = (after > 0) != (before > 0), np.abs(after - before)
    heatmaps = np.zeros((len(images), *images.shape[2:]))
    for block, move in zip(blocks, moves, strict=True):
        heatmaps[:, block[0], block[1]] = move[:, None, None]
    score = float(shares(changed, moves).max())
    return {"score": score, "flag": p_value(changed) <= ALPHA, "heatmaps": heatmaps}


def shares(changed: npt.NDArray[np.bool_], moves: Floats) -> Floats:
    """float64 (4,): the share of changed predictions of each corner; equal shares in order of the moves.

    changed, moves: (4, n), whether a prediction changes and by how much its margin moves. The mean move,
    squeezed into [0, 1), counts as a part of one image, so it decides between equal shares alone.
    """
    mean = moves.mean(axis=1)
    part: Floats = (changed.sum(axis=1) + mean / (1 + mean)) / (changed.shape[1] + 1)
    return part


def p_value(changed: npt.NDArray[np.bool_]) -> float:
    """Of the sign test between the two corners with the most changes, corrected for choosing one of four."""
    order = np.argsort(-changed.sum(axis=1), kind="stable")
    first, second = changed[order[0]], changed[order[1]]
    wins, losses = int(np.sum(first & ~second)), int(np.sum(second & ~first))
    return min(1.0, float(len(changed) * stats.binom.sf(wins - 1, wins + losses, 0.5)))


def margins(model: nn.Module, images: Floats) -> Floats:
    """float64 (n,): the logit of label 1 less that of label 0; above 0 the model predicts 1."""
    logits = logits_of(model, images).astype(float)
    return logits[:, 1] - logits[:, 0]


def grayed(images: Floats, block: tuple[slice, slice]) -> Floats:
    """A copy of the images with one block gray."""
    painted = images.copy()
    painted[:, :, block[0], block[1]] = GRAY
    return painted


def corners(side: int) -> list[tuple[slice, slice]]:
    """The rows and columns of the four corner blocks."""
    ends = (slice(0, SIZE), slice(side - SIZE, side))
    return [(rows, columns) for rows in ends for columns in ends]
