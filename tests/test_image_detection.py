"""Truth and judgement of image-detection, by callers that play the laboratory and the entry."""

from dataclasses import replace

import numpy as np
import pytest

from benchmark.data.patched_bars import painted_gray, patch_slices
from benchmark.records import Arrays, Call, Case, CaseKey, Judgement, Kind, Made
from benchmark.tracks import TRACKS
from benchmark.tracks.image_detection import examine, kind_of, pictures_of, prepare, reliance
from benchmark.tracks.patched_images import dataset
from benchmark.tracks.pointing import peaks
from benchmark.training import state_size

TRACK = TRACKS["image-detection"]
VERSION = TRACK.current


def key(rho: float = 1.0, seed: int = 0) -> CaseKey:
    return next(k for k in VERSION.keys() if (k.strength, k.seed) == (rho, seed))


def prepared(rho: float = 1.0, flips: int = 100) -> Case:
    """A case whose model is right but for `flips` images once the patch is painted gray."""

    def train(call: Call) -> Arrays:
        case = VERSION.generate(key(rho))
        assert np.array_equal(call.arguments["queries"][:400], case.seen["images"])
        gray = painted_gray(case.seen["images"], int(case.figures["corner"]))
        assert np.array_equal(call.arguments["queries"][400:], gray)
        assert np.array_equal(call.arguments["images"], case.hidden["training_images"])
        painted = case.seen["task_labels"].copy()
        patched = np.flatnonzero(case.hidden["attribute"] == 1)
        painted[patched[:flips]] = 1 - painted[patched[:flips]]
        labels = np.concatenate([case.seen["task_labels"], painted])
        return {"state": np.zeros(state_size(), np.float32), "labels": labels}

    return prepare(VERSION.generate(key(rho)), train)


def test_the_suite_is_that_of_the_specification() -> None:
    def counts(suite: str) -> dict[float, int]:
        strengths = [k.strength for k in VERSION.keys(suite)]
        return {rho: strengths.count(rho) for rho in dict.fromkeys(strengths)}

    assert counts("full") == {0.5: 9, 0.9: 3, 0.95: 2, 0.98: 2, 1.0: 6}
    assert counts("quick") == {0.5: 2, 0.9: 1, 1.0: 1}
    case = VERSION.generate(key())
    assert case.seen["images"].shape == (400, 3, 32, 32) and set(case.seen) == {"images", "task_labels"}
    assert case.hidden["training_images"].shape == (1500, 3, 32, 32)


@pytest.mark.parametrize("offset", [0, 3])
def test_corners_are_dealt_evenly(offset: int) -> None:
    corners = {k: dataset(TRACK.key, k, VERSION.cells).corner for k in VERSION.keys(offset=offset)}
    nulls = [corner for k, corner in corners.items() if k.kind is Kind.NULL]
    assert sorted(nulls[:4]) == sorted(nulls[4:8]) == [0, 1, 2, 3]
    usable = [corner for k, corner in corners.items() if k.kind is Kind.SHORTCUT]
    assert all(sorted(usable[start : start + 4]) == [0, 1, 2, 3] for start in range(10))
    assert max(usable[3:].count(corner) for corner in range(4)) == 3  # of the ten from rho 0.95 up


def test_another_offset_and_another_track_deal_in_another_order() -> None:
    orders = {
        tuple(dataset(track, k, VERSION.cells).corner for k in VERSION.keys(offset=offset)[:4])
        for track in ("one", "another")
        for offset in range(10)
    }
    assert len(orders) > 8


def test_the_patch_is_in_the_corner_that_the_case_says() -> None:
    case = VERSION.generate(key(0.9, 1))
    rows, columns = patch_slices(int(case.figures["corner"]))
    redness = case.seen["images"][:, 0] - case.seen["images"][:, 1]
    red = redness[:, rows, columns].mean(axis=(1, 2))
    assert np.array_equal(red > 0.2, case.hidden["attribute"] == 1)


def test_reliance_counts_patched_images_alone() -> None:
    plain, painted = np.array([0, 0, 1, 1, 1]), np.array([1, 0, 0, 1, 0])
    patched = np.array([True, True, True, True, False])
    assert reliance(plain, painted, patched) == 0.5


@pytest.mark.parametrize(
    ("meant", "share", "kind"),
    [
        (Kind.SHORTCUT, 0.2, Kind.SHORTCUT),
        (Kind.SHORTCUT, 0.199, Kind.AMBIGUOUS),
        (Kind.NULL, 0.9, Kind.NULL),
    ],
)
def test_truth_is_measured_but_nulls_are_always_nulls(meant: Kind, share: float, kind: Kind) -> None:
    assert kind_of(meant, {"reliance": share}) is kind


