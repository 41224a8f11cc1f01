from dataclasses import replace

import numpy as np
import pytest

from benchmark.metrics import METRICS
from benchmark.records import CaseKey, Columns, Judgement, Kind
from benchmark.summary import RESAMPLES, draws, interval, intervals, ones, resamples, values
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Version
from tests.builders import CURRENT, failure, oracle, outcome, outcomes


def test_an_oracle_has_perfect_metrics() -> None:
    found = values(CURRENT, outcomes())
    assert set(found.metrics) == set(CURRENT.metrics)
    assert all(value == (0.0 if name == "fpr" else 1.0) for name, value in found.metrics.items())
    assert not found.reasons
    assert found.by_strength["auroc"]["xor"] == {"0.3": 1.0, "0.6": 1.0, "1.0": 1.0}


def test_breakdown_compares_one_strength_with_all_nulls_of_the_variant() -> None:
    def only_strong_linear(key: CaseKey) -> Judgement:
        return Judgement(score=float(key.variant == "linear" and key.strength == 1.0))

    found = values(CURRENT, outcomes(only_strong_linear)).by_strength["auroc"]
    assert found["linear"] == {"0.3": 0.5, "0.6": 0.5, "1.0": 1.0}
    assert found["variance"] == {"0.3": 0.5, "0.6": 0.5, "1.0": 0.5}


def test_without_flags_the_flag_metrics_are_null_with_the_reason() -> None:
    found = values(CURRENT, outcomes(lambda key: Judgement(score=1.0)))
    assert found.metrics["auroc"] == 0.5
    assert found.metrics["fpr"] is None
    assert found.reasons["fpr"] == "the entry returns no flag"
    assert "fpr" not in intervals(CURRENT, outcomes(lambda key: Judgement(score=1.0)))


def test_one_failed_case_leaves_no_metric() -> None:
    rows = outcomes()
    rows[7] = failure(rows[7].key)
    found = values(CURRENT, rows)
    assert set(found.metrics.values()) == {None}
    assert set(found.reasons.values()) == {"1 of 180 cases failed"}
    assert intervals(CURRENT, rows) == {}
    assert values(CURRENT, []).reasons["auroc"] == "no case was run"


def test_resampling_keeps_every_stratum_at_its_size() -> None:
    columns = Columns.of(outcomes())
    weights = resamples(columns, ("variant", "kind"))
    assert weights.shape == (RESAMPLES, 180)
    for variant in CURRENT.variants:
        for kind in (Kind.NULL, Kind.SHORTCUT):
            rows = (columns.variant == variant) & (columns.kind == kind)
            assert (weights[:, rows].sum(axis=1) == 30).all()
    assert abs(weights.mean() - 1) < 1e-12
    assert weights.var(axis=0) == pytest.approx(np.full(180, 29 / 30), rel=0.2)  # multinomial: 1 - 1/30


def test_entries_share_their_resamples() -> None:
    one = resamples(Columns.of(outcomes()), ("variant", "kind"))
    other = resamples(Columns.of(outcomes(lambda key: Judgement(score=2.0))), ("variant", "kind"))
    assert (one == other).all()


def test_interval_of_a_rate_agrees_with_the_binomial() -> None:
    rows = outcomes(lambda key: Judgement(score=float(key.seed), flag=key.seed % 10 == 0))
    low, high = intervals(CURRENT, rows)["fpr"]
    # 9 of 90 nulls: standard error sqrt(0.1 * 0.9 / 90) = 0.0316
    assert low == pytest.approx(0.1 - 1.96 * 0.0316, abs=0.02)
    assert high == pytest.approx(0.1 + 1.96 * 0.0316, abs=0.02)


def test_interval_of_a_blind_score_has_the_width_theory_gives() -> None:
    random = np.random.default_rng(0)
    rows = outcomes(lambda key: Judgement(score=float(random.normal())))
    low, high = intervals(CURRENT, rows)["auroc"]
    # one variant: sqrt((30 + 30 + 1) / (12 * 900)) = 0.0752; mean of three: 0.0434
    assert (high - low) / 2 == pytest.approx(1.96 * 0.0434, rel=0.2)


def test_ones_counts_every_case_once() -> None:
    assert (ones(Columns.of([outcome(CURRENT.keys()[0], oracle(CURRENT.keys()[0]))])) == [[1.0]]).all()


def few(seeds: int) -> tuple[Version, Columns]:
    """A version with two strata of `seeds` cases each, and columns whose values are 0.1, 0.2, and so on."""
    version = TRACKS["image-mitigation"].current
    n = 2 * seeds
    columns = Columns(
        variant=np.full(n, "patch"),
        strength=np.repeat([0.9, 0.97], seeds),
        kind=np.full(n, "shortcut"),
        score=None,
        flag=None,
        figures={"worst_group_acc": np.arange(1, n + 1) / 10},
    )
    return version, columns


def test_draws_of_few_cases_are_stretched_about_their_value() -> None:
    version, columns = few(3)
    plain = METRICS["worst_group_acc"].compute(columns, resamples(columns, version.strata))
    # sqrt(3 / 2) times the 97.5% quantile of Student's t with 6 - 2 degrees of freedom over the normal one
    factor = np.sqrt(1.5) * 2.7764451 / 1.9599640
    assert factor == pytest.approx(1.735, abs=5e-4)
    expected = np.clip(0.35 + factor * (plain - 0.35), 0.0, 1.0)
    assert draws(version, columns, "worst_group_acc") == pytest.approx(expected)


def test_draws_stay_within_what_a_metric_can_be() -> None:
    version, columns = few(5)
    assert (draws(version, columns, "worst_group_acc") <= 1.0).all()


def test_draws_of_ten_cases_or_more_are_left_as_they_are() -> None:
    version, columns = few(10)
    plain = METRICS["worst_group_acc"].compute(columns, resamples(columns, version.strata))
    assert np.array_equal(draws(version, columns, "worst_group_acc"), plain)


def test_of_single_cases_there_is_no_interval() -> None:
    version, columns = few(1)
    drawn = draws(version, columns, "worst_group_acc")
    assert np.isnan(drawn).all() and interval(drawn) is None


@pytest.mark.parametrize("seeds", [3, 5])
def test_an_interval_of_few_cases_holds_the_truth_as_often_as_it_says(seeds: int) -> None:
    version, columns = few(seeds)
    rng, held = np.random.default_rng(0), 0
    for _ in range(400):
        figures = {"worst_group_acc": 0.5 + 0.05 * rng.standard_normal(2 * seeds)}
        ends = interval(draws(version, replace(columns, figures=figures), "worst_group_acc"))
        assert ends is not None
        held += ends[0] <= 0.5 <= ends[1]
    # 0.95 with a standard error of 0.011
    assert 0.92 <= held / 400 <= 0.985
