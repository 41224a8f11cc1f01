"""Logistic regression on the embeddings as they are, without a look at the attribute.

The baseline that the others are measured against: where the attribute agrees with the label in 90% of the
training rows or more, it leans on the attribute and fails the groups in which the two disagree.

Source: V. N. Vapnik, An overview of statistical learning theory, IEEE Transactions on Neural Networks 10
(1999), for the principle.
"""

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def fit(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> LogisticRegression:
    """A classifier of the task labels, with scikit-learn's default penalty.

    embeddings: float64 (n, d). attribute: not used. task_labels: int64 (n,) of 0 and 1. seed: not used.
    """
    return LogisticRegression(max_iter=1000).fit(embeddings, task_labels)
