"""The shared CNN on images: what image tracks train, and what they measure on it."""

from typing import Any

import numpy as np
import numpy.typing as npt

from benchmark.models import make_cnn, predicted, state_of, train_classifier

Images = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


class Laboratory:
    """The computations of this laboratory, by name; each a function of its arguments alone."""

    def trained_cnn(self, images: Images, task_labels: Ints, queries: Images, seed: int) -> dict[str, Any]:
        """The shared CNN trained on the images, as `state`, and the `labels` it gives the queries.

        images: float32 (n, 3, 32, 32). task_labels: int64 (n,) of 0 and 1. queries: float32 (m, 3, 32, 32).
        Gives float32 (state_size(),) and int64 (m,).
        """
        model = train_classifier(make_cnn(seed), images, task_labels, seed=seed)
        return {"state": state_of(model), "labels": predicted(model, queries)}


def laboratory() -> Laboratory:
    """The object whose methods are called."""
    return Laboratory()
