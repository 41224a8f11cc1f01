"""Whether the mean, the spread or a product of columns depends on the attribute within a task label.

Three tests in one: columns, their distances to the label's median, and products of pairs of columns are
correlated with A, and each kind keeps its largest correlation. The three maxima have different null laws,
so each is standardized over the observed and the permuted rows alike before the largest is taken. The
permutation test (A shuffled within the labels) of that maximum corrects for all 2,144 features and keeps
their dependence.

Source: P. H. Westfall and J. F. Troendle, Multiple testing with minimal assumptions, Biometrical Journal 50
(2008), for the permutation test of a maximum.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

PERMUTATIONS = 199
ALPHA = 0.05


def detect(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> dict[str, Any]:
    """The largest standardized maximum of the three tests, and whether it is significant.

    embeddings: float64 (n, d). attribute, task_labels: int64 (n,) of 0 and 1. seed: int.
    """
    rng = np.random.default_rng(seed)
    shuffles = shuffled_within(attribute, task_labels, PERMUTATIONS, rng)
    attributes = centered(np.vstack([attribute, shuffles]).T, task_labels).T
    maxima = np.column_stack(
        [
            largest_correlations(centered(features, task_labels), attributes)
            for features in (embeddings, spreads(embeddings, task_labels), products(embeddings, task_labels))
        ]
    )
    spread = np.maximum(maxima.std(axis=0), np.finfo(float).eps)
    statistics = ((maxima - maxima.mean(axis=0)) / spread).max(axis=1)
    above = np.count_nonzero(statistics[1:] >= statistics[0])
    return {"score": float(statistics[0]), "flag": (1 + above) / (1 + PERMUTATIONS) <= ALPHA}


def largest_correlations(features: Floats, attributes: Floats) -> Floats:
    """float64 (b,): for each row of attributes (b, n), its largest |correlation| with the features (n, p).

    Both are centered within the labels; a constant feature or attribute counts as uncorrelated.
    """
    norms = np.linalg.norm(features, axis=0)
    units = np.divide(features, norms, out=np.zeros_like(features), where=norms > 0)
    largest = np.abs(attributes @ units).max(axis=1, initial=0.0)
    size = np.linalg.norm(attributes, axis=1)
    correlations: Floats = np.divide(largest, size, out=np.zeros_like(largest), where=size > 0)
    return correlations


def spreads(embeddings: Floats, labels: Ints) -> Floats:
    """float64 (n, d): |value - median of its column among the rows of equal label|."""
    result = np.empty_like(embeddings)
    for label in np.unique(labels):
        rows = labels == label
        result[rows] = np.abs(embeddings[rows] - np.median(embeddings[rows], axis=0))
    return result


def products(embeddings: Floats, labels: Ints) -> Floats:
    """float64 (n, d(d-1)/2): the products of all pairs of columns, each centered within the labels."""
    columns = centered(embeddings, labels)
    left, right = np.triu_indices(columns.shape[1], k=1)
    return columns[:, left] * columns[:, right]


def centered(values: npt.NDArray[Any], labels: Ints) -> Floats:
    """`values` (n, p) less their mean among the rows of equal label; exactly 0 where they are constant."""
    result = values.astype(float)
    for label in np.unique(labels):
        rows = labels == label
        result[rows] -= values[rows][0]
        result[rows] -= result[rows].mean(axis=0)
    return result


def shuffled_within(values: Ints, labels: Ints, count: int, rng: np.random.Generator) -> Ints:
    """int64 (count, n): `values` (n,) shuffled among the rows of equal label, `count` times."""
    shuffles = np.tile(values, (count, 1))
    for label in np.unique(labels):
        rows = labels == label
        shuffles[:, rows] = rng.permuted(shuffles[:, rows], axis=1)
    return shuffles
