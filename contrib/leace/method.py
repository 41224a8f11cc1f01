"""Logistic regression after the attribute's linear trace within the task labels has been erased.

Of all affine maps after which embeddings and attribute are uncorrelated within the labels, least-squares
concept erasure takes the one that moves the embeddings least. Embeddings and attribute enter less their means
within each label, and the covariances are pooled over the labels: plain LEACE would erase whatever correlates
with A, and where A follows the label that is much of the label itself.

Written out here rather than taken from the authors' package concept-erasure, which imports torch for what is
one linear system when the concept is a single bit. Without its shrinkage of the covariance, which is left out
here, the package gives the same map.

Source: N. Belrose et al., LEACE: perfect linear concept erasure in closed form, NeurIPS (2023), section 4,
for a concept of one dimension.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import pinvh
from sklearn.linear_model import LogisticRegression

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Eraser:
    """An affine map that takes one direction out of each row, as far as the reader finds it there."""

    center: Floats
    """float64 (d,): the mean of the embeddings, which stays where it is."""
    direction: Floats
    """float64 (d,): covariance of the embeddings with the attribute, within the labels."""
    reader: Floats
    """float64 (d,): its product with a centered row is how much of the direction is taken out."""

    def __call__(self, embeddings: Floats) -> Floats:
        """float64 (n, d): the embeddings (n, d) erased, each row by itself."""
        found = ((embeddings - self.center) * self.reader).sum(axis=1)
        return embeddings - found[:, None] * self.direction


@dataclass(frozen=True)
class Erased:
    """A classifier of erased embeddings."""

    eraser: Eraser
    """What is done to the embeddings first."""
    model: LogisticRegression
    """What classifies them then."""

    def transform(self, embeddings: Floats) -> Floats:
        """float64 (n, d): the embeddings (n, d) erased."""
        return self.eraser(embeddings)

    def predict(self, embeddings: Floats) -> Ints:
        """int64 (n,) of 0 and 1 for embeddings (n, d)."""
        predicted: Ints = self.model.predict(self.eraser(embeddings))
        return predicted


def fit(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> Erased:
    """The eraser of the attribute, and a classifier of the task labels behind it.

    embeddings: float64 (n, d). attribute, task_labels: int64 (n,) of 0 and 1. seed: not used.
    """
    eraser = fitted_eraser(embeddings, attribute, task_labels)
    return Erased(eraser, LogisticRegression(max_iter=1000).fit(eraser(embeddings), task_labels))


def fitted_eraser(embeddings: Floats, attribute: Ints, labels: Ints) -> Eraser:
    """The eraser P = I - c (S+ c)' / (c' S+ c), with covariances S of the rows and c of rows and attribute.

    The identity where the attribute is constant within the labels.
    """
    x, a = centered(embeddings, labels), centered(attribute, labels)
    direction = x.T @ a / len(x)
    reader = pinvh(x.T @ x / len(x)) @ direction
    size = direction @ reader
    return Eraser(embeddings.mean(axis=0), direction, reader / size if size > 0 else np.zeros_like(reader))


def centered(values: npt.NDArray[Any], labels: Ints) -> Floats:
    """`values` (n, ...) less their mean among the rows of equal label; exactly 0 where they are constant."""
    result = values.astype(float)
    for label in np.unique(labels):
        rows = labels == label
        result[rows] -= values[rows][0]
        result[rows] -= result[rows].mean(axis=0)
    return result
