"""What each case contributes to a metric, and how sure a difference of two entries on the same cases is.

A metric that is a mean over cases has each case's own value as its contribution. The AUROC has placement
values: of a shortcut case the share of the null cases that it outranks, of a null case the share of the
shortcut cases that outrank it, ties counting half. Their means are the metric, and the spread of their
paired differences is its error. Source: DeLong, DeLong and Clarke-Pearson (1988); for means, stratified
sampling as in Cochran (1977), chapter 5.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import stdtrit

from benchmark.measures import UndefinedMetric
from benchmark.records import BoolArray, Columns, FloatArray, IntArray, Kind
from benchmark.summary import TAILS
from benchmark.tracks.spec import Version


@dataclass(frozen=True)
class Sample:
    """Cases that were drawn alike, with what each contributes to a metric."""

    cases: IntArray
    """int64 (k,): the rows of its cases."""
    values: FloatArray
    """float64 (k,): what each contributes; better in the metric's direction."""
    share: float
    """How much its mean counts in the metric: the metric is the sum of share times mean."""
    weight: float
    """How much the error of its mean counts: the variance is the sum of weight² times variance / k."""
    moves: bool = False
    """Whether its values depend on the strength that the other cases have."""
    parts: int = 0
    """Its values are whole multiples of 1 / `parts`; 0 where they can be any number."""


Samples = Callable[[Columns, Sequence[str]], list[Sample]]
"""The samples of a metric from the columns of n cases and the names of the strata's columns."""


@dataclass(frozen=True)
class Contribution:
    """How a metric is made of what its cases contribute."""

    samples: Samples
    """Its samples; raises UndefinedMetric where the metric has no value."""
    about: str
    """What a case contributes, in a sentence or two."""


@dataclass(frozen=True)
class Cut:
    """A metric on all cases, on those of a variant, or on those of a variant and strength."""

    variant: str
    """The variant; empty for all."""
    strength: float | None
    """The strength of its cases that are no nulls; None for all."""
    samples: tuple[Sample, ...]
    """What its cases contribute."""


@dataclass(frozen=True)
class Difference:
    """A metric of one entry less that of another on the same cases."""

    value: float
    """The difference."""
    error: float | None
    """Its standard error; None where a sample has a single case, which tells nothing of the others."""


def placements(scores: FloatArray, positive: BoolArray) -> FloatArray:
    """How well each case is told from those of the other sort, float64 (n,) in [0, 1]; higher is better.

    Of a positive it is the share of negatives it outranks, of a negative the share of positives that
    outrank it; equal scores count half. The mean over the positives, and that over the negatives, is the
    AUROC. scores: float64 (n,), finite. positive: bool (n,). Raises UndefinedMetric without a positive or a
    negative. Source: DeLong, DeLong and Clarke-Pearson (1988), equations 4 and 5.
    """
    if positive.all() or not positive.any():
        raise UndefinedMetric("needs at least one shortcut case and one null case")
    high, low = scores[positive][:, None], scores[~positive][None, :]
    wins = (high > low) + 0.5 * (high == low)
    found = np.empty(len(scores))
    found[positive], found[~positive] = wins.mean(axis=1), wins.mean(axis=0)
    return found


def auroc_samples(columns: Columns, _strata: Sequence[str] = ()) -> list[Sample]:
    """Two samples for each variant, its shortcut and its null cases; ambiguous cases are in none.

    Raises UndefinedMetric without scores, or when a variant has no shortcut or no null case.
    """
    if columns.score is None:
        raise UndefinedMetric("the entry returns no score")
    variants = np.unique(columns.variant)
    return [sample for v in variants for sample in _of_variant(columns, columns.score, v, 1 / len(variants))]


def _of_variant(columns: Columns, scores: FloatArray, variant: str, weight: float) -> Iterator[Sample]:
    rows = np.flatnonzero((columns.variant == variant) & (columns.kind != Kind.AMBIGUOUS))
    positive = columns.kind[rows] == Kind.SHORTCUT
    values, shortcuts = placements(scores[rows], positive), int(positive.sum())
    nulls = len(rows) - shortcuts
    yield Sample(rows[positive], values[positive], weight / 2, weight, moves=False, parts=2 * nulls)
    yield Sample(rows[~positive], values[~positive], weight / 2, weight, moves=True, parts=2 * shortcuts)


