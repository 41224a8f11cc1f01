"""Metrics made of per-case figures, each against a second way of computing it."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from benchmark.measures import UndefinedMetric, figure_mean, pointing_game, reliance_spearman
from benchmark.metrics import METRICS
from benchmark.records import Columns, FloatArray


def columns(score: list[float] | None = None, kind: str = "shortcut", **figures: list[float]) -> Columns:
    n = len(next(iter(figures.values())))
    return Columns(
        variant=np.full(n, "patch"),
        strength=np.ones(n),
        kind=np.array([kind] * n),
        score=None if score is None else np.array(score),
        flag=None,
        figures={name: np.array(values) for name, values in figures.items()},
    )


def once(n: int) -> FloatArray:
    return np.ones((1, n))


def test_spearman_of_ranks_worked_out_by_hand() -> None:
    # ranks 1 2 3 4 and 2 1 4 3: 1 - 6 * (1 + 1 + 1 + 1) / (4 * 15) = 0.6
    cases = columns([1.0, 2.0, 3.0, 4.0], reliance=[0.2, 0.1, 0.9, 0.3])
    assert reliance_spearman(cases, once(4)) == pytest.approx([0.6])


small = st.integers(0, 3).map(float)


@given(st.lists(st.tuples(small, small, st.integers(0, 2)), min_size=3, max_size=12))
def test_weighted_spearman_is_that_of_repeated_rows(rows: list[tuple[float, float, int]]) -> None:
    scores, reliance, counts = (np.array(part) for part in zip(*rows, strict=True))
    held_scores, held_reliance = np.repeat(scores, counts), np.repeat(reliance, counts)
    cases = columns(list(scores), reliance=list(reliance))
    if len(set(scores)) < 2 or len(set(reliance)) < 2:
        with pytest.raises(UndefinedMetric, match="not all equal"):
            reliance_spearman(cases, counts[None].astype(float))
        return
    (found,) = reliance_spearman(cases, counts[None].astype(float))
    if len(set(held_scores)) < 2 or len(set(held_reliance)) < 2:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(spearmanr(held_scores, held_reliance).statistic)


def test_spearman_counts_ambiguous_cases_and_needs_scores() -> None:
    cases = columns([1.0, 2.0, 3.0], kind="ambiguous", reliance=[0.0, 0.1, 0.2])
    assert reliance_spearman(cases, once(3)) == pytest.approx([1.0])
    with pytest.raises(UndefinedMetric, match="no score"):
        reliance_spearman(columns(reliance=[0.0, 1.0]), once(2))


def test_pointing_game_pools_the_images_of_shortcut_cases() -> None:
    cases = Columns(
        variant=np.full(3, "patch"),
        strength=np.array([0.5, 1.0, 1.0]),
        kind=np.array(["null", "shortcut", "shortcut"]),
        score=None,
        flag=None,
        figures={"hits": np.array([200.0, 10.0, 60.0]), "patched": np.array([200.0, 100.0, 200.0])},
    )
    assert pointing_game(cases, once(3)) == pytest.approx([70 / 300])
    # The second shortcut case drawn twice, the first not at all.
    assert pointing_game(cases, np.array([[1.0, 0.0, 2.0]])) == pytest.approx([60 / 200])
    assert np.isnan(pointing_game(cases, np.array([[3.0, 0.0, 0.0]]))).all()


def test_pointing_game_needs_heatmaps_and_patched_images() -> None:
    with pytest.raises(UndefinedMetric, match="no heatmaps"):
        pointing_game(columns(patched=[1.0]), once(1))
    with pytest.raises(UndefinedMetric, match="no patched image"):
        pointing_game(columns(kind="null", hits=[1.0], patched=[1.0]), once(1))


def test_the_mean_of_a_figure_follows_the_weights_and_says_why_it_is_missing() -> None:
    cases = columns(worst_group_acc=[0.2, 0.4, 0.9])
    mean = partial(figure_mean, figure="worst_group_acc")
    assert mean(cases, once(3)) == pytest.approx([0.5])
    assert mean(cases, np.array([[0.0, 2.0, 1.0]])) == pytest.approx([(0.8 + 0.9) / 3])
    with pytest.raises(UndefinedMetric, match="the entry has no transform"):
        METRICS["leakage_auroc"].compute(cases, once(3))


def test_directions_and_ranges() -> None:
    assert {name for name, metric in METRICS.items() if not metric.higher_is_better} == {
        "fpr",
        "leakage_auroc",
    }
    assert (METRICS["gain_over_erm"].low, METRICS["reliance_spearman"].low) == (-1.0, -1.0)
    assert METRICS["leakage_auroc"].low == 0.5
    assert METRICS["pointing_game"].chance == pytest.approx(36 / 1024, abs=5e-4)
