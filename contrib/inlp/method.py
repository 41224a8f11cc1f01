"""Logistic regression after the directions that tell the attribute have been projected out one by one.

Each round trains a linear probe of the attribute and projects the embeddings onto the plane in which that
probe is blind, until a cross-validated probe is no better than chance. The groups of label and attribute
weigh the same to the probe, so the label tells it nothing: an unweighted probe would find the attribute by
the label, and the label would be projected out with it.

Source: S. Ravfogel, Y. Elazar, H. Gonen, M. Twiton and Y. Goldberg, Null it out: guarding protected
attributes by iterative nullspace projection, ACL (2020), algorithm 1; the weights are an addition.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FOLDS = 5
CHANCE = 0.5
# Weights of a probe that are shorter come from rounding.
SHORTEST = 1e-8


@dataclass(frozen=True)
class Projected:
    """A classifier of projected embeddings."""

    directions: Floats
    """float64 (k, d): what was projected out, of length 1 and orthogonal."""
    model: LogisticRegression
    """What classifies the rest."""

    def transform(self, embeddings: Floats) -> Floats:
        """float64 (n, d): the embeddings (n, d) without their parts along the directions."""
        return without(embeddings, self.directions)

    def predict(self, embeddings: Floats) -> Ints:
        """int64 (n,) of 0 and 1 for embeddings (n, d)."""
        predicted: Ints = self.model.predict(self.transform(embeddings))
        return predicted


def fit(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> Projected:
    """The directions that tell the attribute, and a classifier of the task labels without them.

    embeddings: float64 (n, d). attribute, task_labels: int64 (n,) of 0 and 1. seed: int.
    """
    groups = 2 * task_labels + attribute
    folds = folds_within(groups, np.random.default_rng(seed))
    directions = telling_directions(embeddings, attribute, group_weights(groups), folds)
    model = LogisticRegression(max_iter=1000).fit(without(embeddings, directions), task_labels)
    return Projected(directions, model)


def telling_directions(embeddings: Floats, attribute: Ints, weights: Floats, folds: Ints) -> Floats:
    """float64 (k, d): the probes' directions, of length 1, until a held-out probe is at chance.

    No more than there are columns, and none where the attribute has one class or a probe has no weights.
    """
    directions = np.zeros((0, embeddings.shape[1]))
    while len(directions) < embeddings.shape[1]:
        rest = without(embeddings, directions)
        if held_out_accuracy(rest, attribute, weights, folds) <= CHANCE:
            break
        found = without(probe(rest, attribute, weights).coef_, directions)
        length = np.linalg.norm(found)
        if length < SHORTEST:
            break
        directions = np.vstack([directions, found / length])
    return directions


def without(rows: Floats, directions: Floats) -> Floats:
    """The rows (n, d) less their parts along the orthogonal directions (k, d), each row by itself."""
    rest = rows.copy()
    for direction in directions:
        rest -= (rest * direction).sum(axis=1, keepdims=True) * direction
    return rest


def held_out_accuracy(rows: Floats, attribute: Ints, weights: Floats, folds: Ints) -> float:
    """The weighted accuracy of cross-validated probes; a row whose probe would see one class is a miss."""
    right = np.zeros(len(rows), dtype=bool)
    for fold in range(FOLDS):
        test, train = folds == fold, folds != fold
        if test.any() and len(np.unique(attribute[train])) == 2:
            model = probe(rows[train], attribute[train], weights[train])
            right[test] = model.predict(rows[test]) == attribute[test]
    return float(np.average(right, weights=weights))


def probe(rows: Floats, attribute: Ints, weights: Floats) -> LogisticRegression:
    """A linear classifier of the attribute from weighted rows."""
    return LogisticRegression(max_iter=1000).fit(rows, attribute, sample_weight=weights)


def group_weights(groups: Ints) -> Floats:
    """float64 (n,): n / (4 n_g) for a row of a group of n_g rows."""
    weights: Floats = len(groups) / (4 * np.bincount(groups, minlength=4)[groups])
    return weights


def folds_within(groups: Ints, rng: np.random.Generator) -> Ints:
    """int64 (n,): the fold in which a row is held out; each group is spread evenly over the folds."""
    folds = np.zeros(len(groups), dtype=np.int64)
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        folds[rows] = rng.permutation(len(rows)) % FOLDS
    return folds
