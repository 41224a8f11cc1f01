"""Whether the product of any two columns depends on the attribute within a task label.

Two columns can carry A in the sign of their product (an exclusive or) while neither alone tells anything.
For each pair, the product of the two columns, each centered within its (A, Y) cell, is compared by a t test
of A pooled over the labels: a test for equal covariance matrices by their most different entry, with
Bonferroni's correction over the pairs. Centered within the label alone, shifts of the mean would count too.

Source: T. Cai, W. Liu and Y. Xia, Two-sample covariance matrix testing and support recovery in
high-dimensional and sparse settings, JASA 108 (2013); here without the diagonal.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ALPHA = 0.05


def detect(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> dict[str, Any]:
    """The largest |t| over the pairs of columns, and whether its corrected p-value is at most ALPHA.

    embeddings: float64 (n, d). attribute, task_labels: int64 (n,) of 0 and 1. seed: not used.
    The pairs share their degrees of freedom, so |t| orders cases as -log p does, and never underflows.
    """
    products = pair_products(centered(embeddings, 2 * task_labels + attribute))
    freedom = max(len(attribute) - len(np.unique(task_labels)) - 1, 1)
    largest = np.abs(t_within(products, attribute, task_labels, freedom)).max(initial=0.0)
    p_value = 2 * stats.t.sf(largest, freedom) * products.shape[1]
    return {"score": float(largest), "flag": bool(p_value <= ALPHA)}


def pair_products(columns: Floats) -> Floats:
    """float64 (n, d(d-1)/2): the products of all pairs of different columns of (n, d)."""
    left, right = np.triu_indices(columns.shape[1], k=1)
    return columns[:, left] * columns[:, right]


def t_within(features: Floats, attribute: Ints, labels: Ints, freedom: int) -> Floats:
    """float64 (p,): t of the attribute for each of the features (n, p), given the label; 0 if undefined."""
    x, a = centered(features, labels), centered(attribute, labels)
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
