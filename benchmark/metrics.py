"""The literal table of all metrics, and what the scorer and the site know of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from benchmark.measures import (
    Compute,
    figure_mean,
    flag_fpr,
    flag_tpr,
    gain_over_erm,
    mean_variant_auroc,
    pointing_game,
    reliance_spearman,
    variant_auroc,
)


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
    """Its own heading in a table, where the name is too long or its part of it is enough."""
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
        part="Reliance corr.",
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
