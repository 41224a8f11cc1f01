"""How much better squares and products of the embeddings predict the attribute than the task label alone.

A conditional probe on columns, their squares and all their products, 2,144 features of which it keeps the
few that correlate most with A. It screens inside each training fold: screening on all rows would let the
held-out rows help to choose the features and inflate the gain. The permutation test shuffles A within the
labels and repeats the whole cross-validation, screening included.

Source: C. Ambroise and G. J. McLachlan, Selection bias in gene extraction on the basis of microarray
gene-expression data, PNAS 99 (2002), for the screening.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

FOLDS = 5
KEPT = 4
PENALTY = 10.0
PERMUTATIONS = 99
ALPHA = 0.05


def detect(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> dict[str, Any]:
    """The gain of the screened features over the label, and whether it is significant within the labels.

    embeddings: float64 (n, d). attribute, task_labels: int64 (n,) of 0 and 1. seed: int.
    """
    rng = np.random.default_rng(seed)
    folds = rng.permutation(len(task_labels)) % FOLDS
    shuffles = shuffled_within(attribute, task_labels, PERMUTATIONS, rng)
    features = quadratic_features(embeddings, task_labels)
    gains = held_out_gains(features, np.vstack([attribute, shuffles]), task_labels, folds)
    above = np.count_nonzero(gains[1:] >= gains[0])
    return {"score": float(gains[0]), "flag": (1 + above) / (1 + PERMUTATIONS) <= ALPHA}


def quadratic_features(embeddings: Floats, labels: Ints) -> Floats:
    """float64 (n, d + d(d+1)/2): columns, squares and products, standardized within the labels.

    They are made of all rows, held out or not, since the attribute has no part in them.
    """
    x = standardized(embeddings, labels)
    left, right = np.triu_indices(x.shape[1])
    return np.hstack([x, standardized(x[:, left] * x[:, right], labels)])


def held_out_gains(features: Floats, attributes: Ints, labels: Ints, folds: Ints) -> Floats:
    """float64 (b,): the share of the squared error left by the label that the features (n, p) save.

    One value for each row of attributes (b, n), at most 1; negative where the probe only adds noise.
    folds: int64 (n,), the fold in which a row is held out.
    """
    by_label, by_probe = np.zeros((2, len(attributes)))
    for fold in range(FOLDS):
        train, test = folds != fold, folds == fold
        a = residuals(attributes, labels, train)
        kept = largest(np.abs(a[:, train] @ features[train]))
        chosen = np.moveaxis(features[:, kept], 1, 0)
        predicted = ridge_predictions(chosen[:, train], a[:, train], chosen[:, test])
        by_label += (a[:, test] ** 2).sum(axis=1)
        by_probe += ((a[:, test] - predicted) ** 2).sum(axis=1)
    return np.divide(by_label - by_probe, by_label, out=np.zeros_like(by_label), where=by_label > 0)


def largest(values: Floats) -> Ints:
    """int64 (b, KEPT): where the largest values of each row of (b, p) stand, in no order."""
    return np.argpartition(values, -KEPT, axis=1)[:, -KEPT:]


def ridge_predictions(train_x: Floats, train_a: Floats, test_x: Floats) -> Floats:
    """float64 (b, t): b ridge fits at once, of train_a (b, n) on train_x (b, n, k), at test_x (b, t, k)."""
    transposed = np.swapaxes(train_x, 1, 2)
    gram = transposed @ train_x + PENALTY * np.eye(train_x.shape[2])
    weights = np.linalg.solve(gram, transposed @ train_a[..., None])
    predictions: Floats = (test_x @ weights)[..., 0]
    return predictions


def standardized(values: Floats, labels: Ints) -> Floats:
    """`values` (n, p) less their mean within the labels, scaled to variance 1; 0 where they are constant."""
    result = np.empty_like(values)
    for label in np.unique(labels):
        rows = labels == label
        centered = values[rows] - values[rows][0]
        result[rows] = centered - centered.mean(axis=0)
    scale = np.sqrt(np.einsum("ij,ij->j", result, result) / len(result))
    scaled: Floats = np.divide(result, scale, out=np.zeros_like(result), where=scale > 0)
    return scaled


def residuals(attributes: Ints, labels: Ints, train: Bools) -> Floats:
    """float64 (b, n): attributes (b, n) less their mean among the training rows of equal label."""
    result = attributes.astype(float)
    for label in np.unique(labels[train]):
        rows = labels == label
        result[:, rows] -= attributes[:, rows & train].mean(axis=1, keepdims=True)
    return result


def shuffled_within(values: Ints, labels: Ints, count: int, rng: np.random.Generator) -> Ints:
    """int64 (count, n): `values` (n,) shuffled among the rows of equal label, `count` times."""
    shuffles = np.tile(values, (count, 1))
    for label in np.unique(labels):
        rows = labels == label
        shuffles[:, rows] = rng.permuted(shuffles[:, rows], axis=1)
    return shuffles
