"""The reference entries of embedding-mitigation: what all of them bear, and what makes each of them work."""

import tomllib
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from benchmark.records import FloatArray, IntArray
from tests.contrib_methods import CONTRIB, Seen, method
from tests.mitigation_data import DEGENERATE, plain, split, worst_group_accuracy

TRANSFORMING = ("attribute_column_pruning", "inlp", "leace")
MITIGATING = ("balanced_subsampling", "dfr", "group_dro", "group_reweighting", *TRANSFORMING)
ENTRIES = ("erm", "majority_class", *MITIGATING)


def groups_of(given: Seen) -> IntArray:
    groups: IntArray = 2 * given["task_labels"] + given["attribute"]
    return groups


def within_labels(values: FloatArray | IntArray, labels: IntArray) -> FloatArray:
    """`values` less their mean within each label, by a product with the label's indicators."""
    member = (labels[:, None] == np.unique(labels)).astype(float)
    means = np.linalg.lstsq(member, values, rcond=None)[0]
    centered: FloatArray = values - member @ means
    return centered


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_descriptor_names_the_track_and_only_the_floor_is_a_control(entry: str) -> None:
    described = tomllib.loads((CONTRIB / entry / "entry.toml").read_text())
    assert "embedding-mitigation" in described["tracks"]
    assert described["kind"] == ("control" if entry == "majority_class" else "method")
    assert ("paper" in described) == ("bibtex" in described) == (entry != "majority_class")


@pytest.mark.parametrize("make", DEGENERATE, ids=lambda make: make.__name__)
@pytest.mark.parametrize("entry", ENTRIES)
def test_degenerate_data_is_answered_row_by_row(entry: str, make: Callable[[], Seen]) -> None:
    given = make()
    fitted = method(entry).fit(**given, seed=3)
    rows = np.random.default_rng(1).standard_normal((20, given["embeddings"].shape[1]))
    predicted = fitted.predict(rows)
    assert predicted.dtype == np.int64 and predicted.shape == (20,)
    assert set(predicted.tolist()) <= {0, 1}
    if entry in TRANSFORMING:
        changed = fitted.transform(rows)
        assert changed.dtype == np.float64 and changed.shape == rows.shape
        assert np.all(np.isfinite(changed))


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_row_is_answered_alike_in_any_batch(entry: str) -> None:
    fitted, rows = method(entry).fit(**plain(), seed=3), plain()["embeddings"]
    assert hasattr(fitted, "transform") == (entry in TRANSFORMING)
    order = np.random.default_rng(2).permutation(len(rows))
    for answer in (fitted.predict, *([fitted.transform] if entry in TRANSFORMING else [])):
        whole = answer(rows)
        assert np.array_equal(answer(rows[order]), whole[order])
        assert np.array_equal(np.concatenate([answer(rows[i : i + 1]) for i in range(len(rows))]), whole)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_same_seed_gives_the_same_answers_and_the_input_is_left_alone(entry: str) -> None:
    fit, given, untouched = method(entry).fit, plain(), plain()
    rows = untouched["embeddings"]
    first, second = fit(**given, seed=7), fit(**given, seed=7)
    assert np.array_equal(first.predict(rows), second.predict(rows))
    if entry in TRANSFORMING:
        assert np.array_equal(first.transform(rows), second.transform(rows))
        first.transform(rows)[:] = 0.0
    assert all(np.array_equal(given[name], untouched[name]) for name in given)
    assert np.array_equal(rows, given["embeddings"])


@pytest.mark.parametrize("entry", MITIGATING)
def test_the_worst_group_is_served_far_better_than_by_plain_logistic_regression(entry: str) -> None:
    drawn = split(rho=0.97, delta=2.0)
    worst = {
        name: worst_group_accuracy(
            method(name).fit(**drawn.given, seed=1).predict(drawn.test.embeddings),
            drawn.test.task_labels,
            drawn.test.attribute,
        )
        for name in ("erm", entry)
    }
    assert worst["erm"] < 0.35
    assert worst[entry] > 0.5


def test_erm_is_plain_logistic_regression_and_blind_to_the_attribute() -> None:
    given = plain()
    expected = LogisticRegression(max_iter=1000).fit(given["embeddings"], given["task_labels"])
    found = method("erm").fit(**{**given, "attribute": 1 - given["attribute"]}, seed=5)
    assert np.array_equal(found.coef_, expected.coef_)
    assert np.array_equal(found.intercept_, expected.intercept_)


def test_group_weights_are_n_over_4_n_g() -> None:
    labels, attribute = np.array([0, 0, 0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 0, 1, 0, 1, 1])
    by_hand = [0.5, 0.5, 0.5, 0.5, 2.0, 2.0, 1.0, 1.0]
    assert method("group_reweighting").group_weights(attribute, labels).tolist() == by_hand
    assert method("inlp").group_weights(2 * labels + attribute).tolist() == by_hand


