"""The shared CNN, trained on images drawn such that all groups of label and attribute are equally probable.

Each epoch draws as many images as there are, with replacement. The loss is the plain one: in expectation it
is that of group weights, but an image of a small group is seen often instead of counting much at once.

Source: B. Y. Idrissi et al., Simple data balancing achieves competitive worst-group-accuracy, CLeaR (2022),
there called RWG.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from benchmark.models import Passes, make_cnn, optimize, predicted

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
    seed: int, of the first weights and of the images drawn.
    """
    chances = row_chances(attribute, task_labels)
    target = torch.from_numpy(task_labels)

    def loss(logits: Tensor, rows: Tensor) -> Tensor:
        return cross_entropy(logits, target[rows])

    passes = Passes(order=lambda rng: drawn_rows(chances, rng))
    return Classifier(optimize(make_cnn(seed), images, loss, seed, passes))


def row_chances(attribute: Ints, labels: Ints) -> Floats:
    """float64 (n,) of sum 1: how probable a row is in one draw; the groups that occur share alike."""
    groups = 2 * labels + attribute
    counts = np.bincount(groups, minlength=4)
    return 1 / (np.count_nonzero(counts) * counts[groups])


def drawn_rows(chances: Floats, rng: np.random.Generator) -> Ints:
    """int64 (n,): the rows of one epoch, drawn with replacement by their chances (n,)."""
    return rng.choice(len(chances), size=len(chances), p=chances)
