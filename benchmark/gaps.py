"""The gap between public and fresh: how much better an entry does on data that anyone can make."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from benchmark.metrics import METRICS
from benchmark.results import Result

NORMAL = 1.959964
"""The standard normal's 97.5% point: half a 95% interval in standard errors."""
BEYOND = 3.0
"""A gap of more than so many standard errors is marked."""


@dataclass(frozen=True)
class Gap:
    """One metric on the public seeds and on fresh ones."""

    metric: str
    """A key of `METRICS`."""
    public: float
    """Its value on the public seeds."""
    fresh: float
    """Its value on fresh seeds."""
    difference: float
    """How much better the public one is: above 0 where the entry does better on public data."""
    standard_error: float
    """Of the difference."""

    @property
    def marked(self) -> bool:
        """Whether the difference, of either sign, is beyond three standard errors."""
        return abs(self.difference) > BEYOND * self.standard_error


def gap(result: Result, metric: str) -> Gap | None:
    """The gap of a metric; None where it has no value on the public or on fresh seeds.

    The two suites share no case, so the variance of the difference is the sum of both variances. Each
    standard error is the width of the 95% bootstrap interval over twice 1.96. Source: Efron and Tibshirani
    (1993), chapters 6 and 13. The interval of a perfect score has no width, so its gap is marked sooner.
    """
    if result.fresh is None:
        return None
    public, fresh = result.metrics.get(metric), result.fresh.metrics.get(metric)
    if public is None or fresh is None:
        return None
    sign = 1.0 if METRICS[metric].higher_is_better else -1.0
    errors = (_standard_error(result.intervals[metric]), _standard_error(result.fresh.intervals[metric]))
    return Gap(metric, public, fresh, sign * (public - fresh), math.hypot(*errors))


def gaps(result: Result) -> Iterator[Gap]:
    """The gaps of all metrics that have a value on both, in the result's order."""
    found = (gap(result, metric) for metric in result.metrics)
    return (one for one in found if one is not None)


def _standard_error(interval: tuple[float, float]) -> float:
    low, high = interval
    return (high - low) / (2 * NORMAL)
