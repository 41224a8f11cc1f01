"""Logistic regression on a random subset in which the groups of label and attribute are equally large.

Every group keeps as many rows as the smallest one has, so that in the subset the attribute says nothing of
the label. All other rows are thrown away. A group without rows is left out of the count.

Source: B. Y. Idrissi, M. Arjovsky, M. Pezeshki and D. Lopez-Paz, Simple data balancing achieves competitive
worst-group-accuracy, CLeaR (2022), where it is called SUBG.
"""

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def fit(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> LogisticRegression:
    """A classifier of the task labels, fitted to the subset.

    embeddings: float64 (n, d). attribute, task_labels: int64 (n,) of 0 and 1. seed: int.
    """
    rows = balanced_rows(attribute, task_labels, np.random.default_rng(seed))
    return LogisticRegression(max_iter=1000).fit(embeddings[rows], task_labels[rows])


def balanced_rows(attribute: Ints, labels: Ints, rng: np.random.Generator) -> Ints:
    """int64 (g * m,): m rows of each of the g groups that are not empty; m is the size of the smallest."""
    groups = 2 * labels + attribute
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    smallest = min(len(rows) for rows in members)
    return np.concatenate([rng.choice(rows, smallest, replace=False) for rows in members])
