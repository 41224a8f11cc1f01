"""The gap between public and fresh, by hand."""

import math

import numpy as np
import pytest

from benchmark.gaps import gap, gaps
from benchmark.results import Fresh, Result
from tests.builders import result


def scored(
    public: tuple[float, float, float], fresh: tuple[float, float, float], metric: str = "auroc"
) -> Result:
    """A result with one metric: its value, low and high on the public and on fresh seeds."""
    found = Fresh(
        key_sha256="b" * 64,
        metrics={metric: fresh[0]},
        reasons={},
        intervals={metric: fresh[1:]},
        fingerprint="d" * 64,
    )
    changed = {"metrics": {metric: public[0]}, "intervals": {metric: public[1:]}, "fresh": found}
    return result().model_copy(update=changed)


def test_the_standard_error_is_that_of_independent_normals() -> None:
    # Half widths 0.0588 and 0.0784 are standard errors of 0.03 and 0.04, together 0.05.
    one = gap(scored((0.9, 0.8412, 0.9588), (0.7, 0.6216, 0.7784)), "auroc")
    assert one is not None
    assert one.difference == pytest.approx(0.2)
    assert one.standard_error == pytest.approx(0.05, abs=1e-5)
    assert one.marked


@pytest.mark.parametrize(("fresh", "marked"), [(0.76, False), (0.74, True), (1.04, False), (1.06, True)])
def test_a_gap_beyond_three_standard_errors_is_marked_either_way(fresh: float, marked: bool) -> None:
    one = gap(scored((0.9, 0.8412, 0.9588), (fresh, fresh - 0.0784, fresh + 0.0784)), "auroc")
    assert one is not None and one.marked is marked


def test_a_gap_is_above_zero_where_public_is_better_whatever_the_direction() -> None:
    one = gap(scored((0.1, 0.05, 0.15), (0.3, 0.2, 0.4), metric="fpr"), "fpr")
    assert one is not None and one.difference == pytest.approx(0.2)


def test_two_scores_without_spread_differ_or_are_the_same() -> None:
    perfect = (1.0, 1.0, 1.0)
    same, other = gap(scored(perfect, perfect), "auroc"), gap(scored(perfect, (0.5, 0.5, 0.5)), "auroc")
    assert same is not None and not same.marked
    assert other is not None and other.marked


def test_there_is_no_gap_without_both_values() -> None:
    both = scored((0.9, 0.8, 1.0), (0.8, 0.7, 0.9))
    assert both.fresh is not None
    without = both.fresh.model_copy(update={"metrics": {"auroc": None}})
    assert gap(both.model_copy(update={"fresh": without}), "auroc") is None
    assert gap(both.model_copy(update={"fresh": None}), "auroc") is None
    assert gap(both, "fpr") is None
    assert [one.metric for one in gaps(both)] == ["auroc"]


def test_an_honest_mean_is_hardly_ever_marked() -> None:
    # Means of 100 normals: a gap beyond three standard errors has probability 0.0027.
    rng = np.random.default_rng(0)
    marked = 0
    for _ in range(400):
        ends = [(mean, mean - 1.96 / 10, mean + 1.96 / 10) for mean in rng.standard_normal((2, 100)).mean(1)]
        one = gap(scored(*ends), "auroc")
        assert one is not None and math.isclose(one.standard_error, math.sqrt(2) / 10, rel_tol=1e-4)
        marked += one.marked
    assert marked <= 6
