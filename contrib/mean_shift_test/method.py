"""Whether any column's mean depends on the attribute within a task label.

For each column the two-sample t test of A, pooled over the labels (an analysis of variance with the label
as a block), and Bonferroni's correction over the columns. It sees a shift of the mean and nothing else.

Source: O. J. Dunn, Multiple comparisons among means, JASA 56 (1961), for the correction.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ALPHA = 0.05


def detect(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> dict[str, Any]:
    """The largest |t| over the columns, and whether its corrected p-value is at most ALPHA.

    embeddings: float64 (n, d). attribute, task_labels: int64 (n,) of 0 and 1. seed: not used.
    The columns share their degrees of freedom, so |t| orders cases as -log p does, and never underflows.
    """
    freedom = max(len(attribute) - len(np.unique(task_labels)) - 1, 1)
    largest = np.abs(t_within(embeddings, attribute, task_labels, freedom)).max()
    p_value = 2 * stats.t.sf(largest, freedom) * embeddings.shape[1]
    return {"score": float(largest), "flag": bool(p_value <= ALPHA)}


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
