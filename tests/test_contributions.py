"""What cases contribute to metrics, by hand, against the metrics themselves and against the bootstrap."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

from benchmark.audit import load_all
from benchmark.contributions import (
    CONTRIBUTIONS,
    Sample,
    auroc_samples,
    cuts,
    difference,
    errors_wide,
    mean_samples,
    placements,
    value,
)
from benchmark.measures import UndefinedMetric
from benchmark.metrics import METRICS
from benchmark.records import Columns, Kind, Status
from benchmark.results import Result
from benchmark.summary import FEW, draws, ones
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Version

VERSIONS = {(track.key, version.number): version for track in TRACKS.values() for version in track.versions}
THREE_AND_TWO = np.array([True, True, True, False, False])
GOOD, PERFECT = np.array([3.0, 1.0, 2.0, 2.0, 0.0]), np.array([5.0, 5.0, 5.0, 1.0, 1.0])


def columns(scores: np.ndarray, kinds: list[Kind], variant: str = "linear") -> Columns:
    return Columns(
        variant=np.array([variant] * len(kinds)),
        strength=np.array([0.0 if kind is Kind.NULL else 1.0 for kind in kinds]),
        kind=np.array([kind.value for kind in kinds]),
        score=scores,
        flag=None,
        figures={},
    )


def means(values: list[float], variants: list[str]) -> Columns:
    kinds = [Kind.SHORTCUT] * len(values)
    return replace(
        columns(np.zeros(len(values)), kinds),
        variant=np.array(variants),
        figures={"worst_group_acc": np.array(values)},
    )


KINDS = [Kind.SHORTCUT] * 3 + [Kind.NULL] * 2


def test_placements_by_hand() -> None:
    assert placements(GOOD, THREE_AND_TWO).tolist() == [1.0, 0.5, 0.75, 0.5, 1.0]
    assert placements(PERFECT, THREE_AND_TWO).tolist() == [1.0] * 5
    assert placements(-PERFECT, THREE_AND_TWO).tolist() == [0.0] * 5


def test_a_paired_difference_of_auroc_by_hand() -> None:
    good, perfect = (auroc_samples(columns(scores, KINDS)) for scores in (GOOD, PERFECT))
    assert value(good) == 0.75 and value(perfect) == 1.0
    found = difference(good, perfect)
    assert found.value == -0.25
    # Apart by 0, -1/2, -1/4 on shortcuts (variance 1/16) and by -1/2, 0 on nulls (variance 1/8).
    assert found.error == pytest.approx((1 / 16 / 3 + 1 / 8 / 2) ** 0.5, abs=1e-15)


def test_two_variants_count_half_each() -> None:
    one, other = columns(GOOD, KINDS), columns(PERFECT, KINDS, "xor")
    both = replace(
        one,
        variant=np.concatenate([one.variant, other.variant]),
        strength=np.tile(one.strength, 2),
        kind=np.tile(one.kind, 2),
        score=np.concatenate([GOOD, PERFECT]),
    )
    found = difference(auroc_samples(both), auroc_samples(replace(both, score=np.tile(PERFECT, 2))))
    assert found.value == -0.125
    assert found.error == pytest.approx((1 / 16 / 3 + 1 / 8 / 2) ** 0.5 / 2, abs=1e-15)


def test_a_paired_difference_of_means_by_hand() -> None:
    variants = ["a", "a", "b", "b", "b", "b"]
    one = mean_samples(means([0.5, 0.75, 0, 0, 1, 1], variants), ("variant",), "worst_group_acc")
    other = mean_samples(means([0.5, 0.5, 0, 0, 0, 0], variants), ("variant",), "worst_group_acc")
    found = difference(one, other)
    assert found.value == pytest.approx((0.25 + 2) / 6, abs=1e-15)
    # Variance 1/32 of 2 cases that count 1/3; variance 1/3 of 4 that count 2/3.
    assert found.error == pytest.approx((1 / 32 / 2 / 9 + 1 / 3 / 4 * 4 / 9) ** 0.5, abs=1e-15)


def test_an_entry_does_not_differ_from_itself() -> None:
    samples = auroc_samples(columns(GOOD, KINDS))
    assert difference(samples, samples).value == 0.0 == difference(samples, samples).error


def test_a_single_case_tells_nothing_of_others() -> None:
    samples = auroc_samples(columns(GOOD[2:], KINDS[2:]))
    assert difference(samples, samples).error is None and errors_wide(samples) is None


def test_entries_of_other_cases_are_refused() -> None:
    one = [Sample(np.array([0, 1]), np.zeros(2), 1.0, 1.0)]
    other = [Sample(np.array([0, 2]), np.zeros(2), 1.0, 1.0)]
    with pytest.raises(ValueError, match="expected samples of the same cases"):
        difference(one, other)


def test_few_cases_have_wide_intervals() -> None:
    of_six = [Sample(np.arange(3), np.zeros(3), 0.5, 0.5)] * 2
    assert errors_wide(of_six) == pytest.approx(2.7764, abs=1e-4)  # Student's t, 4 degrees of freedom
    many = [Sample(np.arange(10**6), np.zeros(10**6), 1.0, 1.0)]
    assert errors_wide(many) == pytest.approx(1.96, abs=1e-3)


def test_a_metric_of_nothing_has_no_contributions() -> None:
    nulls = columns(GOOD[3:], KINDS[3:])
    with pytest.raises(UndefinedMetric, match="at least one shortcut case and one null case"):
        auroc_samples(nulls)
    with pytest.raises(UndefinedMetric, match="returns no score"):
        auroc_samples(replace(nulls, score=None))
    with pytest.raises(UndefinedMetric, match="no case has the figure worst_group_acc"):
        mean_samples(nulls, ("variant",), "worst_group_acc")


def test_every_version_is_ranked_by_a_metric_that_cases_contribute_to() -> None:
    assert {version.ranking for version in VERSIONS.values()} <= CONTRIBUTIONS.keys() <= METRICS.keys()


Held = dict[tuple[str, str], list[tuple[Result, Columns]]]


@pytest.fixture(scope="module")
def committed() -> Held:
    """The committed results without failures, with their columns, by track and version."""
    found: Held = {}
    for result in load_all(Path(__file__).resolve().parents[1] / "results"):
        if all(outcome.status is Status.OK for outcome in result.outcomes):
            place = (result.track, result.version)
            found.setdefault(place, []).append((result, Columns.of(result.outcomes)))
    assert len(found) >= 5
    return found


def test_contributions_average_to_the_metrics_of_committed_results(committed: Held) -> None:
    checked = 0
    for place, results in committed.items():
        version = VERSIONS[place]
        for result, held in results:
            for name in CONTRIBUTIONS.keys() & set(version.metrics):
                if result.metrics[name] is not None:
                    computed = float(METRICS[name].compute(held, ones(held))[0])
                    assert value(CONTRIBUTIONS[name].samples(held, version.strata)) == pytest.approx(
                        computed, abs=1e-12
                    )
                    checked += 1
    assert checked > 50


def test_cuts_have_the_values_of_the_breakdown(committed: Held) -> None:
    for place, results in committed.items():
        version = VERSIONS[place]
        for result, held in results:
            whole, *parts = cuts(version, held)
            assert value(whole.samples) == pytest.approx(result.metrics[version.ranking], abs=1e-9)
            told = result.details.by_strength[version.ranking]
            found = {(p.variant, str(p.strength)): p for p in parts if p.strength is not None}
            assert set(found) == {(v, s) for v, at in told.items() for s in at}
            for (variant, strength), part in found.items():
                assert value(part.samples) == pytest.approx(told[variant][strength], abs=1e-9)
            for part in parts:
                if part.strength is None:
                    assert 0 < sum(len(sample.cases) for sample in part.samples) < len(held)


def pairs(version: Version, results: list[tuple[Result, Columns]]) -> Iterator[tuple[float, float]]:
    """Standard errors of all pairs: of the formula, and of the bootstrap less its widening for few cases."""
    made = [(cuts(version, held)[0].samples, held) for _, held in results]
    for (one, a), (other, b) in combinations(made, 2):
        smallest = min(len(sample.cases) for sample in one)
        wide = (errors_wide(one) or np.nan) / ndtri(0.975) if smallest < FEW else 1.0
        drawn = draws(version, a, version.ranking) - draws(version, b, version.ranking)
        found = difference(one, other).error
        assert found is not None
        if found > 1e-9:
            yield found, float(drawn.std()) / wide


def test_errors_are_those_of_the_bootstrap(committed: Held) -> None:
    checked = 0
    for place, results in committed.items():
        for formula, bootstrap in pairs(VERSIONS[place], results):
            assert bootstrap == pytest.approx(formula, rel=0.15)
            checked += 1
    assert checked > 150
