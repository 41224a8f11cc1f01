"""The reference entries of image-mitigation: the idea of each, and what all of them bear."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn

from benchmark import models
from benchmark.data.patched_bars import Recipe, generate_patched_bars
from benchmark.models import Images, Labels, Passes, make_cnn, state_of, train_classifier
from tests.contrib_methods import Seen, method

ENTRIES = ["balanced_sampling", "dfr_cnn", "erm_cnn", "group_dro_cnn", "group_weighted_ce", "random_erasing"]
HEAD = 64 * 2 + 2
"""How many numbers the last layer of the shared CNN has; they come last in its state."""
GROUPS_OF_3_2_0_1 = {
    "attribute": np.array([0, 0, 1, 1, 1, 0]),
    "task_labels": np.array([0, 0, 0, 0, 1, 0]),
}
"""Six rows: three of label 0 without the patch, two of label 0 with it, one of label 1 with it."""


@pytest.fixture(autouse=True)
def short_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four steps suffice to tell two trainings apart; nothing here waits for a model that is good."""
    monkeypatch.setattr(models, "SHARED", replace(models.SHARED, epochs=2, batch_size=8))


def bars(n: int = 16, rho: float = 0.7, seed: int = 0) -> Seen:
    """A dataset under the names by which an entry is called."""
    drawn = generate_patched_bars(Recipe(rho, n, corner=0), np.random.default_rng(seed))
    return {"images": drawn.images, "attribute": drawn.attribute, "task_labels": drawn.task_labels}


def trained(weights: Sequence[float] | None = None) -> nn.Module:
    """The shared CNN as the scorer's baseline is trained."""
    drawn = bars()
    return train_classifier(make_cnn(5), drawn["images"], drawn["task_labels"], weights, seed=5)


def passes_of(module: ModuleType, drawn: Seen, monkeypatch: pytest.MonkeyPatch) -> Passes:
    """How an entry's training goes over its images, caught on the way into the shared training."""
    caught: list[Passes] = []

    def optimize(model: nn.Module, images: Images, loss: object, seed: int, passes: Passes) -> nn.Module:
        caught.append(passes)
        return model.eval()

    monkeypatch.setattr(module, "optimize", optimize)
    module.fit(**drawn, seed=0)
    return caught[0]


def test_erm_is_the_shared_training_and_does_not_look_at_the_attribute() -> None:
    fit, drawn = method("erm_cnn").fit, bars()
    found = state_of(fit(**drawn, seed=5).model)
    assert np.array_equal(found, state_of(trained()))
    other = {**drawn, "attribute": 1 - drawn["attribute"]}
    assert np.array_equal(found, state_of(fit(**other, seed=5).model))


def test_group_weights_share_the_images_out_evenly_among_the_groups_that_occur() -> None:
    weights = method("group_weighted_ce").group_weights(
        GROUPS_OF_3_2_0_1["attribute"], GROUPS_OF_3_2_0_1["task_labels"]
    )
    assert weights == pytest.approx([2 / 3, 2 / 3, 1, 1, 2, 2 / 3])


def test_group_weights_are_those_that_the_training_counts_by() -> None:
    module, drawn = method("group_weighted_ce"), bars()
    sizes = [[7, 1], [3, 5]]
    found = [
        [int(np.sum((drawn["task_labels"] == y) & (drawn["attribute"] == a))) for a in (0, 1)] for y in (0, 1)
    ]
    assert found == sizes
    weights = [16 / (4 * sizes[y][a]) for y, a in zip(drawn["task_labels"], drawn["attribute"], strict=True)]
    model = module.fit(**drawn, seed=5).model
    assert np.array_equal(state_of(model), state_of(trained(weights=weights)))


def test_a_draw_finds_all_groups_equally_probable() -> None:
    chances = method("balanced_sampling").row_chances(
        GROUPS_OF_3_2_0_1["attribute"], GROUPS_OF_3_2_0_1["task_labels"]
    )
    assert chances == pytest.approx([1 / 9, 1 / 9, 1 / 6, 1 / 6, 1 / 3, 1 / 9])


