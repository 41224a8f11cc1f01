"""The shared CNN, trained on plain cross-entropy: empirical risk minimization (ERM).

The attribute is not used. The track's gain is measured against this very training with this very seed, so
this entry's own gain is exactly 0.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from torch import nn

from benchmark.models import make_cnn, predicted, train_classifier

Images = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Classifier:
    """What labels images."""

    model: nn.Module
    """A trained CNN in eval mode."""

    def predict(self, images: Images) -> Ints:
        """int64 (n,) of 0 and 1: the labels of images float32 (n, 3, 32, 32), each by itself."""
        return predicted(self.model, images)


def fit(images: Images, attribute: Ints, task_labels: Ints, seed: int) -> Classifier:
    """A classifier of the task label.

    images: float32 (n, 3, 32, 32) in [0, 1]. attribute: not used. task_labels: int64 (n,) of 0 and 1.
    seed: int, of the first weights and of the order of the images.
    """
    return Classifier(train_classifier(make_cnn(seed), images, task_labels, seed=seed))
