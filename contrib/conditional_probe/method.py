"""How much better a linear probe predicts the attribute from embeddings and label than from the label alone.

A ridge probe, cross-validated. Attribute and embeddings enter less their means within each label of the
training fold, so whatever the label says of either is gone. The permutation test shuffles A within the
labels and repeats the whole cross-validation, for all shuffles at once since they share the probe's
matrices.

Source: J. Hewitt, K. Ethayarajh, P. Liang and C. D. Manning, Conditional probing: measuring usable
information beyond a baseline, EMNLP (2021); here with squared error.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

FOLDS = 5
PENALTY = 100.0
PERMUTATIONS = 199
ALPHA = 0.05


def detect(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> dict[str, Any]:
    """The gain of the embeddings over the label, and whether it is significant within the labels.

    embeddings: float64 (n, d). attribute, task_labels: int64 (n,) of 0 and 1. seed: int.
    """
    rng = np.random.default_rng(seed)
    folds = rng.permutation(len(task_labels)) % FOLDS
    shuffles = shuffled_within(attribute, task_labels, PERMUTATIONS, rng)
    gains = held_out_gains(embeddings, np.vstack([attribute, shuffles]), task_labels, folds)
    above = np.count_nonzero(gains[1:] >= gains[0])
    return {"score": float(gains[0]), "flag": (1 + above) / (1 + PERMUTATIONS) <= ALPHA}


def held_out_gains(embeddings: Floats, attributes: Ints, labels: Ints, folds: Ints) -> Floats:
    """float64 (b,): the share of the squared error left by the label that the embeddings (n, d) save.

    One value for each row of attributes (b, n), at most 1; negative where the probe only adds noise.
    folds: int64 (n,), the fold in which a row is held out.
    """
    by_label, by_probe = np.zeros((2, len(attributes)))
    for fold in range(FOLDS):
        train, test = folds != fold, folds == fold
        x = residuals(embeddings, labels, train)
        a = residuals(attributes.T, labels, train)
        gram = x[train].T @ x[train] + PENALTY * np.eye(x.shape[1])
        weights = np.linalg.solve(gram, x[train].T @ a[train])
        by_label += (a[test] ** 2).sum(axis=0)
        by_probe += ((a[test] - x[test] @ weights) ** 2).sum(axis=0)
    return np.divide(by_label - by_probe, by_label, out=np.zeros_like(by_label), where=by_label > 0)


def residuals(values: npt.NDArray[Any], labels: Ints, train: Bools) -> Floats:
    """`values` (n, p) less their mean among the training rows of equal label."""
    result = values.astype(float)
    for label in np.unique(labels[train]):
        result[labels == label] -= values[train & (labels == label)].mean(axis=0)
    return result


def shuffled_within(values: Ints, labels: Ints, count: int, rng: np.random.Generator) -> Ints:
    """int64 (count, n): `values` (n,) shuffled among the rows of equal label, `count` times."""
    shuffles = np.tile(values, (count, 1))
    for label in np.unique(labels):
        rows = labels == label
        shuffles[:, rows] = rng.permuted(shuffles[:, rows], axis=1)
    return shuffles
