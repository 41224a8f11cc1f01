"""From the outcomes of a suite to its metrics, their bootstrap intervals and their breakdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmark.metrics import METRICS, UndefinedMetric
from benchmark.records import Columns, FloatArray, Outcome, Status
from benchmark.seeds import generator
from benchmark.tracks.spec import Version

RESAMPLES = 2000
"""How many bootstrap resamples an interval rests on."""
COVERAGE = 0.95
"""The share of resamples an interval holds."""
TAILS = (100 * (1 - COVERAGE) / 2, 100 * (1 + COVERAGE) / 2)
"""The percentiles at an interval's ends."""

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
    named = zip(*(getattr(columns, name) for name in strata), strict=True)
    return _drawn(tuple("/".join(map(str, row)) for row in named))


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


def intervals(version: Version, outcomes: Sequence[Outcome]) -> Mapping[str, tuple[float, float]]:
    """The 95% percentile bootstrap interval of every metric that has a value, by name."""
    if not outcomes or any(outcome.status is not Status.OK for outcome in outcomes):
        return {}
    columns = Columns.of(outcomes)
    weights = resamples(columns, version.strata)
    found: dict[str, tuple[float, float]] = {}
    for name in version.metrics:
        try:
            low, high = np.nanpercentile(METRICS[name].compute(columns, weights), TAILS)
        except UndefinedMetric:
            continue
        found[name] = (float(low), float(high))
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
