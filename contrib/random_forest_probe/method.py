"""How much better a random forest predicts the attribute from embeddings and task label than the label alone.

Each row is predicted by the trees that were not grown on it (out of bag), so no second split of the data is
needed. Trees see shifts, spreads and, where one column of a pair is split first, products. Returns no flag.

Source: L. Breiman, Random forests, Machine Learning 45 (2001).
"""

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import RandomForestClassifier

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

TREES = 100
LEAF = 5


def detect(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> float:
    """The Brier score of the label alone less that of the forest on [E, Y], both held out; higher is better.

    embeddings: float64 (n, d). attribute, task_labels: int64 (n,) of 0 and 1. seed: int.
    An attribute of one class leaves nothing to predict and scores 0.
    """
    if len(np.unique(attribute)) < 2:
        return 0.0
    by_label = leave_one_out_rates(attribute, task_labels)
    by_forest = out_of_bag_rates(np.column_stack([embeddings, task_labels]), attribute, seed)
    return float(np.mean((attribute - by_label) ** 2 - (attribute - by_forest) ** 2))


def leave_one_out_rates(attribute: Ints, labels: Ints) -> Floats:
    """float64 (n,): the share of A = 1 among the other rows of equal label; 0.5 where there is none."""
    rates = np.full(len(labels), 0.5)
    for label in np.unique(labels):
        rows = labels == label
        if others := rows.sum() - 1:
            rates[rows] = (attribute[rows].sum() - attribute[rows]) / others
    return rates


def out_of_bag_rates(features: Floats, attribute: Ints, seed: int) -> Floats:
    """float64 (n,): the probability of A = 1 by the trees that did not see the row; 0.5 where all did."""
    forest = RandomForestClassifier(TREES, min_samples_leaf=LEAF, oob_score=True, random_state=seed)
    rates: Floats = forest.fit(features, attribute).oob_decision_function_[:, 1]
    return np.nan_to_num(rates, nan=0.5)