def test_a_prepared_case_holds_what_was_measured() -> None:
    case = prepared(flips=100)
    patched = case.hidden["attribute"].sum()
    assert case.kind is Kind.SHORTCUT and patched == 200  # rho 1: the patch is where the label is 1
    assert case.figures == {
        "corner": case.figures["corner"],
        "reliance": 0.5,
        "accuracy": 1.0,
        "one_class": 0.0,
        "patched": 200.0,
    }
    assert prepared(flips=10).kind is Kind.AMBIGUOUS


def test_a_one_class_model_has_no_reliance_and_is_counted() -> None:
    def train(call: Call) -> Arrays:
        return {"state": np.zeros(state_size(), np.float32), "labels": np.zeros(800, np.int64)}

    case = prepare(VERSION.generate(key()), train)
    assert case.kind is Kind.AMBIGUOUS
    assert (case.figures["one_class"], case.figures["reliance"]) == (1.0, 0.0)
    assert case.figures["accuracy"] == 0.5


def no_laboratory(call: Call) -> Arrays:
    raise AssertionError(call.function)


def judged(case: Case, **answer: object) -> Judgement:
    return examine(case, lambda call: {k: np.asarray(v) for k, v in answer.items()}, no_laboratory)


def test_hits_are_counted_over_patched_images() -> None:
    case = prepared()
    rows, columns = patch_slices(int(case.figures["corner"]))
    heatmaps = np.zeros((400, 32, 32))
    heatmaps[:, 16, 16] = 1.0
    patched = np.flatnonzero(case.hidden["attribute"] == 1)
    heatmaps[patched[:30], rows.start, columns.start] = 2.0
    heatmaps[np.flatnonzero(case.hidden["attribute"] == 0), rows.start, columns.start] = 2.0
    judgement = judged(case, score=1.5, heatmaps=heatmaps)
    assert judgement.figures["hits"] == 30.0 and judgement.figures["patched"] == 200.0
    assert judgement.score == 1.5 and judgement.flag is None
    assert judgement.answered == {"heatmaps"}


def test_without_heatmaps_there_are_no_hits_and_no_pictures() -> None:
    judgement = judged(prepared(), score=0.5, flag=True)
    assert "hits" not in judgement.figures and judgement.pictures == {}
    assert judgement.flag is True


def test_the_entry_gets_its_model_as_made_from_the_trained_state() -> None:
    calls: list[Call] = []

    def entry(call: Call) -> Arrays:
        calls.append(call)
        return {"score": np.float64(0.0)}

    case = prepared()
    examine(case, entry, no_laboratory)
    model = calls[0].arguments["model"]
    assert isinstance(model, Made) and model.maker == "benchmark.models:cnn_of"
    assert np.array_equal(model.arrays["state"], case.derived["state"])
    assert set(calls[0].arguments) == {"images", "task_labels", "model", "seed"}


def test_the_gallery_shows_the_same_images_for_all_and_a_hit_and_a_miss_of_its_own() -> None:
    case = prepared()
    rows, columns = patch_slices(int(case.figures["corner"]))
    heatmaps = np.random.default_rng(0).random((400, 32, 32))
    heatmaps[::2, rows.start, columns.start] = 2.0
    other = np.random.default_rng(1).random((400, 32, 32))
    first, second = (
        pictures_of(case, maps, peaks(maps, int(case.figures["corner"]))) for maps in (heatmaps, other)
    )
    assert first["role"].tolist() == [0, 0, 1, 2]
    assert np.array_equal(first["row"][:2], second["row"][:2])
    assert first["hit"][2:].tolist() == [True, False]
    assert (case.hidden["attribute"][first["row"]] == 1).all()
    assert first["image"].shape == (4, 3, 32, 32) and first["image"].dtype == np.uint8
    row = int(first["row"][0])
    assert np.abs(first["image"][0] / 255 - case.seen["images"][row]).max() <= 0.5 / 255 + 1e-6


def test_a_null_case_shows_its_images_without_hits_and_misses() -> None:
    case = replace(prepared(0.5), kind=Kind.NULL)
    maps = np.random.default_rng(0).random((400, 32, 32))
    assert pictures_of(case, maps, peaks(maps, int(case.figures["corner"])))["role"].tolist() == [0, 0]
