"""The reference entries on image-detection: the idea of each, and what all of them keep to."""

import copy
import inspect
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from scipy import stats
from torch import Tensor, nn

from benchmark.data.patched_bars import Recipe, generate_patched_bars
from benchmark.machine import CACHE
from benchmark.models import make_cnn, state_of
from benchmark.requirements import installed
from tests.contrib_methods import CONTRIB, method

Images = npt.NDArray[np.float32]
Answer = dict[str, Any]

ATTRIBUTIONS = ["gradient_saliency", "grad_cam", "grad_times_input", "integrated_gradients", "occlusion"]
"""The entries that turn maps into a score by the same rule."""
WITH_MAPS = [*ATTRIBUTIONS, "corner_grayout", "pixel_label_correlation", "random_heatmap"]
ENTRIES = [*WITH_MAPS, "heldout_accuracy"]
CORNER = (slice(28, 32), slice(28, 32))
"""The rows and columns of the bottom right block."""


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function from an entry's name to its method, with the entry's packages on the path for this test."""

    def with_packages(entry: str) -> ModuleType:
        if (own := installed(CONTRIB / entry / "requirements.txt", CACHE)) is not None:
            monkeypatch.syspath_prepend(own)
        return method(entry)

    return with_packages


class LooksAtCorner(nn.Module):
    """Logits -z and z, where z is ten times the mean red of the bottom right block above 0.5."""

    def forward(self, images: Tensor) -> Tensor:
        z = 10 * (images[:, 0, 28:, 28:].mean(dim=(1, 2)) - 0.5)
        return torch.stack([-z, z], dim=1)


class SquaresCorner(nn.Module):
    """Logits 0 and the sum of the squares of the bottom right block's red."""

    def forward(self, images: Tensor) -> Tensor:
        z = images[:, 0, 28:, 28:].square().sum(dim=(1, 2))
        return torch.stack([torch.zeros_like(z), z], dim=1)


