"""Pure metric functions over weighted cases.

Every function takes the columns of n cases and weights float64 (b, n), one row of whole counts for
each of b resamples, and gives float64 (b,): the metric of each resample. Plain values are the case
b = 1 with weights of one, so an estimate and its interval come from the same line of code. NaN stands
only for a resample that drew no case the metric needs; a metric of nothing at all raises.
"""

from collections.abc import Callable

import numpy as np

from benchmark.records import BoolArray, Columns, FloatArray, Kind

Compute = Callable[[Columns, FloatArray], FloatArray]


class UndefinedMetric(Exception):
    """The metric has no value for these cases; the message says why, in one line."""


def _scores(columns: Columns) -> FloatArray:
    if columns.score is None:
        raise UndefinedMetric("the entry returns no score")
    return columns.score


def _flags(columns: Columns) -> BoolArray:
    if columns.flag is None:
        raise UndefinedMetric("the entry returns no flag")
    return columns.flag


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """above / below, (b,); NaN where a resample drew nothing to divide by."""
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


def _share(hits: BoolArray, weights: FloatArray, nothing: str) -> FloatArray:
    """The weighted share of `hits` (n,) for each row of `weights` (b, n), as (b,)."""
    if not hits.size:
        raise UndefinedMetric(nothing)
    return _ratio(weights @ hits.astype(np.float64), weights.sum(axis=1))


def weighted_auroc(scores: FloatArray, positive: BoolArray, weights: FloatArray) -> FloatArray:
    """P(score of a positive > score of a negative) + P(equal) / 2, in [0, 1]; higher is better, chance 0.5.

    scores: float64 (n,), finite. positive: bool (n,). weights: float64 (b, n), at least 0.
    Returns float64 (b,). Raises UndefinedMetric when there is no positive or no negative case.
    Source: Hanley and McNeil (1982), the Mann-Whitney form of the area under the ROC curve.
    """
    if positive.all() or not positive.any():
        raise UndefinedMetric("needs at least one shortcut case and one null case")
    high, low = scores[positive][:, None], scores[~positive][None, :]
    wins = (high > low) + 0.5 * (high == low)
    positives, negatives = weights[:, positive], weights[:, ~positive]
    pairs = positives.sum(axis=1) * negatives.sum(axis=1)
    return _ratio(((positives @ wins) * negatives).sum(axis=1), pairs)


def variant_auroc(columns: Columns, weights: FloatArray, variant: str) -> FloatArray:
    """AUROC of the score, shortcut against null cases of one variant, (b,) in [0, 1]; chance 0.5.

    Ambiguous cases are left out. Raises UndefinedMetric without scores or without such cases.
    """
    scores = _scores(columns)
    rows = (columns.variant == variant) & (columns.kind != Kind.AMBIGUOUS)
    return weighted_auroc(scores[rows], columns.kind[rows] == Kind.SHORTCUT, weights[:, rows])


def mean_variant_auroc(columns: Columns, weights: FloatArray) -> FloatArray:
    """Mean over the variants of the AUROC of the score, (b,) in [0, 1]; higher is better, chance 0.5.

    Raises UndefinedMetric without scores, or when a variant has no shortcut or no null case.
    Source: track specification, embedding-detection, "Metrics".
    """
    variants = [str(variant) for variant in np.unique(columns.variant)]
    total = sum((variant_auroc(columns, weights, v) for v in variants), start=np.zeros(len(weights)))
    return total / len(variants)


def flag_fpr(columns: Columns, weights: FloatArray) -> FloatArray:
    """Share of null cases the flag fires on, (b,) in [0, 1]; lower is better.

    Raises UndefinedMetric without flags or null cases.
    """
    rows = columns.kind == Kind.NULL
    return _share(_flags(columns)[rows], weights[:, rows], "there is no null case")


