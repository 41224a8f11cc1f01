"""The shared CNN with a last layer retrained on group-balanced subsets (deep feature reweighting, DFR).

The CNN is trained on plain cross-entropy. Then a logistic regression with an L1 penalty is fitted to its 64
features on a subset of the training images that has the same number of each group of label and attribute;
the mean of several such fits takes the place of the last layer. The features stay as they are. The authors
do best by retraining on images that the CNN was not trained on. Here there are none to spare: the CNN
labels every training image right, those of the small groups too, and so the balanced subsets have little
left to teach. For the same reason no held-out part of them could choose the penalty; it is the weakest of
those that the authors choose from.

Source: P. Kirichenko et al., Last layer re-training is sufficient for robustness to spurious correlations,
ICLR (2023), there DFR with the training data for both steps.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from torch import nn

from benchmark.models import logits_of, make_cnn, predicted, train_classifier

Images = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SUBSETS = 10
INVERSE_PENALTY = 1.0
SOLVER = "liblinear"


@dataclass(frozen=True)
class Classifier:
    """What labels images."""

    model: nn.Module
    """A trained CNN in eval mode."""

    def predict(self, images: Images) -> Ints:
        """int64 (n,) of 0 and 1: the labels of images float32 (n, 3, 32, 32), each by itself."""
        return predicted(self.model, images)


@dataclass(frozen=True)
class Head:
    """A linear rule for label 1: where features times `slopes` plus `intercept` is positive."""

    slopes: Floats
    """float64 (k,)."""
    intercept: float
    """What is added."""


def fit(images: Images, attribute: Ints, task_labels: Ints, seed: int) -> Classifier:
    """A classifier of the task label.

    images: float32 (n, 3, 32, 32) in [0, 1]. attribute, task_labels: int64 (n,) of 0 and 1.
    seed: int, of the first weights, of the order of the images and of the subsets.
    """
    model = make_cnn(seed)
    train_classifier(model, images, task_labels, seed=seed)
    features = logits_of(model[:-1], images).astype(float)
    rng = np.random.default_rng((seed, 1))
    put_head(model[-1], mean_head(features, attribute, task_labels, rng))
    return Classifier(model)


def mean_head(features: Floats, attribute: Ints, labels: Ints, rng: np.random.Generator) -> Head:
    """The mean of the heads fitted on SUBSETS balanced subsets of features (n, k)."""
    groups = 2 * labels + attribute
    subsets = [balanced_subset(groups, rng) for _ in range(SUBSETS)]
    heads = [fitted_head(features[rows], labels[rows]) for rows in subsets]
    slopes = np.mean([head.slopes for head in heads], axis=0)
    return Head(slopes, float(np.mean([head.intercept for head in heads])))


def balanced_subset(groups: Ints, rng: np.random.Generator) -> Ints:
    """int64 (m,): rows without repetition, of each group that occurs as many as the smallest has."""
    _, counts = np.unique(groups, return_counts=True)
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    return np.concatenate([rng.choice(rows, counts.min(), replace=False) for rows in members])


def fitted_head(features: Floats, labels: Ints) -> Head:
    """A logistic regression on standardized features (m, k), as a rule for the features as they are."""
    scaler = StandardScaler().fit(features)
    estimator = LogisticRegression(C=INVERSE_PENALTY, l1_ratio=1, solver=SOLVER, random_state=0)
    fitted = estimator.fit(scaler.transform(features), labels)
    slopes = fitted.coef_[0] / scaler.scale_
    return Head(slopes, float(fitted.intercept_[0] - scaler.mean_ @ slopes))


def put_head(layer: nn.Linear, head: Head) -> None:
    """Makes `head` the rule of a layer of two logits: half of it for label 1, half against label 0."""
    slopes, intercept = torch.from_numpy(head.slopes) / 2, head.intercept / 2
    with torch.no_grad():
        layer.weight.copy_(torch.stack([-slopes, slopes]))
        layer.bias.copy_(torch.tensor([-intercept, intercept]))
