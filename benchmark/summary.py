"""From the outcomes of a suite to its metrics, their bootstrap intervals and their breakdown."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtri, stdtrit

from benchmark.measures import UndefinedMetric
from benchmark.metrics import METRICS
from benchmark.records import Columns, FloatArray, Outcome, Status
from benchmark.seeds import generator
from benchmark.tracks.spec import Version

RESAMPLES = 2000
"""How many bootstrap resamples an interval rests on."""
COVERAGE = 0.95
"""The share of resamples an interval holds."""
TAILS = (100 * (1 - COVERAGE) / 2, 100 * (1 + COVERAGE) / 2)
"""The percentiles at an interval's ends."""

FEW = 10
"""Of so many cases in a stratum the plain bootstrap is near enough."""

Breakdown = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Metric -> variant -> strength -> value."""


@dataclass(frozen=True)
class Values:
    """The metrics of a suite."""

    metrics: Mapping[str, float | None]
    """Every metric of the version; None where it has no value."""
    reasons: Mapping[str, str]
    """Why, for each metric that has no value."""
    by_strength: Breakdown
    """The metrics of the version's breakdown for each variant and strength where they exist."""


def ones(columns: Columns) -> FloatArray:
    """The weights (1, n) that count every case once."""
    return np.ones((1, len(columns)))


def resamples(columns: Columns, strata: Sequence[str]) -> FloatArray:
    """Bootstrap weights float64 (RESAMPLES, n): cases drawn with replacement within each stratum.

    strata: names of columns; a stratum holds the cases that agree in all of them. The draw depends
    on nothing but the strata, so all entries of a track version share it and their differences are
    paired. Source: Efron and Tibshirani (1993), chapters 6 and 13.
    """
    return _drawn(_labels(columns, strata))


def _labels(columns: Columns, strata: Sequence[str]) -> tuple[str, ...]:
    """The name of each case's stratum."""
    held = [getattr(columns, name) for name in strata]
    return _named(tuple((values.dtype.str, values.tobytes()) for values in held))


@lru_cache(maxsize=64)
def _named(held: tuple[tuple[str, bytes], ...]) -> tuple[str, ...]:
    """The names of strata whose columns have these types and bytes; results of one version share them."""
    columns = [np.frombuffer(content, dtype=np.dtype(kind)) for kind, content in held]
    return tuple("/".join(map(str, row)) for row in zip(*columns, strict=True))


@lru_cache(maxsize=8)
def _drawn(labels: tuple[str, ...]) -> FloatArray:
    """The weights for cases whose strata are `labels`; read-only, since callers share them."""
    stratum = np.array(labels)
    weights = np.zeros((RESAMPLES, len(labels)))
    for label in dict.fromkeys(labels):
        members = np.flatnonzero(stratum == label)
        drawn = generator("bootstrap", label).integers(len(members), size=(RESAMPLES, len(members)))
        np.add.at(weights, (np.arange(RESAMPLES)[:, None], members[drawn]), 1.0)
    weights.setflags(write=False)
    return weights


def values(version: Version, outcomes: Sequence[Outcome]) -> Values:
    """The metrics of a suite's outcomes; all None, with the reason, when a case failed or none ran."""
    failed = sum(outcome.status is not Status.OK for outcome in outcomes)
    if failed or not outcomes:
        reason = f"{failed} of {len(outcomes)} cases failed" if outcomes else "no case was run"
        return Values(dict.fromkeys(version.metrics), dict.fromkeys(version.metrics, reason), {})
    columns = Columns.of(outcomes)
    metrics: dict[str, float | None] = {}
    reasons: dict[str, str] = {}
    for name in version.metrics:
        try:
            metrics[name] = float(METRICS[name].compute(columns, ones(columns))[0])
        except UndefinedMetric as undefined:
            metrics[name], reasons[name] = None, str(undefined)
    return Values(metrics, reasons, _breakdown(version, columns))


def draws(version: Version, columns: Columns, name: str) -> FloatArray:
    """float64 (RESAMPLES,): a metric in every resample, stretched about its value where cases are few.

    Resampling m cases of a stratum varies less than new cases would, by sqrt((m - 1) / m), and quantiles of
    so few are those of Student's t. Where a stratum holds fewer than `FEW`, the draws are stretched by
    both; where one holds a single case, they are all NaN, as nothing tells how cases differ. Raises
    UndefinedMetric. Source: Hesterberg (2015), What teachers should know about the bootstrap, section 5.3.
    """
    metric = METRICS[name]
    found = metric.compute(columns, resamples(columns, version.strata))
    sizes = Counter(_labels(columns, version.strata)).values()
    least, freedom = min(sizes), len(columns) - len(sizes)
    if least >= FEW:
        return found
    if least == 1:
        return np.full_like(found, np.nan)
    stretch = np.sqrt(least / (least - 1)) * stdtrit(freedom, TAILS[1] / 100) / ndtri(TAILS[1] / 100)
    value = metric.compute(columns, ones(columns))
    stretched: FloatArray = np.clip(value + stretch * (found - value), metric.low, metric.high)
    return stretched


def interval(drawn: FloatArray) -> tuple[float, float] | None:
    """The 95% percentile interval of draws (b,); None where all are NaN."""
    if np.isnan(drawn).all():
        return None
    low, high = np.nanpercentile(drawn, TAILS)
    return float(low), float(high)


def intervals(version: Version, outcomes: Sequence[Outcome]) -> Mapping[str, tuple[float, float]]:
    """The 95% bootstrap interval of every metric that has a value, by name; none where cases are too few."""
    if not outcomes or any(outcome.status is not Status.OK for outcome in outcomes):
        return {}
    columns = Columns.of(outcomes)
    found: dict[str, tuple[float, float]] = {}
    for name in version.metrics:
        try:
            ends = interval(draws(version, columns, name))
        except UndefinedMetric:
            continue
        if ends is not None:
            found[name] = ends
    return found


def _breakdown(version: Version, columns: Columns) -> Breakdown:
    """The breakdown's metrics over each variant's null cases and its cases of one strength."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name in version.breakdown:
        for variant in version.variants:
            for strength in version.strengths:
                rows = (columns.variant == variant) & (
                    (columns.strength == strength) | (columns.kind == "null")
                )
                try:
                    part = columns.where(rows)
                    value = float(METRICS[name].compute(part, ones(part))[0])
                except UndefinedMetric:
                    continue
                found.setdefault(name, {}).setdefault(variant, {})[str(strength)] = value
    return found
