"""The more frequent label of the training set for every row, whatever the embeddings or images say.

It is always wrong on one label, so its worst-group accuracy is 0 and its mean accuracy over the groups 0.5:
the floor of the mitigation tracks.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Images = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Constant:
    """A classifier that does not look."""

    label: int
    """What it predicts, 0 or 1."""

    def predict(self, rows: npt.NDArray[Any]) -> Ints:
        """int64 (n,): the same label for each of the embeddings (n, d) or images (n, 3, 32, 32)."""
        return np.full(len(rows), self.label, dtype=np.int64)


def fit(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> Constant:
    """A classifier that predicts the more frequent of the task labels, 0 if they are as frequent.

    embeddings, attribute: not used. task_labels: int64 (n,) of 0 and 1. seed: not used.
    """
    return Constant(int(np.bincount(task_labels).argmax()))


def fit_images(images: Images, attribute: Ints, task_labels: Ints, seed: int) -> Constant:
    """As `fit`, for images: they are not looked at either."""
    return Constant(int(np.bincount(task_labels).argmax()))
