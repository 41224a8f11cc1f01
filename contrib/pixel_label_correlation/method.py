"""Whether the color of some fixed block of the images goes along with the task label. Never calls the model.

It finds what a model could use, not what the model does use. Here the two go together: nearly every model
trained where the patch is a safe guide leans on it. So AUROC saturates and the heatmaps hit the patch,
though nothing was learnt of the model; an entry that claims to look into the model has to do better on
reliance_spearman, the rank correlation with measured reliance, than this one does. A block's color is each
channel less the mean of the three: what is gray, as the bar of the task is, cancels.

Source: T. Nichols and A. Holmes, Nonparametric permutation tests for functional neuroimaging, Human Brain
Mapping 15 (2002), for the largest statistic over an image and its permutation test.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]

ALPHA = 0.05
PERMUTATIONS = 199
SIZE = 4


def detect(images: Floats, task_labels: Ints, model: object, seed: int) -> dict[str, Any]:
    """The largest |correlation|, whether its permutation p-value is at most ALPHA, and one heatmap for all.

    images: float32 (n, 3, h, w), h and w multiples of SIZE. task_labels: int64 (n,) of 0 and 1. model: not
    used. seed: of the permutations. The heatmap is each block's largest |correlation| over the channels.
    """
    colors = block_colors(images)
    columns = colors.reshape(len(images), -1)
    found = np.abs(correlations(columns, task_labels[None]))[0]
    rng = np.random.default_rng(seed)
    shuffles = np.array([rng.permutation(task_labels) for _ in range(PERMUTATIONS)])
    chance = np.abs(correlations(columns, shuffles)).max(axis=1)
    p_value = (1 + np.sum(chance >= found.max() - 1e-12)) / (1 + PERMUTATIONS)
    blocks = found.reshape(colors.shape[1:]).max(axis=0)
    heatmap = blocks.repeat(SIZE, axis=0).repeat(SIZE, axis=1)
    heatmaps = np.tile(heatmap, (len(images), 1, 1))
    return {"score": float(found.max()), "flag": bool(p_value <= ALPHA), "heatmaps": heatmaps}


def block_colors(images: Floats) -> Floats:
    """float64 (n, 3, h/SIZE, w/SIZE): the mean of each channel over each block, less that of all channels."""
    n, channels, height, width = images.shape
    tiles = images.astype(float).reshape(n, channels, height // SIZE, SIZE, width // SIZE, SIZE)
    means = tiles.mean(axis=(3, 5))
    return means - means.mean(axis=1, keepdims=True)


def correlations(columns: Floats, labels: Ints) -> Floats:
    """float64 (k, p): of each of the labels (k, n) with each of the columns (n, p); 0 if one is constant."""
    x, y = columns - columns.mean(axis=0), labels - labels.mean(axis=1, keepdims=True)
    size = np.linalg.norm(y, axis=1)[:, None] * np.linalg.norm(x, axis=0)
    return np.divide(y @ x, size, out=np.zeros(size.shape), where=size > 1e-9)
