import numpy as np
import pytest
import torch
from torch import nn

from benchmark.data.patched_bars import PatchedBars, Recipe, generate_patched_bars
from benchmark.models import (
    Passes,
    cnn_of,
    logits_of,
    make_cnn,
    optimize,
    predicted,
    state_of,
    train_classifier,
)
from benchmark.training import SHARED, state_size


def images(n: int = 192, seed: int = 0) -> PatchedBars:
    return generate_patched_bars(Recipe(1.0, n, 0), np.random.default_rng(seed))


def test_the_cnn_is_the_one_of_the_specification() -> None:
    model = make_cnn()
    names = [type(layer).__name__ for layer in model]
    block = ["Conv2d", "BatchNorm2d", "ReLU"]
    assert names == [
        *block, "MaxPool2d", *block, "MaxPool2d", *block, "AdaptiveAvgPool2d", "Flatten", "Linear"
    ]  # fmt: skip
    assert [layer.out_channels for layer in model if isinstance(layer, nn.Conv2d)] == [16, 32, 64]
    assert model(torch.zeros(5, 3, 32, 32)).shape == (5, 2)


def test_weights_depend_on_the_seed_alone_and_the_global_generator_stays() -> None:
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    first, second, other = (state_of(make_cnn(seed)) for seed in (0, 0, 1))
    assert torch.rand(1) == expected
    assert np.array_equal(first, second) and not np.array_equal(first, other)


def test_the_state_holds_all_that_was_learnt() -> None:
    made = images()
    model = train_classifier(make_cnn(1), made.images, made.task_labels, seed=1)
    state = state_of(model)
    assert state.shape == (state_size(),) and state.dtype == np.float32
    again = cnn_of(state)
    assert not again.training
    assert np.array_equal(logits_of(again, made.images), logits_of(model, made.images))
    again[0].weight.data.zero_()
    assert np.array_equal(state_of(model), state)


def test_training_learns_the_patch_where_it_tells_the_label() -> None:
    made, fresh = images(512), images(200, seed=9)
    model = train_classifier(make_cnn(), made.images, made.task_labels)
    assert np.mean(predicted(model, fresh.images) == fresh.task_labels) > 0.9


def test_two_trainings_are_the_same_to_the_bit() -> None:
    made = images()
    first, second = (
        state_of(train_classifier(make_cnn(2), made.images, made.task_labels, seed=5)) for _ in range(2)
    )
    other = state_of(train_classifier(make_cnn(2), made.images, made.task_labels, seed=6))
    assert first.tobytes() == second.tobytes() != other.tobytes()


def test_equal_weights_are_no_weights_and_zero_weights_take_rows_out() -> None:
    made = images()
    labels = made.task_labels.copy()
    plain = logits_of(train_classifier(make_cnn(), made.images, labels), made.images)
    ones = logits_of(train_classifier(make_cnn(), made.images, labels, np.ones(192)), made.images)
    assert np.allclose(plain, ones, atol=1e-3)
    labels[:96] = 1 - labels[:96]
    weights = np.repeat([0.0, 2.0], 96)
    model = train_classifier(make_cnn(), made.images, labels, weights)
    assert np.mean(predicted(model, made.images)[96:] == labels[96:]) > 0.9


def test_batchnorm_statistics_are_those_of_the_training_images() -> None:
    made = images(250)
    model = train_classifier(make_cnn(), made.images, made.task_labels)
    with torch.no_grad():
        seen = model[0](torch.from_numpy(made.images))
    assert torch.allclose(model[1].running_mean, seen.mean(dim=(0, 2, 3)), atol=1e-5)
    assert torch.allclose(model[1].running_var, seen.var(dim=(0, 2, 3)), rtol=1e-4)


def test_an_epoch_goes_over_the_rows_in_the_order_given_and_augments_copies() -> None:
    made = images(128)
    seen: list[np.ndarray] = []
    before = made.images.copy()

    def loss(logits: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        seen.append(rows.numpy())
        return logits.sum()

    def order(rng: np.random.Generator) -> np.ndarray:
        return np.arange(100)

    def augment(batch: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
        return batch.zero_()

    optimize(make_cnn(), made.images, loss, passes=Passes(order, augment))
    assert [len(rows) for rows in seen] == [64, 36] * SHARED.epochs
    assert np.array_equal(np.concatenate(seen[:2]), np.arange(100))
    assert np.array_equal(made.images, before)


def test_logits_do_not_depend_on_the_batch_beyond_rounding() -> None:
    made = images(64)
    model = cnn_of(state_of(make_cnn(3)))
    assert np.allclose(logits_of(model, made.images), logits_of(model, made.images, 7), atol=1e-5)
    assert logits_of(model, made.images[:0]).shape == (0, 2)


def test_a_weight_too_few_is_an_error() -> None:
    made = images(64)
    with pytest.raises(IndexError):
        train_classifier(make_cnn(), made.images, made.task_labels, np.ones(10))
