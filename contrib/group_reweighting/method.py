"""Logistic regression in which the four groups of label and attribute weigh the same, however small they are.

A row of a group of n_g rows has the weight n / (4 n_g). Under these weights the attribute says nothing of the
label, so there is nothing to gain from it. The price is variance: few rows speak for the small groups.

Source: B. Y. Idrissi, M. Arjovsky, M. Pezeshki and D. Lopez-Paz, Simple data balancing achieves competitive
worst-group-accuracy, CLeaR (2022), where it is called RWG.
"""

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def fit(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> LogisticRegression:
    """A classifier of the task labels, fitted to weighted rows.

    embeddings: float64 (n, d). attribute, task_labels: int64 (n,) of 0 and 1. seed: not used.
    """
    weights = group_weights(attribute, task_labels)
    return LogisticRegression(max_iter=1000).fit(embeddings, task_labels, sample_weight=weights)


def group_weights(attribute: Ints, labels: Ints) -> Floats:
    """float64 (n,): n / (4 n_g) for a row of a group of n_g rows; they sum to n where no group is empty."""
    groups = 2 * labels + attribute
    weights: Floats = len(groups) / (4 * np.bincount(groups, minlength=4)[groups])
    return weights
