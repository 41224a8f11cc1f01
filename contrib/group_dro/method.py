"""A linear classifier trained for the worst group of label and attribute (distributionally robust training).

Two players take turns. The groups' weights move to the groups of large loss by exponentiated gradient; the
classifier takes a gradient step on the loss so weighted. Every step sees all rows, so nothing is random.

The losses are those of the training rows. Of a group with few rows and many columns they say too little,
since such rows are soon fitted by heart; then the weight moves to the large groups, where it is not needed.

Source: S. Sagawa, P. W. Koh, T. B. Hashimoto and P. Liang, Distributionally robust neural networks for group
shifts, ICLR (2020), algorithm 1.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# After so many turns at these rates the groups' losses agree to three digits on this track.
STEPS = 500
RATE = 0.5
GROUP_RATE = 0.1
# As strong as the paper asks for: under a weak penalty the small groups are fitted by heart.
PENALTY = 0.1


@dataclass(frozen=True)
class Robust:
    """A linear classifier, and how the groups weighed in the end."""

    weights: Floats
    """float64 (d,)."""
    intercept: float
    """Added to the weighted sum of a row."""
    shares: Floats
    """float64 (g,): the final weight of each group that is not empty, in order of 2 Y + A; they sum to 1."""

    def predict(self, embeddings: Floats) -> Ints:
        """int64 (n,) of 0 and 1 for embeddings (n, d)."""
        return (embeddings @ self.weights + self.intercept > 0).astype(np.int64)


def fit(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> Robust:
    """A classifier of the task labels after STEPS turns.

    embeddings: float64 (n, d). attribute, task_labels: int64 (n,) of 0 and 1. seed: not used.
    """
    rows = np.column_stack([embeddings, np.ones(len(embeddings))])
    signs, averages = 2 * task_labels - 1, group_averages(2 * task_labels + attribute)
    weights, shares = np.zeros(rows.shape[1]), np.full(len(averages), 1 / len(averages))
    penalty = np.append(np.full(embeddings.shape[1], PENALTY), 0.0)
    for _ in range(STEPS):
        margins = signs * (rows @ weights)
        shares = moved(shares, averages @ np.logaddexp(0, -margins))
        slopes = -signs * expit(-margins) * (shares @ averages)
        weights = weights - RATE * (slopes @ rows + penalty * weights)
    return Robust(weights[:-1], float(weights[-1]), shares)


def group_averages(groups: Ints) -> Floats:
    """float64 (g, n): one row for each group present, which averages over its members."""
    member = np.unique(groups)[:, None] == groups
    averages: Floats = member / member.sum(axis=1, keepdims=True)
    return averages


def moved(shares: Floats, losses: Floats) -> Floats:
    """The groups' weights (g,) after a step of exponentiated gradient on their losses (g,); they sum to 1."""
    grown = shares * np.exp(GROUP_RATE * losses)
    result: Floats = grown / grown.sum()
    return result