def flag_tpr(columns: Columns, weights: FloatArray, strength: float | None = None) -> FloatArray:
    """Share of shortcut cases (all, or of one strength) the flag fires on, (b,) in [0, 1]; higher is better.

    Raises UndefinedMetric without flags or such cases.
    """
    rows = columns.kind == Kind.SHORTCUT
    if strength is not None:
        rows &= columns.strength == strength
    return _share(_flags(columns)[rows], weights[:, rows], "there is no such shortcut case")


def _figure(columns: Columns, name: str) -> FloatArray:
    if name not in columns.figures:
        raise UndefinedMetric(f"no case has the figure {name}")
    return columns.figures[name]


def figure_mean(columns: Columns, weights: FloatArray, figure: str, missing: str | None = None) -> FloatArray:
    """Mean over all cases of a per-case figure, (b,).

    missing: why an entry may lack the figure, in a few words. Raises UndefinedMetric when it does.
    """
    if missing and figure not in columns.figures:
        raise UndefinedMetric(missing)
    return _ratio(weights @ _figure(columns, figure), weights.sum(axis=1))


def gain_over_erm(columns: Columns, weights: FloatArray) -> FloatArray:
    """Mean over all cases of the worst-group accuracy gained over plain training, (b,) in [-1, 1].

    Source: track specification, embedding-mitigation, "Metrics".
    """
    gains = _figure(columns, "worst_group_acc") - _figure(columns, "erm_worst_group_acc")
    return _ratio(weights @ gains, weights.sum(axis=1))


def reliance_spearman(columns: Columns, weights: FloatArray) -> FloatArray:
    """Rank correlation of the score with the measured reliance, (b,) in [-1, 1]; higher is better, chance 0.

    Over all cases, ambiguous ones included; ties have their mean rank. Raises UndefinedMetric without
    scores, or when all scores or all reliances are equal. Source: track specification, image-detection,
    "Metrics"; Spearman (1904).
    """
    scores, reliance = _scores(columns), _figure(columns, "reliance")
    if len(np.unique(scores)) < 2 or len(np.unique(reliance)) < 2:
        raise UndefinedMetric("needs scores, and reliances, that are not all equal")
    return _correlation(_ranks(scores, weights), _ranks(reliance, weights), weights)


def _ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """float64 (b, n): the mean rank of each of `values` (n,) among the cases that `weights` (b, n) counts."""
    lower = (values[:, None] < values[None, :]).astype(np.float64)
    level = (values[:, None] == values[None, :]).astype(np.float64)
    ranks: FloatArray = weights @ lower + (weights @ level + 1) / 2
    return ranks


def _correlation(left: FloatArray, right: FloatArray, weights: FloatArray) -> FloatArray:
    """Pearson's correlation (b,) of two (b, n) under `weights` (b, n); NaN where one is constant."""
    total = np.maximum(weights.sum(axis=1, keepdims=True), 1)
    left = left - (weights * left).sum(axis=1, keepdims=True) / total
    right = right - (weights * right).sum(axis=1, keepdims=True) / total
    spread = np.sqrt((weights * left**2).sum(axis=1) * (weights * right**2).sum(axis=1))
    return _ratio((weights * left * right).sum(axis=1), spread)


def pointing_game(columns: Columns, weights: FloatArray) -> FloatArray:
    """Share of the patched images of shortcut cases whose heatmap peaks on the patch, (b,) in [0, 1].

    Higher is better; a random peak hits with probability 36/1024. Raises UndefinedMetric without heatmaps
    or without such images. Source: track specification, image-detection, "Metrics"; Zhang et al. (2016).
    """
    if "hits" not in columns.figures:
        raise UndefinedMetric("the entry returns no heatmaps")
    rows = columns.kind == Kind.SHORTCUT
    hits, patched = columns.figures["hits"][rows], _figure(columns, "patched")[rows]
    if not patched.sum():
        raise UndefinedMetric("there is no patched image in a shortcut case")
    return _ratio(weights[:, rows] @ hits, weights[:, rows] @ patched)