class Untouchable:
    """A model that must not be called."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"the model was asked for {name}")

    def __call__(self, images: Tensor) -> Tensor:
        raise AssertionError("the model was called")


def gray_images(*reds: float) -> Images:
    """Gray images (len(reds), 3, 32, 32) whose bottom right blocks have these reds."""
    images = np.full((len(reds), 3, 32, 32), 0.5, dtype=np.float32)
    images[:, 0, 28:, 28:] = np.array(reds)[:, None, None]
    return images


def in_corner(value: float) -> npt.NDArray[np.float64]:
    """A map (32, 32) of one value in the bottom right block, and 0 elsewhere."""
    expected = np.zeros((32, 32))
    expected[CORNER] = value
    return expected


def ask(module: ModuleType, images: Images, model: object, labels: object = None, seed: int = 0) -> Answer:
    """The answer on images, half of them labeled 0 and half 1 by default."""
    task_labels = np.arange(len(images)) % 2 if labels is None else np.array(labels)
    answer: Answer = module.detect(images=images, task_labels=task_labels, model=model, seed=seed)
    return answer


def seeing_red(bias: float) -> nn.Sequential:
    """A CNN of one feature map, red less green, whose mean speaks for label 1; bias is that of label 0."""
    model = nn.Sequential(
        nn.Conv2d(3, 1, 1, bias=False), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1, 2)
    )
    with torch.no_grad():
        model[0].weight.copy_(torch.tensor([1.0, -1.0, 0.0]).reshape(1, 3, 1, 1))
        model[4].weight.copy_(torch.tensor([[-1.0], [1.0]]))
        model[4].bias.copy_(torch.tensor([bias, 0.0]))
    return model.eval()


def test_gradient_saliency_is_the_size_of_the_slope_on_the_pixels_that_count(load: Any) -> None:
    answer = ask(load("gradient_saliency"), gray_images(0.9, 0.1), LooksAtCorner())
    assert answer["heatmaps"] == pytest.approx(np.stack([in_corner(10 / 16)] * 2))


def test_gradient_times_input_shares_out_what_a_linear_model_adds_to_a_gray_image(load: Any) -> None:
    answer = ask(load("grad_times_input"), gray_images(0.9, 0.3), LooksAtCorner())
    assert answer["heatmaps"] == pytest.approx(np.stack([in_corner(4 / 16), in_corner(2 / 16)]), abs=1e-6)


def test_integrated_gradients_are_exact_on_a_curve_where_one_gradient_is_not(load: Any) -> None:
    images = gray_images(0.9)
    integrated = ask(load("integrated_gradients"), images, SquaresCorner())["heatmaps"][0]
    single = ask(load("grad_times_input"), images, SquaresCorner())["heatmaps"][0]
    assert integrated == pytest.approx(in_corner(0.9**2 - 0.5**2), abs=1e-5)
    assert single == pytest.approx(in_corner(2 * 0.9 * 0.4), abs=1e-5)


def test_integrated_gradients_sum_to_the_difference_of_the_logit_from_a_gray_image(load: Any) -> None:
    images, model = bars(8), make_cnn(3).eval()
    maps = ask(load("integrated_gradients"), images, model)["heatmaps"]
    with torch.no_grad():
        logits, gray = model(torch.from_numpy(images)), model(torch.full((1, 3, 32, 32), 0.5))[0]
    label = logits.argmax(dim=1)
    expected = (logits[range(8), label] - gray[label]).numpy()
    assert maps.sum(axis=(1, 2)) == pytest.approx(expected, abs=0.02 * float(np.abs(expected).max()))


def test_occlusion_is_the_fall_of_the_logit_when_the_window_is_gray(load: Any) -> None:
    answer = ask(load("occlusion"), gray_images(0.9, 0.3), LooksAtCorner())
    assert answer["heatmaps"] == pytest.approx(np.stack([in_corner(4), in_corner(2)]), abs=1e-5)


def test_grad_cam_weights_the_last_feature_maps_by_their_mean_gradient(load: Any) -> None:
    answer = ask(load("grad_cam"), gray_images(0.9), seeing_red(bias=-1.0))
    assert answer["heatmaps"][0] == pytest.approx(in_corner(0.4 / 1024))


def test_grad_cam_cuts_off_what_speaks_against_the_label(load: Any) -> None:
    answer = ask(load("grad_cam"), gray_images(0.9), seeing_red(bias=1.0))
    assert not answer["heatmaps"].any() and answer["score"] == 0


def test_grad_cam_takes_the_feature_maps_of_the_last_block(load: Any) -> None:
    model = make_cnn(3)
    assert load("grad_cam").last_relu(model) is list(model)[-4]


def test_grad_cam_names_what_it_misses_in_a_model_without_feature_maps(load: Any) -> None:
    with pytest.raises(ValueError, match="expected a ReLU"):
        ask(load("grad_cam"), gray_images(0.9), LooksAtCorner())


@pytest.mark.parametrize(("elsewhere", "expected"), [(0.0, 1.0), (0.25, 0.75), (1.0, 0.0), (-3.0, 1.0)])
@pytest.mark.parametrize("entry", ATTRIBUTIONS)
def test_a_block_stands_out_against_the_median_block(
    load: Any, entry: str, elsewhere: float, expected: float
) -> None:
    heatmaps = np.full((5, 32, 32), elsewhere)
    heatmaps[:, 28:, 28:] = 1.0
    assert load(entry).prominence(heatmaps) == pytest.approx(expected)


def test_evidence_that_moves_from_image_to_image_stands_out_less_than_what_stays(load: Any) -> None:
    moving, staying = np.zeros((2, 64, 32, 32))
    for image, (row, column) in enumerate(np.ndindex(8, 8)):
        moving[image, 4 * row : 4 * row + 4, 4 * column : 4 * column + 4] = 1.0
        staying[image, :4, :4] = 1.0
    prominence = load("gradient_saliency").prominence
    assert (prominence(moving), prominence(staying)) == (pytest.approx(0.0), 1.0)


def test_all_maps_become_a_score_by_the_same_rule(load: Any) -> None:
    rules = {inspect.getsource(load(entry).prominence) for entry in ATTRIBUTIONS}
    assert len(rules) == 1


@pytest.mark.parametrize("entry", sorted({*WITH_MAPS} - {"random_heatmap", "grad_cam"}))
def test_the_peak_is_on_the_only_block_the_model_looks_at(load: Any, entry: str) -> None:
    answer = ask(load(entry), gray_images(0.9, 0.1), LooksAtCorner(), labels=[1, 0])
    for heatmap in answer["heatmaps"]:
        peaks = heatmap == heatmap.max()
        assert peaks[CORNER].all() and peaks.sum() == 16


def test_corner_grayout_counts_the_predictions_that_change(load: Any) -> None:
    images = gray_images(0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1)
    answer = ask(load("corner_grayout"), images, LooksAtCorner())
    moved = 2 * 10 * 0.4
    assert answer["score"] == pytest.approx((3 + moved / (1 + moved)) / 9)
    assert not answer["flag"]


def test_corner_grayout_orders_equal_counts_by_how_far_the_logits_move(load: Any) -> None:
    changed, moves = np.zeros((4, 10), dtype=bool), np.zeros((4, 10))
    changed[3, 0], moves[2], moves[1] = True, 9.0, 1.0
    shares = load("corner_grayout").shares(changed, moves)
    assert shares == pytest.approx([0.0, 0.5 / 11, 0.9 / 11, 1 / 11])


def test_corner_grayout_flags_a_corner_by_a_sign_test_against_the_next(load: Any) -> None:
    changed = np.zeros((4, 20), dtype=bool)
    changed[1, :8], changed[2, 7:9] = True, True
    assert load("corner_grayout").p_value(changed) == pytest.approx(4 * (1 + 8) / 2**8)
    changed[2] = False
    assert load("corner_grayout").p_value(changed) == pytest.approx(4 / 2**8)


def test_heldout_accuracy_counts_a_tie_as_half_right(load: Any) -> None:
    answer = ask(load("heldout_accuracy"), gray_images(0.9, 0.9, 0.5, 0.1), LooksAtCorner(), [1, 0, 1, 0])
    assert answer == {"score": 0.625}


def test_pixel_label_correlation_finds_a_colored_block_without_the_model(load: Any) -> None:
    images, labels = noise(40), np.arange(40) % 2
    images[labels == 1, 0, 28:, 28:] += 0.3
    answer = ask(load("pixel_label_correlation"), images, Untouchable(), labels)
    colors = (images - images.mean(axis=1, keepdims=True))[:, 0, 28:, 28:].mean(axis=(1, 2))
    assert answer["score"] == pytest.approx(np.corrcoef(colors, labels)[0, 1], abs=1e-6)
    assert answer["flag"] and answer["heatmaps"][0].argmax() == 28 * 32 + 28


def test_pixel_label_correlation_does_not_see_what_is_gray(load: Any) -> None:
    images, labels = gray_images(*[0.5] * 40), np.arange(40) % 2
    images[labels == 1, :, 28:, 28:] += 0.3
    answer = ask(load("pixel_label_correlation"), images, Untouchable(), labels)
    assert answer["score"] == pytest.approx(0.0, abs=1e-6) and not answer["flag"]


def test_pixel_label_correlation_flags_noise_at_the_nominal_level(load: Any) -> None:
    module = load("pixel_label_correlation")
    fired = sum(ask(module, noise(20, seed), None, seed=seed)["flag"] for seed in range(60))
    assert fired <= 8


@pytest.mark.parametrize(("permutations", "flag"), [(18, False), (19, True)])
def test_pixel_label_correlation_counts_the_observed_labels_among_the_permuted(
    load: Any, monkeypatch: pytest.MonkeyPatch, permutations: int, flag: bool
) -> None:
    module, labels = load("pixel_label_correlation"), np.arange(40) % 2
    monkeypatch.setattr(module, "PERMUTATIONS", permutations)
    answer = ask(module, gray_images(*np.where(labels == 1, 0.9, 0.1)), None, labels)
    assert answer["flag"] == flag


def test_random_heatmap_depends_on_the_seed_alone_and_is_uniform(load: Any) -> None:
    module = load("random_heatmap")
    first, same = ask(module, noise(4), Untouchable(), seed=5), ask(module, bars(4), None, seed=5)
    assert first["score"] == same["score"] and np.array_equal(first["heatmaps"], same["heatmaps"])
    pixel = np.zeros((1, 3, 1, 1), np.float32)
    scores = [ask(module, pixel, None, seed=seed)["score"] for seed in range(2000)]
    assert stats.kstest(scores, "uniform").pvalue > 0.01 and len(set(scores)) == 2000


def test_random_heatmaps_hit_a_corner_at_the_chance_level_of_the_pointing_game(load: Any) -> None:
    heatmaps = ask(load("random_heatmap"), np.zeros((4000, 3, 32, 32), np.float32), None)["heatmaps"]
    rows, columns = np.unravel_index(heatmaps.reshape(4000, -1).argmax(axis=1), (32, 32))
    assert np.mean((rows >= 26) & (columns >= 26)) == pytest.approx((6 / 32) ** 2, abs=0.01)


def noise(n: int, seed: int = 0) -> Images:
    """Images (n, 3, 32, 32) of noise around gray."""
    drawn = np.random.default_rng(seed).uniform(0.3, 0.7, (n, 3, 32, 32))
    return drawn.astype(np.float32)


def bars(n: int) -> Images:
    """Images (n, 3, 32, 32) of the track's kind, with a patch wherever the label is 1."""
    return generate_patched_bars(Recipe(1.0, n, 3), np.random.default_rng(1)).images


