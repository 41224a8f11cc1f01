"""The average of sparse logistic regressions on ten random subsets with equally large groups.

The last layer of deep feature reweighting, on embeddings that are given. Each subset takes as many rows of
every group of label and attribute as the smallest group has. The L1 penalty drops columns that say little of
the label, which suits this track, where few columns carry it. How strong it is, held-out halves of the
subsets decide by the accuracy of their worst group. All rows come from the training set, since there is no
validation set, and columns are not standardized, since they have one scale.

Source: P. Kirichenko, P. Izmailov and A. G. Wilson, Last layer re-training is sufficient for robustness to
spurious correlations, ICLR (2023).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SUBSETS = 10
# The inverse penalties among which the authors' code chooses, weakest penalty first.
STRENGTHS = (1.0, 0.7, 0.3, 0.1, 0.07, 0.03, 0.01)


@dataclass(frozen=True)
class Average:
    """A linear classifier."""

    weights: Floats
    """float64 (d,): the mean of the subsets' weights."""
    intercept: float
    """The mean of their intercepts."""

    def predict(self, embeddings: Floats) -> Ints:
        """int64 (n,) of 0 and 1 for embeddings (n, d)."""
        return (embeddings @ self.weights + self.intercept > 0).astype(np.int64)


def fit(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> Average:
    """A classifier of the task labels, averaged over SUBSETS subsets.

    embeddings: float64 (n, d). attribute, task_labels: int64 (n,) of 0 and 1. seed: int.
    """
    rng = np.random.default_rng(seed)
    subsets = [balanced_rows(attribute, task_labels, rng) for _ in range(SUBSETS)]
    strength = best_strength(embeddings, task_labels, subsets)
    models = [sparse_model(embeddings, task_labels, rows.ravel(), strength) for rows in subsets]
    return average(models)


def average(models: list[LogisticRegression]) -> Average:
    """The classifier whose weights and intercept are the means of those of the models."""
    weights = np.mean([model.coef_[0] for model in models], axis=0)
    return Average(weights, float(np.mean([model.intercept_[0] for model in models])))


def best_strength(embeddings: Floats, labels: Ints, subsets: list[Ints]) -> float:
    """The strength of the best mean worst-group accuracy on held-out halves of the subsets (g, m).

    The first among equals, which is the weakest penalty; so too where a group has one row and no half.
    """
    half = subsets[0].shape[1] // 2
    if half == 0:
        return STRENGTHS[0]
    scores = np.zeros(len(STRENGTHS))
    for rows in subsets:
        train, held = rows[:, :half].ravel(), rows[:, half:]
        for place, strength in enumerate(STRENGTHS):
            model = sparse_model(embeddings, labels, train, strength)
            right = model.predict(embeddings[held.ravel()]).reshape(held.shape) == labels[held]
            scores[place] += right.mean(axis=1).min()
    return STRENGTHS[int(scores.argmax())]


def sparse_model(embeddings: Floats, labels: Ints, rows: Ints, strength: float) -> LogisticRegression:
    """Logistic regression with an L1 penalty on the rows named."""
    model = LogisticRegression(C=strength, l1_ratio=1.0, solver="liblinear", max_iter=1000, random_state=0)
    return model.fit(embeddings[rows], labels[rows])


def balanced_rows(attribute: Ints, labels: Ints, rng: np.random.Generator) -> Ints:
    """int64 (g, m): m rows, in random order, of each group not empty; m is the size of the smallest."""
    groups = 2 * labels + attribute
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    smallest = min(len(rows) for rows in members)
    return np.stack([rng.choice(rows, smallest, replace=False) for rows in members])