def test_a_group_without_rows_leaves_the_weights_of_the_others_as_they_are() -> None:
    weights = method("group_reweighting").group_weights(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))
    assert weights.tolist() == [0.5, 0.5, 1.0, 1.0]


def test_reweighting_is_logistic_regression_on_rows_repeated_until_the_groups_are_even() -> None:
    labels, attribute = np.array([0, 0, 0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 0, 1, 0, 1, 1])
    rows = np.random.default_rng(4).standard_normal((8, 3))
    repeated = np.repeat(np.arange(8), [1, 1, 1, 1, 4, 4, 2, 2])
    expected = LogisticRegression(C=0.5, max_iter=1000).fit(rows[repeated], labels[repeated])
    found = method("group_reweighting").fit(rows, attribute, labels, seed=0)
    assert found.coef_ == pytest.approx(expected.coef_, abs=1e-3)


@pytest.mark.parametrize("entry", ["balanced_subsampling", "dfr"])
def test_the_subset_has_as_many_different_rows_of_every_group_as_the_smallest_group(entry: str) -> None:
    groups = np.repeat([0, 1, 3], [7, 3, 5])
    rng, chosen = np.random.default_rng(0), set()
    for _ in range(50):
        rows = method(entry).balanced_rows(groups % 2, groups // 2, rng).ravel()
        assert len(set(rows.tolist())) == 9
        assert np.bincount(groups[rows], minlength=4).tolist() == [3, 3, 0, 3]
        chosen.update(rows.tolist())
    assert len(chosen) == 15


def test_subsampling_is_logistic_regression_on_the_subset_and_its_seed_matters() -> None:
    module, given = method("balanced_subsampling"), plain()
    rows = module.balanced_rows(given["attribute"], given["task_labels"], np.random.default_rng(6))
    expected = LogisticRegression(max_iter=1000).fit(given["embeddings"][rows], given["task_labels"][rows])
    assert np.array_equal(module.fit(**given, seed=6).coef_, expected.coef_)
    assert not np.array_equal(module.fit(**given, seed=7).coef_, expected.coef_)


def test_group_dro_moves_weight_to_the_group_of_larger_loss() -> None:
    module = method("group_dro")
    losses = np.array([np.log(3.0) / module.GROUP_RATE, 0.0])
    assert module.moved(np.array([0.5, 0.5]), losses) == pytest.approx([0.75, 0.25])
    assert module.moved(np.array([0.75, 0.25]), losses) == pytest.approx([0.9, 0.1])


def test_group_dro_averages_over_the_rows_of_each_group_present() -> None:
    averages = method("group_dro").group_averages(np.array([3, 0, 3, 3, 0]))
    assert averages @ [3.0, 1.0, 6.0, 9.0, 2.0] == pytest.approx([1.5, 6.0])


def test_group_dro_ends_with_the_weight_on_the_hardest_group_of_either_label() -> None:
    """Without a penalty on the intercept both labels weigh the same where the losses are equal."""
    groups = np.repeat([0, 1, 2, 3], [40, 10, 10, 40])
    column = np.array([-2.0, -1.0, 0.5, 2.0])[groups]
    fitted = method("group_dro").fit(column[:, None], groups % 2, groups // 2, seed=0)
    assert fitted.shares == pytest.approx([0.0, 0.5, 0.5, 0.0], abs=0.02)


def test_group_dro_comes_near_the_least_loss_that_the_worst_group_can_have() -> None:
    module, given = method("group_dro"), plain()
    signs, groups = 2 * given["task_labels"] - 1, groups_of(given)

    def objective(shares: FloatArray, weights: FloatArray) -> float:
        losses = np.logaddexp(0, -signs * (given["embeddings"] @ weights[1:] + weights[0]))
        by_group = [losses[groups == group].mean() for group in range(4)]
        return float(shares @ by_group) + module.PENALTY / 2 * float(weights[1:] @ weights[1:])

    def worst(weights: FloatArray) -> float:
        return max(objective(np.eye(4)[group], weights) for group in range(4))

    above = [{"type": "ineq", "fun": lambda v, g=g: v[0] - objective(np.eye(4)[g], v[1:])} for g in range(4)]
    best = minimize(lambda v: v[0], np.append(1.0, np.zeros(9)), method="SLSQP", constraints=above)
    fitted = module.fit(**given, seed=0)
    assert best.success
    assert worst(np.append(fitted.intercept, fitted.weights)) == pytest.approx(best.fun, abs=0.005)


def test_dfr_averages_weights_and_intercepts() -> None:
    models = [
        SimpleNamespace(coef_=np.array([[1.0, 0.0]]), intercept_=np.array([2.0])),
        SimpleNamespace(coef_=np.array([[3.0, -4.0]]), intercept_=np.array([-1.0])),
    ]
    averaged = method("dfr").average(models)
    assert (averaged.weights.tolist(), averaged.intercept) == ([2.0, -2.0], 0.5)
    assert averaged.predict(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]])).tolist() == [1, 0, 1]