@pytest.mark.parametrize("entry", ["balanced_sampling", "group_dro_cnn"])
def test_an_epoch_has_each_group_about_equally_often(entry: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = bars(400, rho=0.9)
    order = passes_of(method(entry), drawn, monkeypatch).order
    assert order is not None
    rows = np.concatenate([order(np.random.default_rng(seed)) for seed in range(10)])
    assert len(rows) == 4000
    groups = 2 * drawn["task_labels"] + drawn["attribute"]
    assert np.bincount(groups).min() < 30
    assert np.abs(np.bincount(groups[rows]) - 1000).max() < 4 * (4000 * 3 / 16) ** 0.5
    assert np.array_equal(order(np.random.default_rng(3)), order(np.random.default_rng(3)))
    assert not np.array_equal(order(np.random.default_rng(3)), order(np.random.default_rng(4)))


def test_the_weight_of_a_group_grows_by_the_exponential_of_its_loss() -> None:
    module = method("group_dro_cnn")
    losses = torch.tensor([0.0, 1.0, 0.0, 2.0]) * np.log(2) / module.STEP
    raised = module.raised(torch.full((4,), 0.25), losses)
    assert raised.tolist() == pytest.approx([1 / 8, 1 / 4, 1 / 8, 1 / 2])


def test_a_group_that_is_not_in_the_batch_has_no_loss() -> None:
    members = torch.tensor([[1.0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]])
    assert method("group_dro_cnn").group_means(torch.tensor([1.0, 3, 5]), members).tolist() == [2, 0, 5, 0]


def test_the_robust_loss_comes_to_be_that_of_the_worst_group() -> None:
    module = method("group_dro_cnn")
    loss = module.robust_loss(np.array([1, 0, 0, 1]), np.array([3, 0, 1, 2]))
    logits, rows = torch.tensor([[50.0, 0], [0, 0], [0, 50]]), torch.tensor([1, 0, 3])
    for step in range(1, 101):
        grown = 2 ** (module.STEP * step)
        assert float(loss(logits, rows)) == pytest.approx(np.log(2) * grown / (grown + 3), rel=1e-4)
    assert float(loss(logits, rows)) > 0.99 * np.log(2)


def test_a_balanced_subset_has_as_many_of_each_group_as_the_smallest() -> None:
    groups = np.array([0] * 10 + [1] * 3 + [3] * 5)
    balanced_subset, rng = method("dfr_cnn").balanced_subset, np.random.default_rng(0)
    subsets = [balanced_subset(groups, rng) for _ in range(20)]
    assert all(np.bincount(groups[rows]).tolist() == [3, 3, 0, 3] for rows in subsets)
    assert all(len(set(rows)) == 9 for rows in subsets)
    assert set(np.concatenate(subsets)) == set(range(18))


def test_a_head_is_a_logistic_regression_on_standardized_features() -> None:
    module, rng = method("dfr_cnn"), np.random.default_rng(0)
    features, labels = rng.normal(3, 5, (60, 4)), rng.integers(2, size=60)
    features[:, 2] = 0.1
    head = module.fitted_head(features, labels)
    estimator = LogisticRegression(l1_ratio=1, solver="liblinear", random_state=0)
    expected = make_pipeline(StandardScaler(), estimator).fit(features, labels).decision_function(features)
    assert features @ head.slopes + head.intercept == pytest.approx(expected, abs=1e-6)


def test_the_heads_of_several_subsets_are_averaged(monkeypatch: pytest.MonkeyPatch) -> None:
    module = method("dfr_cnn")
    heads = iter([module.Head(np.array([1.0, 2]), 3.0), module.Head(np.array([3.0, -2]), 0.0)])
    monkeypatch.setattr(module, "SUBSETS", 2)
    monkeypatch.setattr(module, "fitted_head", lambda features, labels: next(heads))
    groups = np.array([0, 1])
    head = module.mean_head(np.zeros((2, 2)), groups, groups, np.random.default_rng(0))
    assert head.slopes.tolist() == [2, 0]
    assert head.intercept == 1.5


def test_a_layer_with_a_head_prefers_label_1_where_its_rule_is_positive() -> None:
    module, layer = method("dfr_cnn"), nn.Linear(2, 2)
    module.put_head(layer, module.Head(np.array([2.0, -1]), 0.5))
    logits = layer(torch.tensor([[1.0, 1], [0, 1]])).detach()
    assert (logits[:, 1] - logits[:, 0]).tolist() == [1.5, -0.5]


def test_dfr_leaves_the_features_of_erm_and_retrains_the_last_layer() -> None:
    found = state_of(method("dfr_cnn").fit(**bars(), seed=5).model)
    erm = state_of(trained())
    assert np.array_equal(found[:-HEAD], erm[:-HEAD])
    assert np.abs(found[-HEAD:] - erm[-HEAD:]).min() > 0


def test_an_erased_rectangle_lies_in_the_image_and_in_the_ranges_of_the_paper() -> None:
    rectangle, rng = method("random_erasing").rectangle, np.random.default_rng(0)
    shares = []
    for _ in range(500):
        rows, columns = rectangle(32, 32, rng)
        tall, wide = rows.stop - rows.start, columns.stop - columns.start
        assert 0 <= rows.start < rows.stop <= 32 and 0 <= columns.start < columns.stop <= 32
        assert (tall + 0.5) * (wide + 0.5) >= 0.02 * 32**2 and (tall - 0.5) * (wide - 0.5) <= 0.4 * 32**2
        assert (tall + 0.5) / (wide - 0.5) >= 0.3 and (wide + 0.5) / (tall - 0.5) >= 0.3
        shares.append(tall * wide / 32**2)
    assert min(shares) < 0.04 and max(shares) > 0.35


def test_erasing_paints_one_rectangle_of_every_other_image_gray(monkeypatch: pytest.MonkeyPatch) -> None:
    augment = passes_of(method("random_erasing"), bars(), monkeypatch).augment
    assert augment is not None
    batch = torch.full((400, 3, 32, 32), 2.0)
    result = augment(batch, np.random.default_rng(0)).numpy()
    assert torch.all(batch == 2)
    hit = [image for image in result if image.min() < 2]
    assert 160 <= len(hit) <= 240
    for image in hit:
        holes = image != 2
        rows, columns = holes[0].any(axis=1), holes[0].any(axis=0)
        assert np.array_equal(holes, np.broadcast_to(np.outer(rows, columns), holes.shape))
        assert all(np.ptp(np.flatnonzero(side)) + 1 == side.sum() for side in (rows, columns))
    assert set(np.unique(result)) == {0.5, 2}


def one_image_of_a_group() -> Seen:
    drawn = bars()
    return {**drawn, "attribute": np.maximum(drawn["task_labels"], np.arange(16) == 0)}


def an_empty_group() -> Seen:
    drawn = bars()
    return {**drawn, "attribute": drawn["attribute"] * drawn["task_labels"]}


def attribute_equal_to_the_label() -> Seen:
    return bars(rho=1.0)


def attribute_of_one_class() -> Seen:
    drawn = bars()
    return {**drawn, "attribute": np.ones_like(drawn["attribute"])}


def equal_images() -> Seen:
    drawn = bars()
    return {**drawn, "images": np.full_like(drawn["images"], 0.5)}


DEGENERATE = [
    one_image_of_a_group,
    an_empty_group,
    attribute_equal_to_the_label,
    attribute_of_one_class,
    equal_images,
]


@pytest.mark.parametrize("make", DEGENERATE, ids=lambda make: make.__name__)
@pytest.mark.parametrize("entry", ENTRIES)
def test_every_image_gets_a_label_whatever_the_training_set(entry: str, make: Callable[[], Seen]) -> None:
    labels = method(entry).fit(**make(), seed=3).predict(bars(8, seed=1)["images"])
    assert labels.dtype == np.int64 and labels.shape == (8,)
    assert set(labels.tolist()) <= {0, 1}


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_same_seed_gives_the_same_model_and_the_input_is_left_alone(entry: str) -> None:
    fit, given, untouched = method(entry).fit, bars(), bars()
    first, again, other = (state_of(fit(**given, seed=seed).model) for seed in (7, 7, 8))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert all(np.array_equal(given[name], untouched[name]) for name in given)


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_label_depends_on_its_own_image_alone(entry: str) -> None:
    predict, images = method(entry).fit(**bars(), seed=3).predict, bars(40, seed=1)["images"]
    labels: Labels = predict(images)
    alone = np.concatenate([predict(images[row : row + 1]) for row in range(40)])
    order = np.random.default_rng(0).permutation(40)
    assert np.array_equal(alone, labels)
    assert np.array_equal(predict(images[order]), labels[order])


def test_the_floor_says_the_same_of_every_image() -> None:
    labels = np.array([1] * 9 + [0] * 7)
    fitted = method("majority_class").fit_images(**{**bars(), "task_labels": labels}, seed=0)
    assert fitted.predict(bars()["images"]).tolist() == [1] * 16
