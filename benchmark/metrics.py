"""Pure metric functions over weighted cases, and the literal table of all metrics.

Every function takes the columns of n cases and weights float64 (b, n), one row of whole counts for
each of b resamples, and gives float64 (b,): the metric of each resample. Plain values are the case
b = 1 with weights of one, so an estimate and its interval come from the same line of code. NaN stands
only for a resample that drew no case the metric needs; a metric of nothing at all raises.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

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


@dataclass(frozen=True)
class Metric:
    """Everything the scorer and the site need to know of a metric."""

    title: str
    """The name a reader sees."""
    compute: Compute
    """The metric of each resample."""
    about: str
    """What it says, in one sentence."""
    formula: str
    """Its definition in LaTeX."""
    source: str
    """Where the definition comes from."""
    higher_is_better: bool = True
    """Its direction."""
    chance: float | None = None
    """What an uninformed entry scores; None where there is no single such value."""
    low: float = 0.0
    """The least value it can take."""
    high: float = 1.0
    """The greatest value it can take."""


_SPECIFICATION = "track specification, embedding-detection, “Metrics”"
_VARIANT_FORMULA = (
    r"\mathrm{AUROC}_v = \frac{1}{|S_v||N_v|}\sum_{i \in S_v}\sum_{j \in N_v}"
    r"\left([s_i > s_j] + \tfrac{1}{2}[s_i = s_j]\right)"
)


def _auroc_of(variant: str, what: str) -> Metric:
    return Metric(
        title=f"AUROC, {variant}",
        compute=partial(variant_auroc, variant=variant),
        about=f"How well the score separates shortcut from null cases where {what}.",
        formula=_VARIANT_FORMULA,
        source=_SPECIFICATION,
        chance=0.5,
    )


def _tpr_at(strength: float) -> Metric:
    return Metric(
        title=f"TPR, δ = {strength:g}",
        compute=partial(flag_tpr, strength=strength),
        about=f"Share of the shortcut cases of strength {strength:g} on which the flag fires.",
        formula=r"\mathrm{TPR}_\delta = \frac{1}{|S_\delta|}\sum_{i \in S_\delta} [f_i = 1]",
        source=_SPECIFICATION,
    )


METRICS: Mapping[str, Metric] = {
    "auroc": Metric(
        title="AUROC",
        compute=mean_variant_auroc,
        about="How well the score separates shortcut from null cases, averaged over the variants.",
        formula=r"\mathrm{AUROC} = \frac{1}{|V|}\sum_{v \in V} \mathrm{AUROC}_v",
        source=_SPECIFICATION,
        chance=0.5,
    ),
    "auroc_linear": _auroc_of("linear", "the attribute shifts the mean"),
    "auroc_xor": _auroc_of("xor", "the sign of a product carries the attribute"),
    "auroc_variance": _auroc_of("variance", "the attribute changes the spread"),
    "fpr": Metric(
        title="FPR",
        compute=flag_fpr,
        about="Share of the null cases on which the flag fires: near 0.05 for a test at level 0.05.",
        formula=r"\mathrm{FPR} = \frac{1}{|N|}\sum_{j \in N} [f_j = 1]",
        source=_SPECIFICATION,
        higher_is_better=False,
    ),
    "tpr": Metric(
        title="TPR",
        compute=flag_tpr,
        about="Share of the shortcut cases on which the flag fires.",
        formula=r"\mathrm{TPR} = \frac{1}{|S|}\sum_{i \in S} [f_i = 1]",
        source=_SPECIFICATION,
    ),
    "tpr_delta_0.3": _tpr_at(0.3),
    "tpr_delta_0.6": _tpr_at(0.6),
    "tpr_delta_1.0": _tpr_at(1.0),
}
