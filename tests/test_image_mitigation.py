"""The data and the baseline of image-mitigation, by a caller that plays the laboratory."""

import numpy as np
import pytest

from benchmark.data.patched_bars import patch_slices
from benchmark.records import Arrays, Call, Kind
from benchmark.seeds import entry_seed
from benchmark.tracks import TRACKS
from benchmark.tracks.image_mitigation import CEILING
from benchmark.tracks.patched_images import dataset
from benchmark.training import state_size

TRACK = TRACKS["image-mitigation"]
VERSION = TRACK.current
FIRST = VERSION.keys()[0]


def test_the_suite_is_that_of_the_specification() -> None:
    for suite, seeds in (("full", 3), ("quick", 1)):
        strengths = [key.strength for key in VERSION.keys(suite)]
        assert [strengths.count(rho) for rho in (0.9, 0.97)] == [seeds, seeds] and len(strengths) == 2 * seeds
    assert {key.kind for key in VERSION.keys()} == {Kind.SHORTCUT}
    case = VERSION.generate(FIRST)
    assert case.seen["images"].shape == case.hidden["test_images"].shape == (2000, 3, 32, 32)
    assert set(case.seen) == {"images", "attribute", "task_labels"}


def test_training_and_test_share_the_corner_but_not_the_agreement() -> None:
    case = VERSION.generate(FIRST)
    rows, columns = patch_slices(dataset(TRACK.key, FIRST, VERSION.cells).corner)
    for images, attribute in (
        (case.seen["images"], case.seen["attribute"]),
        (case.hidden["test_images"], case.hidden["test_attribute"]),
    ):
        redness = (images[:, 0] - images[:, 1])[:, rows, columns].mean(axis=(1, 2))
        # 0 with a standard deviation of 0.07 without the patch, 0.4 with half of that with it
        assert np.mean((redness > 0.25) == (attribute == 1)) > 0.995
    assert np.mean(case.seen["attribute"] == case.seen["task_labels"]) == pytest.approx(0.9, abs=0.03)
    agreement = np.mean(case.hidden["test_attribute"] == case.hidden["test_task_labels"])
    assert agreement == pytest.approx(0.5, abs=0.05)


def test_no_two_cases_and_no_two_roles_share_an_image() -> None:
    cases = [VERSION.generate(key) for key in VERSION.keys("quick")]
    arrays = [array for case in cases for array in (case.seen["images"], case.hidden["test_images"])]
    firsts = {array[0].tobytes() for array in arrays}
    assert len(firsts) == 4


def test_the_baseline_trains_plainly_from_the_seed_that_the_entry_gets() -> None:
    asked: list[Call] = []

    def train(call: Call) -> Arrays:
        asked.append(call)
        return {"state": np.zeros(state_size(), np.float32), "labels": np.arange(2000) % 2}

    assert VERSION.prepare is not None
    case = VERSION.prepare(VERSION.generate(FIRST), train)
    (call,) = asked
    assert call.arguments["seed"] == entry_seed(case.seen)
    assert call.arguments["images"] is case.seen["images"]
    assert call.arguments["queries"] is case.hidden["test_images"]
    labels, predicted = case.hidden["test_task_labels"], np.arange(2000) % 2
    attribute = case.hidden["test_attribute"]
    worst = min(np.mean(predicted[(labels == y) & (attribute == a)] == y) for y in (0, 1) for a in (0, 1))
    assert case.figures == {"erm_worst_group_acc": pytest.approx(worst)}


def test_the_page_says_the_ceiling_and_why_it_is_not_the_specifications() -> None:
    assert 0.93 <= CEILING <= 0.99
    assert any(f"{CEILING:.2f}" in limit and "0.77" in limit for limit in TRACK.limits)
