"""The shared CNN, trained on cross-entropy in which each group of label and attribute counts the same.

An image of a group of n_g among n counts n / (4 n_g). In the weighted training set the attribute then says
nothing of the label, so that leaning on it no longer lowers the loss.

Source: S. Sagawa et al., An investigation of why overparameterization exacerbates spurious correlations,
ICML (2020), equation 3.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from torch import nn

from benchmark.models import make_cnn, predicted, train_classifier

Images = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


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

    images: float32 (n, 3, 32, 32) in [0, 1]. attribute, task_labels: int64 (n,) of 0 and 1.
    seed: int, of the first weights and of the order of the images.
    """
    weights = group_weights(attribute, task_labels)
    return Classifier(train_classifier(make_cnn(seed), images, task_labels, weights, seed))


def group_weights(attribute: Ints, labels: Ints) -> Floats:
    """float64 (n,) of mean 1: n / (k n_g) for an image of a group of n_g, where k groups are not empty."""
    groups = 2 * labels + attribute
    counts = np.bincount(groups, minlength=4)
    return len(groups) / (np.count_nonzero(counts) * counts[groups])
