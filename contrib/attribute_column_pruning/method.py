"""Logistic regression without the columns that depend on the attribute, given the task label.

Each column is regressed on label and attribute. Where the attribute's coefficient is significant after
Bonferroni's correction over the columns, the column is dropped. It profits from how this track is made: each
column carries the label, the attribute, or nothing. An attribute spread over many columns, or one that shares
its columns with the label, would defeat it.

Source: O. J. Dunn, Multiple comparisons among means, JASA 56 (1961), for the correction.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats
from sklearn.linear_model import LogisticRegression

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

ALPHA = 0.05


@dataclass(frozen=True)
class Pruned:
    """A classifier that is blind to some columns."""

    kept: Bools
    """bool (d,): the columns it sees."""
    model: LogisticRegression
    """What classifies them."""

    def transform(self, embeddings: Floats) -> Floats:
        """float64 (n, d): the embeddings (n, d) with 0 in the columns that are dropped."""
        return np.where(self.kept, embeddings, 0.0)

    def predict(self, embeddings: Floats) -> Ints:
        """int64 (n,) of 0 and 1 for embeddings (n, d)."""
        predicted: Ints = self.model.predict(self.transform(embeddings))
        return predicted


def fit(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> Pruned:
    """The columns worth keeping, and a classifier of the task labels from these.

    embeddings: float64 (n, d). attribute, task_labels: int64 (n,) of 0 and 1. seed: not used.
    """
    freedom = max(len(attribute) - len(np.unique(task_labels)) - 1, 1)
    t = t_within(embeddings, attribute, task_labels, freedom)
    kept = 2 * stats.t.sf(np.abs(t), freedom) * embeddings.shape[1] > ALPHA
    model = LogisticRegression(max_iter=1000).fit(np.where(kept, embeddings, 0.0), task_labels)
    return Pruned(kept, model)


def t_within(columns: Floats, attribute: Ints, labels: Ints, freedom: int) -> Floats:
    """float64 (d,): t of the attribute for each of the columns (n, d), given the label; 0 if undefined.

    The t of the attribute's coefficient in the least-squares fit of a column to [1, A, Y].
    """
    x, a = centered(columns, labels), centered(attribute, labels)
    size = np.sqrt((x**2).sum(axis=0) * (a @ a))
    correlation: Floats = np.divide(a @ x, size, out=np.zeros(len(size)), where=size > 0)
    unexplained = np.maximum(1 - correlation**2, np.finfo(float).eps)
    return correlation * np.sqrt(freedom / unexplained)


def centered(values: npt.NDArray[Any], labels: Ints) -> Floats:
    """`values` (n, ...) less their mean among the rows of equal label; exactly 0 where they are constant."""
    result = values.astype(float)
    for label in np.unique(labels):
        rows = labels == label
        result[rows] -= values[rows][0]
        result[rows] -= result[rows].mean(axis=0)
    return result
