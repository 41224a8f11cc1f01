"""How well a linear probe predicts the attribute from the embeddings, whatever the task label.

The usual probe: a cross-validated logistic regression of A on E. It ignores Y, and so does its permutation
test. Where A and Y are correlated, embeddings of Y alone already predict A: the flag then fires on nulls.

Source: G. Alain and Y. Bengio, Understanding intermediate layers using linear classifier probes (2016).
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FOLDS = 5
PERMUTATIONS = 199
ALPHA = 0.05


def detect(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> dict[str, Any]:
    """The AUROC of the held-out predictions, and whether it is significant against permutations of A.

    embeddings: float64 (n, d). attribute: int64 (n,) of 0 and 1. task_labels: not used. seed: int.
    An attribute with fewer than FOLDS rows in a class cannot be cross-validated and scores 0.5.
    """
    if np.bincount(attribute, minlength=2).min() < FOLDS:
        return {"score": 0.5, "flag": False}
    predictions = held_out_predictions(embeddings, attribute, seed)
    observed = auroc(predictions, attribute[None])[0]
    shuffles = np.random.default_rng(seed).permuted(np.tile(attribute, (PERMUTATIONS, 1)), axis=1)
    above = np.count_nonzero(auroc(predictions, shuffles) >= observed)
    return {"score": float(observed), "flag": (1 + above) / (1 + PERMUTATIONS) <= ALPHA}


def held_out_predictions(embeddings: Floats, attribute: Ints, seed: int) -> Floats:
    """float64 (n,): the log-odds of A that each row gets from the probe that was not fitted on it."""
    probe = make_pipeline(StandardScaler(), LogisticRegression())
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    log_odds: Floats = cross_val_predict(probe, embeddings, attribute, cv=folds, method="decision_function")
    return log_odds


def auroc(predictions: Floats, attributes: Ints) -> Floats:
    """float64 (b,): the AUROC of predictions (n,) for each row of attributes (b, n), by the rank sum."""
    positives = attributes.sum(axis=1)
    negatives = attributes.shape[1] - positives
    rank_sums = attributes @ rankdata(predictions)
    areas: Floats = (rank_sums - positives * (positives + 1) / 2) / (positives * negatives)
    return areas
