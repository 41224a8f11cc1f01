"""The probes: what they gain over the label, and what a probe that ignores the label takes for a shortcut."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from tests.contrib_methods import dataset, method


def test_the_marginal_probe_is_fooled_by_an_attribute_that_follows_the_label() -> None:
    marginal, conditional = method("marginal_probe").detect, method("conditional_probe").detect
    nulls = [dataset(seed=seed, n=600) for seed in range(10)]
    assert sum(marginal(**null, seed=1)["flag"] for null in nulls) >= 8
    assert sum(conditional(**null, seed=1)["flag"] for null in nulls) <= 2


def test_the_marginal_probe_is_quiet_where_attribute_and_label_are_independent() -> None:
    detect = method("marginal_probe").detect
    assert sum(detect(**dataset(seed=seed, rho=0.5), seed=1)["flag"] for seed in range(10)) <= 2


def test_the_rank_sum_auroc_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(2)
    predictions = rng.integers(0, 5, 40).astype(float)
    attributes = rng.permuted(np.tile(np.arange(40) % 2, (3, 1)), axis=1)
    expected = [roc_auc_score(row, predictions) for row in attributes]
    assert method("marginal_probe").auroc(predictions, attributes) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("entry", "variant"),
    [
        ("conditional_probe", "linear"),
        ("quadratic_probe", "linear"),
        ("quadratic_probe", "xor"),
        ("quadratic_probe", "variance"),
    ],
)
def test_the_conditional_probes_gain_from_the_signals_they_see(entry: str, variant: str) -> None:
    answer = method(entry).detect(**dataset(variant, 1.0), seed=1)
    assert answer["flag"]
    assert answer["score"] > 0.05


def test_the_linear_probe_gains_nothing_from_products() -> None:
    detect = method("conditional_probe").detect
    assert sum(detect(**dataset("xor", 1.0, seed), seed=1)["flag"] for seed in range(10)) <= 2


@pytest.mark.parametrize("entry", ["conditional_probe", "quadratic_probe"])
def test_the_conditional_probes_flag_nulls_at_the_nominal_level(entry: str) -> None:
    detect = method(entry).detect
    assert sum(detect(**dataset(seed=seed, n=120), seed=seed)["flag"] for seed in range(60)) <= 8


def test_the_gain_is_that_of_fitting_every_fold_by_itself() -> None:
    drawn, module = dataset("linear", 0.6, n=80), method("conditional_probe")
    x, a, y = drawn["embeddings"], drawn["attribute"], drawn["task_labels"]
    folds = np.arange(80) % module.FOLDS
    left = saved = 0.0
    for fold in range(module.FOLDS):
        train = folds != fold
        means = np.array(
            [[x[train & (y == k)].mean(axis=0), a[train & (y == k)].mean()] for k in (0, 1)], object
        )
        for row in np.flatnonzero(~train):
            centered = np.array([x[i] - means[y[i], 0] for i in np.flatnonzero(train)])
            target = np.array([a[i] - means[y[i], 1] for i in np.flatnonzero(train)])
            stacked = np.vstack([centered, np.sqrt(module.PENALTY) * np.eye(8)])
            weights = np.linalg.lstsq(stacked, np.append(target, np.zeros(8)), rcond=None)[0]
            error = a[row] - means[y[row], 1]
            left += error**2
            saved += error**2 - (error - (x[row] - means[y[row], 0]) @ weights) ** 2
    assert module.held_out_gains(x, a[None], y, folds) == pytest.approx([saved / left])


def test_screening_outside_the_fold_would_inflate_the_gain() -> None:
    module, gains, leaking = method("quadratic_probe"), [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        noise, attribute = rng.standard_normal((100, 300)), rng.permutation(np.arange(100) % 2)
        labels, folds = np.zeros(100, dtype=np.int64), np.arange(100) % module.FOLDS
        best = module.largest(np.abs((attribute - 0.5)[None] @ noise))[0]
        gains.append(module.held_out_gains(noise, attribute[None], labels, folds)[0])
        leaking.append(module.held_out_gains(noise[:, best], attribute[None], labels, folds)[0])
    assert np.mean(gains) < 0 < np.mean(leaking)
