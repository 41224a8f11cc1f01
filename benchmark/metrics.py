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
    over: str = ""
    """The heading it shares with other parts of one metric; empty where it stands alone."""
    part: str = ""
    """Its own heading below that."""
    symbols: tuple[str, ...] = ()
    """What the letters of its formula stand for, a few words each."""

    @property
    def inline(self) -> str:
        """Its name within a sentence: in lower case, but for abbreviations."""
        return self.title if self.title[:2].isupper() else self.title[:1].lower() + self.title[1:]


_SPECIFICATION = "track specification, embedding-detection, “Metrics”"
_ON_IMAGES = "track specification, image-detection, “Metrics”"
_ON_MITIGATION = "track specification, embedding-mitigation, “Metrics”"
_CASES, _SHORTCUTS, _NULLS = "C: all cases", "S: shortcut cases", "N: null cases"
_SCORE, _FLAG = "s: score", "f: flag"
_BRACKET = "a bracket is 1 where its condition holds and 0 elsewhere"
_GROUP = "acc(y, a): test accuracy where the label is y and the attribute a"
_VARIANT_FORMULA = (
    r"\mathrm{AUROC}_v = \frac{1}{|S_v||N_v|}\sum_{i \in S_v}\sum_{j \in N_v}"
    r"\left([s_i > s_j] + \tfrac{1}{2}[s_i = s_j]\right)"
)


def _auroc_of(variant: str, what: str) -> Metric:
    return Metric(
        title=f"AUROC, {variant}",
        over="AUROC",
        part=variant,
        compute=partial(variant_auroc, variant=variant),
        about=f"How well the score separates shortcut from null cases where {what}.",
        formula=_VARIANT_FORMULA,
        symbols=(_SHORTCUTS, _NULLS, _SCORE, _BRACKET),
        source=_SPECIFICATION,
        chance=0.5,
    )


def _tpr_at(strength: float) -> Metric:
    return Metric(
        title=f"TPR, δ = {strength:g}",
        over="TPR",
        part=f"δ = {strength:g}",
        compute=partial(flag_tpr, strength=strength),
        about=f"Share of the shortcut cases of strength {strength:g} on which the flag fires.",
        formula=r"\mathrm{TPR}_\delta = \frac{1}{|S_\delta|}\sum_{i \in S_\delta} [f_i = 1]",
        symbols=(_SHORTCUTS, _FLAG, _BRACKET),
        source=_SPECIFICATION,
    )


METRICS: Mapping[str, Metric] = {
    "auroc": Metric(
        title="AUROC",
        compute=mean_variant_auroc,
        about="How well the score separates shortcut from null cases, averaged over the variants.",
        formula=r"\mathrm{AUROC} = \frac{1}{|V|}\sum_{v \in V} \mathrm{AUROC}_v",
        symbols=(
            "V: variants",
            "AUROC of v: the share of the pairs of a shortcut and a null case of variant v in which the "
            "shortcut case scores higher, equal scores counting half",
        ),
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
        symbols=(_NULLS, _FLAG, _BRACKET),
        source=_SPECIFICATION,
        higher_is_better=False,
    ),
    "tpr": Metric(
        title="TPR",
        compute=flag_tpr,
        about="Share of the shortcut cases on which the flag fires.",
        formula=r"\mathrm{TPR} = \frac{1}{|S|}\sum_{i \in S} [f_i = 1]",
        symbols=(_SHORTCUTS, _FLAG, _BRACKET),
        source=_SPECIFICATION,
    ),
    "tpr_delta_0.3": _tpr_at(0.3),
    "tpr_delta_0.6": _tpr_at(0.6),
    "tpr_delta_1.0": _tpr_at(1.0),
    "reliance_spearman": Metric(
        title="Reliance correlation",
        compute=reliance_spearman,
        about="Rank correlation of the score with how much the model relies on the patch, over all cases.",
        formula=r"r_s = \mathrm{corr}\left(\mathrm{rank}(s_i),\ \mathrm{rank}(r_i)\right)",
        symbols=(_SCORE, "r: reliance"),
        source=_ON_IMAGES,
        chance=0.0,
        low=-1.0,
    ),
    "pointing_game": Metric(
        title="Pointing game",
        compute=pointing_game,
        about="Share of patched images in shortcut cases whose heatmap peaks within 2 pixels of the patch.",
        formula=r"\mathrm{PG} = \frac{\sum_{i \in S} \mathrm{hits}_i}{\sum_{i \in S} \mathrm{patched}_i}",
        symbols=(_SHORTCUTS,),
        source=_ON_IMAGES,
        chance=round(36 / 1024, 3),
    ),
    "worst_group_acc": Metric(
        title="Worst-group accuracy",
        compute=partial(figure_mean, figure="worst_group_acc"),
        about="Test accuracy in the worst of the four groups of label and attribute, mean over the cases.",
        formula=r"\mathrm{WGA} = \frac{1}{|C|}\sum_{c \in C} \min_{y, a} \mathrm{acc}_c(y, a)",
        symbols=(_CASES, _GROUP),
        source=_ON_MITIGATION,
    ),
    "mean_acc": Metric(
        title="Mean accuracy",
        compute=partial(figure_mean, figure="mean_acc"),
        about="Mean of the test accuracies in the four groups, and over the cases.",
        formula=r"\mathrm{acc} = \frac{1}{|C|}\sum_{c \in C} \frac{1}{4}\sum_{y, a} \mathrm{acc}_c(y, a)",
        symbols=(_CASES, _GROUP),
        source=_ON_MITIGATION,
        chance=0.5,
    ),
    "gain_over_erm": Metric(
        title="Gain over ERM",
        compute=gain_over_erm,
        about="How much worst-group accuracy it gains over plain training on the same data.",
        formula=r"\Delta = \frac{1}{|C|}\sum_{c \in C} (\mathrm{WGA}_c - \mathrm{WGA}^{\mathrm{ERM}}_c)",
        symbols=(_CASES, "ERM: plain training on the same data, blind to the attribute"),
        source=_ON_MITIGATION,
        low=-1.0,
    ),
    "leakage_auroc": Metric(
        title="Leakage",
        compute=partial(figure_mean, figure="leakage_auroc", missing="the entry has no transform"),
        about="AUROC of a probe for the attribute, from transformed rows and the label; 0.5: nothing left.",
        formula=(
            r"\mathrm{L} = \frac{1}{|C|}\sum_{c \in C} "
            r"\max\left(\tfrac{1}{2},\ \mathrm{AUROC}_c(A \mid T(E), Y)\right)"
        ),
        symbols=(_CASES, "A: attribute", "Y: task label", "T(E): the transformed test rows"),
        source=_ON_MITIGATION,
        higher_is_better=False,
        low=0.5,
    ),
}
