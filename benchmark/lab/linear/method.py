"""Linear models on embeddings: the plain classifier that mitigation is measured against, and the probe."""

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FOLDS = 5
ITERATIONS = 1000


class Laboratory:
    """The computations of this laboratory, by name; each a function of its arguments alone."""

    def plain_predictions(self, embeddings: Floats, task_labels: Ints, queries: Floats) -> Ints:
        """int64 (m,): what logistic regression, trained on everything alike, predicts for the queries (m, d).

        embeddings: float64 (n, d). task_labels: int64 (n,) of 0 and 1. Source: track specification,
        embedding-mitigation, `gain_over_erm`.
        """
        predicted: Ints = (
            LogisticRegression(max_iter=ITERATIONS).fit(embeddings, task_labels).predict(queries)
        )
        return predicted

    def leakage(self, columns: Floats, attribute: Ints, task_labels: Ints) -> float:
        """The out-of-fold AUROC, in [0, 1], of a linear probe of the attribute from columns (n, k) and label.

        Five folds, stratified by attribute and label. Each column is first replaced by normal scores of its
        ranks, so that no scale, offset or heavy tail hides anything from the probe. 0.5 where all columns are
        constant. attribute, task_labels: int64 (n,) of 0 and 1. Source: track specification,
        embedding-mitigation, `leakage_auroc`.
        """
        if (columns == columns[0]).all():
            return 0.5
        shaped = ndtri((rankdata(columns, axis=0) - 0.5) / len(columns))
        known = np.column_stack([shaped, task_labels])
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        parts = list(folds.split(known, 2 * attribute + task_labels))
        probe = make_pipeline(StandardScaler(), LogisticRegression(max_iter=ITERATIONS))
        scores = cross_val_predict(probe, known, attribute, cv=parts, method="decision_function")
        return float(roc_auc_score(attribute, scores))


def laboratory() -> Laboratory:
    """The object whose methods are called."""
    return Laboratory()