def one_class_cnn() -> nn.Sequential:
    """An untrained shared CNN that predicts 1 for every image."""
    model = make_cnn(3)
    with torch.no_grad():
        model[-1].bias[1] += 1000
    return model.eval()


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_answer_has_the_shapes_of_the_contract(load: Any, entry: str) -> None:
    answer = ask(load(entry), bars(8), make_cnn(3).eval(), seed=7)
    assert isinstance(answer["score"], float) and np.isfinite(answer["score"])
    assert isinstance(answer.get("flag", False), bool)
    assert ("heatmaps" in answer) == (entry in WITH_MAPS)
    if entry in WITH_MAPS:
        assert answer["heatmaps"].shape == (8, 32, 32) and np.isfinite(answer["heatmaps"]).all()


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_same_seed_gives_the_same_answer_and_what_was_given_is_left_alone(load: Any, entry: str) -> None:
    module, images, model = load(entry), bars(8), make_cnn(3).eval()
    untouched, before = images.copy(), copy.deepcopy(model)
    first, second = ask(module, images, model, seed=7), ask(module, images, model, seed=7)
    assert first["score"] == second["score"] and first.get("flag") == second.get("flag")
    assert np.array_equal(first.get("heatmaps", 0), second.get("heatmaps", 0))
    assert np.array_equal(images, untouched) and np.array_equal(state_of(model), state_of(before))
    assert not model.training and all(weight.grad is None for weight in model.parameters())


