"""The tests and the distance: each sees its kind of signal, and its statistic is the textbook's."""

import itertools
from types import ModuleType

import numpy as np
import pytest
from scipy import stats

from benchmark.records import FloatArray, IntArray
from tests.contrib_methods import dataset, method

SEES = [
    ("mean_shift_test", {"linear"}),
    ("variance_test", {"variance"}),
    ("product_test", {"xor"}),
    ("omnibus_test", {"linear", "xor", "variance"}),
    ("energy_distance", {"linear", "variance"}),
]


def one_label(seed: int) -> tuple[FloatArray, IntArray, IntArray]:
    """Embeddings (60, 3), an attribute, and task labels that are all 0."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((60, 3)), rng.permutation(np.arange(60) % 2), np.zeros(60, dtype=np.int64)


def t_of(module: ModuleType, features: FloatArray, attribute: IntArray, labels: IntArray) -> FloatArray:
    freedom = len(attribute) - len(np.unique(labels)) - 1
    found: FloatArray = module.t_within(features, attribute, labels, freedom)
    return found


@pytest.mark.parametrize(("entry", "visible"), SEES)
def test_the_flag_fires_on_the_signals_the_method_sees(entry: str, visible: set[str]) -> None:
    detect = method(entry).detect
    for variant in visible:
        assert detect(**dataset(variant, 1.0), seed=1)["flag"], variant


@pytest.mark.parametrize(
    ("entry", "blind"),
    [
        ("mean_shift_test", "xor"),
        ("mean_shift_test", "variance"),
        ("variance_test", "linear"),
        ("variance_test", "xor"),
        ("product_test", "linear"),
    ],
)
def test_a_signal_of_another_kind_leaves_the_flag_quiet(entry: str, blind: str) -> None:
    detect = method(entry).detect
    fired = sum(detect(**dataset(blind, 1.0, seed), seed=seed)["flag"] for seed in range(40))
    assert fired <= 6


@pytest.mark.parametrize("entry", ["mean_shift_test", "variance_test", "product_test", "omnibus_test"])
def test_nulls_whose_attribute_follows_the_label_are_flagged_at_the_nominal_level(entry: str) -> None:
    detect = method(entry).detect
    fired = sum(detect(**dataset(seed=seed), seed=seed)["flag"] for seed in range(60))
    assert fired <= 8


def test_mean_shift_is_the_two_sample_t_test_where_there_is_one_label() -> None:
    features, attribute, labels = one_label(3)
    expected = stats.ttest_ind(features[attribute == 1], features[attribute == 0]).statistic
    assert t_of(method("mean_shift_test"), features, attribute, labels) == pytest.approx(expected)


def test_mean_shift_is_the_regression_of_a_column_on_label_and_attribute() -> None:
    drawn = dataset("linear", 0.5, seed=4)
    features, attribute, labels = drawn["embeddings"], drawn["attribute"], drawn["task_labels"]
    design = np.column_stack([np.ones(len(labels)), labels, attribute])
    weights, residual, *_ = np.linalg.lstsq(design, features, rcond=None)
    error = np.sqrt(residual / (len(labels) - 3) * np.linalg.inv(design.T @ design)[2, 2])
    assert t_of(method("mean_shift_test"), features, attribute, labels) == pytest.approx(weights[2] / error)


def test_variance_test_is_brown_forsythe_where_there_is_one_label() -> None:
    features, attribute, labels = one_label(5)
    module = method("variance_test")
    distances = module.distances_to_median(features, attribute, labels)
    expected = stats.levene(features[attribute == 1], features[attribute == 0], center="median").statistic
    assert t_of(module, distances, attribute, labels) ** 2 == pytest.approx(expected)


def test_product_test_takes_every_pair_of_different_columns_once() -> None:
    columns = np.array([[2.0, 3.0, 5.0], [1.0, -1.0, 4.0]])
    assert method("product_test").pair_products(columns).tolist() == [[6.0, 10.0, 15.0], [-1.0, 4.0, -4.0]]


def test_a_shift_is_no_product_where_the_attribute_is_as_rare_in_both_labels() -> None:
    detect, fired = method("product_test").detect, 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        labels, attribute = rng.integers(0, 2, 300), (rng.random(300) < 0.2).astype(np.int64)
        embeddings = rng.standard_normal((300, 8))
        embeddings[:, :2] += attribute[:, None]
        fired += detect(embeddings, attribute, labels, seed)["flag"]
    assert fired <= 4


def test_omnibus_standardizes_over_observed_and_permuted_rows_alike() -> None:
    drawn = dataset("linear", 1.0)
    score = method("omnibus_test").detect(**drawn, seed=1)["score"]
    assert 4.0 < score <= np.sqrt(method("omnibus_test").PERMUTATIONS)


def test_energy_statistic_is_that_of_a_loop_over_all_pairs() -> None:
    features, attribute, _ = one_label(6)
    distance = np.linalg.norm(features[:, None] - features[None], axis=2)
    groups = [np.flatnonzero(attribute == value) for value in (0, 1)]
    mean = {
        (i, j): np.mean([distance[a, b] for a, b in itertools.product(groups[i], groups[j])])
        for i, j in ((0, 0), (0, 1), (1, 1))
    }
    sizes = [len(group) for group in groups]
    expected = sizes[0] * sizes[1] / sum(sizes) * (2 * mean[0, 1] - mean[0, 0] - mean[1, 1])
    found = method("energy_distance").energy_statistics(distance, attribute[None])
    assert found == pytest.approx([expected])