def test_dfr_takes_the_penalty_that_serves_the_worst_held_out_group_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four groups of four rows, of which the first two train and the last two are held out."""
    module, labels = method("dfr"), np.repeat([0, 0, 1, 1], 4)
    answers = {0.1: [0, 0, 0, 0, 1, 1, 0, 0], 0.03: [1, 1, 1, 1, 0, 0, 0, 0]}
    trained = []

    def sparse_model(embeddings: FloatArray, labels: IntArray, rows: IntArray, strength: float) -> object:
        trained.append(rows.tolist())
        return SimpleNamespace(predict=lambda held: np.array(answers.get(strength, [0] * 8)))

    monkeypatch.setattr(module, "sparse_model", sparse_model)
    given = (np.zeros((16, 1)), labels, [np.arange(16).reshape(4, 4)])
    assert module.best_strength(*given) == module.STRENGTHS[0]
    answers[0.03] = [0, 1, 0, 1, 0, 1, 0, 1]
    assert module.best_strength(*given) == 0.03
    assert all(rows == [0, 1, 4, 5, 8, 9, 12, 13] for rows in trained)
    assert module.best_strength(*given[:2], [np.arange(0, 16, 4)[:, None]]) == module.STRENGTHS[0]


def test_dfr_leaves_most_columns_out_and_keeps_those_of_the_label() -> None:
    drawn = split(rho=0.9, delta=1.0)
    weights = np.abs(method("dfr").fit(**drawn.given, seed=2).weights)
    assert set(np.argsort(weights)[-4:]) == set(drawn.train.task_columns)
    assert np.median(weights) < 0.05 * weights.max()


def test_leace_leaves_no_covariance_with_the_attribute_within_the_labels() -> None:
    given = plain()
    changed = method("leace").fit(**given, seed=0).transform(given["embeddings"])
    attribute = within_labels(given["attribute"], given["task_labels"])
    before = within_labels(given["embeddings"], given["task_labels"]).T @ attribute / 300
    after = within_labels(changed, given["task_labels"]).T @ attribute / 300
    assert np.abs(before).max() > 0.1
    assert np.abs(after).max() < 1e-12
    assert changed.mean(axis=0) == pytest.approx(given["embeddings"].mean(axis=0))


def test_leace_is_the_whitened_projection_of_its_paper() -> None:
    given = plain()
    x = within_labels(given["embeddings"], given["task_labels"])
    a = within_labels(given["attribute"], given["task_labels"])
    values, vectors = np.linalg.eigh(x.T @ x / 300)
    whiten, color = (vectors * values**power @ vectors.T for power in (-0.5, 0.5))
    seen_white = (whiten @ x.T @ a / 300)[:, None]
    expected = np.eye(8) - color @ seen_white @ np.linalg.pinv(seen_white) @ whiten
    eraser = method("leace").fit(**given, seed=0).eraser
    assert eraser(eraser.center + np.eye(8)) - eraser.center == pytest.approx(expected.T, abs=1e-10)


def test_no_other_affine_map_that_erases_as_much_changes_less_than_leace() -> None:
    given = plain()
    x = within_labels(given["embeddings"], given["task_labels"])
    covariance = x.T @ within_labels(given["attribute"], given["task_labels"]) / 300
    eraser = method("leace").fit(**given, seed=0).eraser
    least, rng = np.eye(8) - np.outer(eraser.direction, eraser.reader), np.random.default_rng(0)
    blind = np.eye(8) - np.outer(covariance, covariance) / (covariance @ covariance)
    for size in (1e-3, 0.1, 1.0):
        other = least + size * rng.standard_normal((8, 8)) @ blind
        assert np.abs(other @ covariance).max() < 1e-12
        assert np.sum((x @ other.T - x) ** 2) > np.sum((x @ least.T - x) ** 2)


def test_inlp_takes_out_the_part_along_a_direction() -> None:
    without = method("inlp").without
    assert without(np.array([[3.0, 4.0], [5.0, 0.0]]), np.array([[0.6, 0.8]])).tolist() == pytest.approx(
        [pytest.approx([0.0, 0.0], abs=1e-12), pytest.approx([3.2, -2.4])]
    )
    assert without(np.array([[3.0, 4.0]]), np.zeros((0, 2))).tolist() == [[3.0, 4.0]]


def test_inlp_takes_out_orthogonal_directions_until_no_probe_beats_chance_on_new_rows() -> None:
    drawn = split(rho=0.9, delta=2.0)
    fitted = method("inlp").fit(**drawn.given, seed=1)
    directions = fitted.directions
    assert 1 <= len(directions) <= 6
    assert directions @ directions.T == pytest.approx(np.eye(len(directions)), abs=1e-12)
    assert np.abs(fitted.transform(drawn.test.embeddings) @ directions.T).max() < 1e-12
    groups = groups_of(drawn.given)
    weights = 2000 / (4 * np.bincount(groups)[groups])

    def accuracy(change: Callable[[FloatArray], FloatArray]) -> float:
        probe = LogisticRegression(max_iter=1000)
        probe.fit(change(drawn.train.embeddings), drawn.train.attribute, sample_weight=weights)
        return float(probe.score(change(drawn.test.embeddings), drawn.test.attribute))

    assert accuracy(lambda rows: rows) > 0.9
    assert accuracy(fitted.transform) < 0.6


def test_inlp_stops_by_itself_when_nothing_is_left_to_find(monkeypatch: pytest.MonkeyPatch) -> None:
    module, given = method("inlp"), plain()
    monkeypatch.setattr(module, "held_out_accuracy", lambda *_: 1.0)
    directions = module.fit(**given, seed=0).directions
    assert len(directions) <= 8
    assert directions @ directions.T == pytest.approx(np.eye(len(directions)), abs=1e-9)
    given["embeddings"][:, 1:] = 0.0
    assert np.abs(module.fit(**given, seed=0).directions).tolist() == [[1.0] + [0.0] * 7]


def test_inlp_holds_every_group_out_in_equal_parts() -> None:
    groups = np.repeat([0, 1, 2, 3], [10, 5, 15, 20])
    folds = method("inlp").folds_within(groups, np.random.default_rng(0))
    for group, size in enumerate([2, 1, 3, 4]):
        assert np.bincount(folds[groups == group]).tolist() == [size] * 5


@pytest.mark.parametrize(("rho", "delta"), [(0.9, 1.0), (0.97, 2.0)])
def test_pruning_drops_the_columns_that_carry_the_attribute_and_hardly_any_other(
    rho: float, delta: float
) -> None:
    fit, more = method("attribute_column_pruning").fit, 0
    for seed in range(10):
        drawn = split(rho, delta, seed)
        dropped = set(np.flatnonzero(~fit(**drawn.given, seed=0).kept))
        assert dropped >= set(drawn.train.attribute_columns)
        more += len(dropped) > 4
    assert more <= 3


def test_pruning_puts_0_in_the_columns_it_drops_and_leaves_the_others_as_they_are() -> None:
    fitted = method("attribute_column_pruning").fit(**plain(), seed=0)
    rows = np.arange(16.0).reshape(2, 8) + 1
    changed = fitted.transform(rows)
    assert 2 <= np.count_nonzero(~fitted.kept) <= 4
    assert np.all(changed[:, ~fitted.kept] == 0)
    assert np.array_equal(changed[:, fitted.kept], rows[:, fitted.kept])


def test_pruning_tests_the_coefficient_of_the_attribute_beside_the_label() -> None:
    given = plain()
    design = np.column_stack([np.ones(300), given["task_labels"], given["attribute"]])
    weights, residual, *_ = np.linalg.lstsq(design, given["embeddings"], rcond=None)
    error = np.sqrt(residual / 297 * np.linalg.inv(design.T @ design)[2, 2])
    t = method("attribute_column_pruning").t_within(
        given["embeddings"], given["attribute"], given["task_labels"], 297
    )
    assert t == pytest.approx(weights[2] / error)


def test_pruning_without_an_attribute_drops_a_column_as_seldom_as_its_level_says() -> None:
    module, rng, labels = method("attribute_column_pruning"), np.random.default_rng(3), np.arange(200) % 2
    dropped = sum(
        not module.fit(rng.standard_normal((200, 8)), rng.integers(0, 2, 200), labels, seed=0).kept.all()
        for _ in range(60)
    )
    assert dropped <= 9


@pytest.mark.parametrize(("labels", "expected"), [([0, 1, 1], 1), ([0, 0, 1], 0), ([1, 0], 0)])
def test_the_floor_predicts_the_more_frequent_label(labels: list[int], expected: int) -> None:
    rows = np.zeros((len(labels), 2))
    fitted = method("majority_class").fit(
        rows, np.zeros(len(labels), dtype=np.int64), np.array(labels), seed=0
    )
    assert fitted.predict(np.ones((3, 2))).tolist() == [expected] * 3