def mean_samples(columns: Columns, strata: Sequence[str], figure: str) -> list[Sample]:
    """A sample for each stratum, with the cases' own values of `figure`.

    strata: names of columns; a stratum holds the cases that agree in all of them. Raises UndefinedMetric
    when a case lacks the figure, and without cases.
    """
    if figure not in columns.figures or not len(columns):
        raise UndefinedMetric(f"no case has the figure {figure}")
    labels = np.array(["/".join(map(str, row)) for row in zip(*_of(columns, strata), strict=True)])
    values, found = columns.figures[figure], []
    for label in dict.fromkeys(labels.tolist()):
        rows = np.flatnonzero(labels == label)
        share = len(rows) / len(columns)
        found.append(Sample(rows, values[rows], share, share))
    return found


def _of(columns: Columns, names: Sequence[str]) -> Iterator[Sequence[object]]:
    return (getattr(columns, name).tolist() for name in names)


def _mean(figure: str, about: str) -> Contribution:
    return Contribution(partial(mean_samples, figure=figure), about)


_PLACEMENT = (
    "For a shortcut case it is the share of the variant’s null cases that it outranks, for a null case the "
    "share of the variant’s shortcut cases that outrank it; equal scores count half. 1 is best for both, and "
    "their mean is the AUROC."
)
CONTRIBUTIONS: Mapping[str, Contribution] = {
    "auroc": Contribution(auroc_samples, _PLACEMENT),
    "worst_group_acc": _mean("worst_group_acc", "It is the worst-group accuracy on the case."),
    "mean_acc": _mean("mean_acc", "It is the mean accuracy on the case."),
    "leakage_auroc": _mean("leakage_auroc", "It is the leakage on the case."),
}
"""What the cases contribute to each metric that tracks may be ranked by; others cannot be compared so."""


def cuts(version: Version, columns: Columns) -> list[Cut]:
    """The ranking metric on all cases first, then on each variant followed by each of its strengths.

    A variant's cases of one strength are taken with all its null cases. A cut with the same cases as the
    one before it, or without a value, is left out. Raises UndefinedMetric when the metric has no value,
    and KeyError when nothing is known of what its cases contribute.
    """
    samples = CONTRIBUTIONS[version.ranking].samples
    found = [Cut("", None, tuple(samples(columns, version.strata)))]
    for variant in version.variants:
        of_variant = columns.variant == variant
        for strength in (None, *version.strengths):
            rows = of_variant if strength is None else of_variant & _at(columns, strength)
            if rows.sum() in (0, len(columns)) or (strength is not None and rows.sum() == of_variant.sum()):
                continue
            try:
                part = samples(columns.where(rows), version.strata)
            except UndefinedMetric:
                continue
            found.append(Cut(variant, strength, tuple(_placed(part, np.flatnonzero(rows)))))
    return found


def _at(columns: Columns, strength: float) -> BoolArray:
    at: BoolArray = np.equal(columns.strength, strength) | columns.null
    return at


def _placed(samples: Sequence[Sample], rows: IntArray) -> Iterator[Sample]:
    """Samples of the cases at `rows`, with their rows among all cases."""
    for s in samples:
        yield Sample(rows[s.cases], s.values, s.share, s.weight, s.moves, s.parts)


def value(samples: Sequence[Sample]) -> float:
    """The metric that the samples make up."""
    return math.fsum(sample.share * float(sample.values.mean()) for sample in samples)


def difference(one: Sequence[Sample], other: Sequence[Sample]) -> Difference:
    """The metric of `one` less that of `other`, whose samples hold the same cases in the same order.

    Raises ValueError when they do not.
    """
    total, variance, single = 0.0, 0.0, False
    for a, b in zip(one, other, strict=True):
        if not np.array_equal(a.cases, b.cases):
            raise ValueError("expected samples of the same cases, got others; compare entries of one suite")
        apart = a.values - b.values
        total += a.share * float(apart.mean())
        single |= len(apart) < 2
        if not single:
            variance += a.weight**2 * float(apart.var(ddof=1)) / len(apart)
    return Difference(total, None if single else math.sqrt(variance))


def errors_wide(samples: Sequence[Sample]) -> float | None:
    """How many standard errors a 95% interval reaches to either side: a quantile of Student's t.

    Its degrees of freedom are the cases less the samples, as in the bootstrap of few cases. None where a
    sample has a single case.
    """
    sizes = [len(sample.cases) for sample in samples]
    if min(sizes) < 2:
        return None
    return float(stdtrit(sum(sizes) - len(sizes), TAILS[1] / 100))
