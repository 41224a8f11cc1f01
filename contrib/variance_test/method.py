"""Whether any column's spread depends on the attribute within a task label.

The Brown-Forsythe test: each value becomes its distance to the median of its (A, Y) cell, and the mean
distances are compared by a t test of A, pooled over the labels, with Bonferroni's correction over the
columns. It sees a change of spread; equal shifts of the mean leave it unmoved.

Source: M. B. Brown and A. B. Forsythe, Robust tests for the equality of variances, JASA 69 (1974).
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ALPHA = 0.05


def detect(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> dict[str, Any]:
    """The largest |t| of the distances over the columns, and whether its corrected p-value is at most ALPHA.

    embeddings: float64 (n, d). attribute, task_labels: int64 (n,) of 0 and 1. seed: not used.
    The columns share their degrees of freedom, so |t| orders cases as -log p does, and never underflows.
    """
    distances = distances_to_median(embeddings, attribute, task_labels)
    freedom = max(len(attribute) - len(np.unique(task_labels)) - 1, 1)
    largest = np.abs(t_within(distances, attribute, task_labels, freedom)).max()
    p_value = 2 * stats.t.sf(largest, freedom) * embeddings.shape[1]
    return {"score": float(largest), "flag": bool(p_value <= ALPHA)}


def distances_to_median(embeddings: Floats, attribute: Ints, labels: Ints) -> Floats:
    """float64 (n, d): |value - median of its column among the rows of equal attribute and label|."""
    distances = np.empty_like(embeddings)
    for cell in np.unique(2 * labels + attribute):
        rows = 2 * labels + attribute == cell
        distances[rows] = np.abs(embeddings[rows] - np.median(embeddings[rows], axis=0))
    return distances


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
