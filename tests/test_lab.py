"""What the laboratories compute, each against a second way or a case worked out by hand."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from benchmark.data.patched_bars import Recipe, generate_patched_bars
from benchmark.lab.cnn import method as cnn
from benchmark.lab.linear import method as linear
from benchmark.models import cnn_of, predicted
from benchmark.training import state_size


def test_plain_predictions_are_those_of_logistic_regression() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 100)
    rows = rng.standard_normal((200, 3)) + labels[:, None]
    queries = rng.standard_normal((50, 3))
    expected = LogisticRegression(max_iter=1000).fit(rows, labels).predict(queries)
    found = linear.laboratory().plain_predictions(rows, labels, queries)
    assert np.array_equal(found, expected) and 0 < expected.mean() < 1


def leakage(columns: np.ndarray, attribute: np.ndarray, labels: np.ndarray) -> float:
    return linear.laboratory().leakage(columns, attribute, labels)


def test_leakage_is_that_of_a_shifted_normal() -> None:
    # Two normals one standard deviation apart: AUROC is Phi(1 / sqrt 2) = 0.7602.
    rng = np.random.default_rng(0)
    attribute, labels = rng.integers(0, 2, 20_000), rng.integers(0, 2, 20_000)
    columns = rng.standard_normal((20_000, 1)) + attribute[:, None]
    assert leakage(columns, attribute, labels) == pytest.approx(0.7602, abs=0.01)


@pytest.mark.parametrize("columns", [np.zeros((1000, 2)), np.full((1000, 1), 1e12)])
def test_constant_columns_leak_nothing(columns: np.ndarray) -> None:
    rng = np.random.default_rng(1)
    attribute, labels = rng.integers(0, 2, 1000), rng.integers(0, 2, 1000)
    assert leakage(columns, attribute, labels) == 0.5


def test_many_columns_of_noise_leak_nothing_as_no_fold_sees_its_own_rows() -> None:
    # Probed on the rows it was fitted on, as many columns as rows would tell everything.
    rng = np.random.default_rng(2)
    attribute, labels = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    assert leakage(rng.standard_normal((400, 400)), attribute, labels) == pytest.approx(0.5, abs=0.09)


def test_the_label_is_part_of_what_the_probe_knows() -> None:
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 2000)
    attribute = np.where(rng.random(2000) < 0.9, labels, 1 - labels)
    assert leakage(rng.standard_normal((2000, 1)), attribute, labels) == pytest.approx(0.9, abs=0.03)


@pytest.mark.parametrize(
    "disguised",
    [
        lambda e: e * 1e-170,
        lambda e: e * 1e-3 + 1e9,
        lambda e: np.sinh(6 * e),
        lambda e: np.column_stack([e[:, 0] * 1e-12, np.full(len(e), 1e12)]),
    ],
    ids=["tiny", "far off", "heavy tails", "beside a constant"],
)
def test_no_scale_offset_or_tail_hides_the_attribute(disguised: object) -> None:
    assert callable(disguised)
    rng = np.random.default_rng(0)
    attribute, labels = rng.integers(0, 2, 4000), rng.integers(0, 2, 4000)
    plain = rng.standard_normal((4000, 1)) + 2 * attribute[:, None]
    # Phi(2 / sqrt 2) = 0.921
    assert leakage(disguised(plain), attribute, labels) == pytest.approx(0.921, abs=0.015)


def test_a_trained_cnn_is_its_state_and_its_labels() -> None:
    made = generate_patched_bars(Recipe(1.0, 128, 0), np.random.default_rng(0))
    found = cnn.laboratory().trained_cnn(made.images, made.task_labels, made.images[:30], seed=4)
    assert found["state"].shape == (state_size(),)
    assert np.array_equal(found["labels"], predicted(cnn_of(found["state"]), made.images[:30]))
