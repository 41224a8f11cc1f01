"""A whole run of a track with trained models and pictures; the models are stood in for, to be quick."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmark import gallery
from benchmark.audit import faults, load
from benchmark.digests import suite_digest
from benchmark.entries import read_entry
from benchmark.isolation.launchers import choose
from benchmark.models import make_cnn, state_of
from benchmark.records import Arrays, Call, Caller, Case, Kind
from benchmark.scorer import Request, Scored, score
from benchmark.storage import keep
from benchmark.tracks import TRACKS
from benchmark.tracks.image_detection import kind_of
from tests.entry_folders import make_entry

TRACK = TRACKS["image-detection"]
METHOD = """\
import numpy as np
import benchmark.models


def detect(images, task_labels, model, seed):
    assert not model.training
    heatmaps = np.random.default_rng(seed).random(images[:, 0].shape)
    return {"score": float(images[:, 0].mean()), "heatmaps": heatmaps}
"""


def measured(case: Case, laboratory: Caller) -> Case:
    """Every model trained with a usable patch leans on it, but those at 0.9 hardly."""
    share = {0.5: 0.0, 0.9: 0.1}.get(case.key.strength, 0.7)
    patched = float(case.hidden["attribute"].sum())
    truth = {**case.figures, "reliance": share, "accuracy": 1.0, "one_class": 0.0, "patched": patched}
    state = {"state": state_of(make_cnn())}
    return replace(case, kind=kind_of(case.key.kind, truth), derived=state, figures=truth)


VERSION = replace(TRACK.current, prepare=measured)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    folder = make_entry(
        tmp_path_factory.mktemp("contrib"), "some_entry", method=METHOD, tracks=["image-detection"]
    )
    request = Request(read_entry(folder), TRACK, VERSION, choose("process"), "quick", jobs=2)
    return score(request)


def test_truth_is_measured_and_recorded_in_every_row(scored: Scored) -> None:
    assert [outcome.reason for outcome in scored.outcomes] == [None] * 4
    rows = scored.result.details.per_dataset
    assert [row.kind for row in rows] == [Kind.NULL, Kind.NULL, Kind.AMBIGUOUS, Kind.SHORTCUT]
    assert [row.__pydantic_extra__["reliance"] for row in rows] == [0.0, 0.0, 0.1, 0.7]
    assert all(row.__pydantic_extra__["hits"] <= row.__pydantic_extra__["patched"] for row in rows)
    assert list(faults(scored.result)) == []


def test_trained_models_are_no_part_of_the_suites_digest(scored: Scored) -> None:
    keys = TRACK.current.keys("quick")
    assert scored.result.digests.suite == suite_digest(TRACK.current, keys)


def test_the_gallery_goes_with_the_result(scored: Scored, tmp_path: Path) -> None:
    assert scored.gallery is not None
    assert scored.result.digests.gallery == gallery.digest(scored.gallery)
    place = keep(scored.result, scored.gallery, tmp_path)
    assert load(place) == scored.result
    read = gallery.load(gallery.place_of(place), scored.result.digests.gallery)
    assert set(read["case"]) == {"patch/0.5/0", "patch/1.0/0"}
    assert sorted(set(read["role"].tolist())) == [0, 1, 2]
    assert place.with_name("gallery.npz").stat().st_size < gallery.MOST_BYTES


def test_a_row_of_another_kind_than_its_reliance_says_is_refused(scored: Scored) -> None:
    rows = list(scored.result.details.per_dataset)
    rows[2] = rows[2].model_copy(update={"kind": Kind.SHORTCUT})
    forged = scored.result.model_copy(
        update={"details": scored.result.details.model_copy(update={"per_dataset": rows})}
    )
    assert any("kind: expected 'ambiguous', got 'shortcut'" in fault for fault in faults(forged))


def test_a_row_without_what_was_measured_is_refused(scored: Scored) -> None:
    rows = list(scored.result.details.per_dataset)
    held = {k: v for k, v in rows[3].model_dump(by_alias=True).items() if k != "reliance"}
    rows[3] = type(rows[3]).model_validate(held)
    forged = scored.result.model_copy(
        update={"details": scored.result.details.model_copy(update={"per_dataset": rows})}
    )
    assert any("expected reliance, got none" in fault for fault in faults(forged))


def test_a_laboratory_is_asked_only_for_what_is_not_remembered(tmp_path: Path) -> None:
    asked: list[str] = []

    def once(call: Call) -> Arrays:
        asked.append(call.function)
        labels = np.zeros(800, np.int64)
        return {"state": state_of(make_cnn()), "labels": labels}

    assert TRACK.current.prepare is not None
    case = TRACK.current.prepare(TRACK.current.generate(TRACK.current.keys("quick")[0]), once)
    assert asked == ["trained_cnn"] and case.kind is Kind.NULL