@pytest.mark.parametrize("entry", ENTRIES)
def test_batches_do_not_change_the_maps(load: Any, monkeypatch: pytest.MonkeyPatch, entry: str) -> None:
    module, images, model = load(entry), bars(8), make_cnn(3).eval()
    whole = ask(module, images, model)
    monkeypatch.setattr(module, "BATCH", 3, raising=False)
    parts = ask(module, images, model)
    assert parts["score"] == pytest.approx(whole["score"], abs=1e-5)
    assert parts.get("heatmaps", 0.0) == pytest.approx(whole.get("heatmaps", 0.0), abs=1e-5)


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_model_of_one_class_is_answered(load: Any, entry: str) -> None:
    answer = ask(load(entry), bars(8), one_class_cnn())
    assert np.isfinite(answer["score"]) and np.isfinite(answer.get("heatmaps", 0.0)).all()


def test_a_model_of_one_class_has_no_changed_predictions_and_is_right_by_chance(load: Any) -> None:
    grayed = ask(load("corner_grayout"), bars(8), one_class_cnn())
    assert grayed["score"] < 1 / 8 and not grayed["flag"]
    assert ask(load("heldout_accuracy"), bars(8), one_class_cnn())["score"] == 0.5


@pytest.mark.parametrize("entry", sorted({*ENTRIES} - {"random_heatmap"}))
@pytest.mark.parametrize("level", [0.0, 0.5, 1.0])
def test_equal_images_give_a_finite_score_and_no_flag(load: Any, entry: str, level: float) -> None:
    answer = ask(load(entry), np.full((8, 3, 32, 32), level, np.float32), make_cnn(3).eval())
    assert np.isfinite(answer["score"]) and not answer.get("flag", False)


@pytest.mark.parametrize(
    "entry",
    ["corner_grayout", "grad_times_input", "integrated_gradients", "occlusion", "pixel_label_correlation"],
)
def test_gray_images_hold_no_evidence(load: Any, entry: str) -> None:
    answer = ask(load(entry), np.full((8, 3, 32, 32), 0.5, np.float32), make_cnn(3).eval())
    assert answer["score"] == 0 and not answer["heatmaps"].any()


@pytest.mark.parametrize("entry", ENTRIES)
def test_labels_of_one_class_are_answered(load: Any, entry: str) -> None:
    answer = ask(load(entry), bars(8), make_cnn(3).eval(), labels=[1] * 8)
    assert np.isfinite(answer["score"])
