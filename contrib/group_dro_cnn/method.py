"""The shared CNN, trained against the worst group of label and attribute (GroupDRO).

Every step raises the weight of a group by the exponential of its loss in the batch, and then steps down the
weighted sum of the groups' losses. As in the authors' code the batches are drawn with equally probable
groups, so that a rare group is seldom missing from one. Neither their weight decay nor their adjustment for
the groups' sizes is used: the training is otherwise the shared one.

Source: S. Sagawa et al., Distributionally robust neural networks for group shifts, ICLR (2020), algorithm 1.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, one_hot

from benchmark.models import Passes, make_cnn, optimize, predicted

Images = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

GROUPS = 4
# The authors' 0.01 is for longer trainings: in the 256 steps of this one it does no more than the sampling.
STEP = 1.0


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
    groups = 2 * task_labels + attribute
    chances = row_chances(groups)
    passes = Passes(order=lambda rng: rng.choice(len(chances), size=len(chances), p=chances))
    return Classifier(optimize(make_cnn(seed), images, robust_loss(task_labels, groups), seed, passes))


def row_chances(groups: Ints) -> Floats:
    """float64 (n,) of sum 1: how probable a row is in one draw; the groups that occur share alike."""
    counts = np.bincount(groups, minlength=GROUPS)
    return 1 / (np.count_nonzero(counts) * counts[groups])


def robust_loss(labels: Ints, groups: Ints) -> Callable[[Tensor, Tensor], Tensor]:
    """A function from logits (b, 2) and their rows (b,) to the loss; it keeps the groups' weights.

    labels: int64 (n,) of 0 and 1. groups: int64 (n,) of 0 to GROUPS - 1.
    """
    target = torch.from_numpy(labels)
    members = one_hot(torch.from_numpy(groups), GROUPS).float()
    weights = torch.full((GROUPS,), 1 / GROUPS)

    def loss(logits: Tensor, rows: Tensor) -> Tensor:
        nonlocal weights
        losses = group_means(cross_entropy(logits, target[rows], reduction="none"), members[rows])
        weights = raised(weights, losses.detach())
        return weights @ losses

    return loss


def group_means(losses: Tensor, members: Tensor) -> Tensor:
    """float32 (GROUPS,): the mean of losses (b,) in each group; 0 for a group that is not in the batch.

    members: float32 (b, GROUPS), 1 where a row is of a group, else 0.
    """
    return losses @ members / members.sum(dim=0).clamp(min=1)


def raised(weights: Tensor, losses: Tensor) -> Tensor:
    """float32 (GROUPS,) of sum 1: the weights after one step of exponentiated gradient up the losses."""
    grown = weights * torch.exp(STEP * losses)
    return grown / grown.sum()
