import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from benchmark.measures import (
    UndefinedMetric,
    flag_fpr,
    flag_tpr,
    mean_variant_auroc,
    variant_auroc,
    weighted_auroc,
)
from benchmark.metrics import METRICS
from benchmark.records import Columns


def columns(rows: list[tuple[str, float, str, float, bool | None]]) -> Columns:
    variant, strength, kind, score, flag = zip(*rows, strict=True)
    return Columns(
        variant=np.array(variant),
        strength=np.array(strength),
        kind=np.array(kind),
        score=np.array(score),
        flag=None if flag[0] is None else np.array(flag),
        figures={},
    )


ROWS = columns(
    [
        ("linear", 0.0, "null", 1.0, False),
        ("linear", 0.0, "null", 2.0, True),
        ("linear", 0.3, "shortcut", 2.0, True),
        ("linear", 1.0, "shortcut", 3.0, True),
        ("xor", 0.0, "null", 5.0, False),
        ("xor", 0.3, "shortcut", 4.0, False),
        ("xor", 0.3, "ambiguous", 9.0, True),
    ]
)
ONES = np.ones((1, 7))


def test_auroc_counts_ties_half() -> None:
    # linear pairs: (2,1) win, (2,2) tie, (3,1) win, (3,2) win -> 3.5 of 4
    assert variant_auroc(ROWS, ONES, "linear") == pytest.approx([0.875])


def test_auroc_is_the_mean_over_variants_not_pooled_and_without_ambiguous_cases() -> None:
    # xor: 4 against 5 -> 0
    assert mean_variant_auroc(ROWS, ONES) == pytest.approx([(0.875 + 0.0) / 2])


def test_flag_rates() -> None:
    assert flag_fpr(ROWS, ONES) == pytest.approx([1 / 3])
    assert flag_tpr(ROWS, ONES) == pytest.approx([2 / 3])
    assert flag_tpr(ROWS, ONES, strength=0.3) == pytest.approx([1 / 2])


def test_weights_count_cases_as_often_as_they_say() -> None:
    weights = np.array([[3.0, 1, 1, 1, 1, 1, 1]])
    # linear: null 1.0 counts three times: wins 3 + 0.5 + 3 + 1 of 8 pairs
    assert variant_auroc(ROWS, weights, "linear") == pytest.approx([7.5 / 8])
    assert flag_fpr(ROWS, weights) == pytest.approx([1 / 5])


def test_a_resample_without_a_needed_case_has_no_value() -> None:
    weights = np.array([[0.0, 0, 1, 1, 1, 1, 1], [1.0, 1, 1, 1, 1, 1, 1]])
    found = variant_auroc(ROWS, weights, "linear")
    assert np.isnan(found[0]) and found[1] == pytest.approx(0.875)


scores = st.lists(st.integers(-3, 3), min_size=2, max_size=12)


@given(scores, scores)
def test_auroc_agrees_with_scikit_learn(nulls: list[int], shortcuts: list[int]) -> None:
    values = np.array([*nulls, *shortcuts], dtype=float)
    positive = np.array([False] * len(nulls) + [True] * len(shortcuts))
    found = weighted_auroc(values, positive, np.ones((1, len(values))))
    assert found == pytest.approx([roc_auc_score(positive, values)])


@given(scores, scores, st.data())
def test_weights_are_the_same_as_repeated_rows(
    nulls: list[int], shortcuts: list[int], data: st.DataObject
) -> None:
    values = np.array([*nulls, *shortcuts], dtype=float)
    positive = np.array([False] * len(nulls) + [True] * len(shortcuts))
    counts = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(values), max_size=len(values))))
    weighted = weighted_auroc(values, positive, counts[None, :].astype(float))
    repeated = roc_auc_score(np.repeat(positive, counts), np.repeat(values, counts))
    assert weighted == pytest.approx([repeated])


def test_a_metric_of_nothing_raises() -> None:
    only_nulls = ROWS.where(ROWS.kind == "null")
    one = np.ones((1, len(only_nulls)))
    with pytest.raises(UndefinedMetric, match="shortcut"):
        mean_variant_auroc(only_nulls, one)
    with pytest.raises(UndefinedMetric, match="shortcut"):
        flag_tpr(only_nulls, one)
    with pytest.raises(UndefinedMetric, match="flag"):
        flag_fpr(columns([("linear", 0.0, "null", 1.0, None)]), np.ones((1, 1)))


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_says_what_a_reader_needs(name: str) -> None:
    metric = METRICS[name]
    assert metric.title and metric.about.endswith(".") and metric.formula and metric.source
    assert metric.low < metric.high
    assert metric.chance is None or metric.low <= metric.chance <= metric.high
