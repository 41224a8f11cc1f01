from pathlib import Path

import numpy as np
import pytest

from benchmark import fresh, gallery, stored
from benchmark.audit import load
from benchmark.errors import ResultError, UsageError
from benchmark.fresh import Commitments
from benchmark.records import Arrays, CaseKey, Judgement
from benchmark.results import Fresh, Result, save
from benchmark.storage import commit, commit_fresh, keep, usable
from benchmark.tracks import TRACKS
from tests.builders import failure, image_gallery, outcomes, result


def failed() -> Result:
    rows = outcomes()
    rows[0] = failure(rows[0].key)
    return result(rows=rows)


def edited(one: Result) -> Result:
    return one.model_copy(update={"digests": one.digests.model_copy(update={"entry": "e" * 64})})


def test_a_result_goes_to_its_place(tmp_path: Path) -> None:
    assert keep(result(), None, tmp_path) == tmp_path / "embedding-detection/1.2/some_entry/results.json"


@pytest.mark.parametrize(
    ("lesser", "name"),
    [(result(suite="quick"), "results-quick.json"), (failed(), "results-failed.json")],
)
def test_a_lesser_result_goes_beside_a_full_one(tmp_path: Path, lesser: Result, name: str) -> None:
    place = keep(result(), None, tmp_path)
    assert keep(lesser, None, tmp_path) == place.with_name(name)
    assert load(place) == result()


def test_a_full_result_replaces_whatever_was_there(tmp_path: Path) -> None:
    for before in (result(suite="quick"), failed(), edited(result())):
        place = tmp_path / before.place
        save(before, place)
        assert keep(result(), None, tmp_path) == place
        assert load(place) == result()


def test_a_file_that_is_no_result_is_replaced(tmp_path: Path) -> None:
    place = keep(result(), None, tmp_path)
    place.write_text("{")
    assert keep(failed(), None, tmp_path) == place


def test_a_committed_result_outlives_a_failed_run_of_the_same_entry_only(tmp_path: Path) -> None:
    results, scores = tmp_path / "results", tmp_path / "scores"
    place = commit(result(), None, results, scores)
    assert commit(failed(), None, results, scores).is_relative_to(scores)
    assert load(place) == result()
    assert commit(edited(failed()), None, results, scores) == place
    assert load(place).status == "incomplete"


def test_a_fresh_score_outlives_another_run_of_the_same_entry_only(tmp_path: Path) -> None:
    results, scores = tmp_path / "results", tmp_path / "scores"
    found = Fresh(
        key_sha256=fresh.sha256_of("1" * 64),
        metrics=dict(result().metrics),
        reasons={},
        intervals=dict(result().intervals),
        fingerprint="d" * 64,
    )
    keys = Commitments(
        schema=1, track="embedding-detection", version="1.2", keys=[fresh.secret("1" * 64, "a label")]
    )
    stored.write(keys, fresh.place_of(results, "embedding-detection", "1.2"))
    commit(result(), None, results, scores)
    place = commit_fresh(result(), found, results)
    assert load(place).fresh == found
    commit(result(), None, results, scores)
    assert load(place) == result().model_copy(update={"fresh": found})
    commit(edited(result()), None, results, scores)
    assert load(place) == edited(result())


def test_a_file_cannot_hold_results(tmp_path: Path) -> None:
    usable(tmp_path / "new" / "folder")
    assert list((tmp_path / "new" / "folder").iterdir()) == []
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError, match="expected a folder to write to"):
            usable(folder)


IMAGES = TRACKS["image-detection"].current


def pictured(suite: str = "full", changed: bool = False) -> tuple[Result, Arrays]:
    """A result with heatmaps, and its gallery of two misses in the first corner."""

    def answer(key: CaseKey) -> Judgement:
        truth = {"corner": 0.0, "reliance": 0.5, "accuracy": 1.0, "one_class": 0.0, "patched": 200.0}
        return Judgement(key.seed + key.strength, figures={**truth, "hits": 100.0})

    held = image_gallery(seed=int(changed))
    zeros = {"corner": 0, "role": 0, "hit": False, "peak": 0}
    pictures = {**held, **{name: np.full_like(held[name], value) for name, value in zeros.items()}}
    made = result(rows=outcomes(answer, IMAGES, suite), version=IMAGES, suite=suite)
    digests = made.digests.model_copy(update={"gallery": gallery.digest(pictures)})
    return made.model_copy(update={"digests": digests}), pictures


def test_the_gallery_goes_beside_its_result(tmp_path: Path) -> None:
    place = keep(*pictured(), tmp_path)
    assert load(place) == pictured()[0]
    assert sorted(path.name for path in place.parent.iterdir()) == ["gallery.npz", "results.json"]
    quick = keep(*pictured("quick"), tmp_path)
    assert quick.with_name("gallery-quick.npz").exists()
    assert load(place) == pictured()[0]
    assert load(keep(*pictured(changed=True), tmp_path)) == pictured(changed=True)[0]


def test_stopped_between_its_two_files_a_result_is_still_whole(tmp_path: Path) -> None:
    place = keep(*pictured(), tmp_path)
    new, pictures = pictured(changed=True)
    gallery.save(pictures, gallery.place_of(place))
    assert load(place) == pictured()[0]
    save(new, place)
    assert load(place) == new
    assert load(keep(new, pictures, tmp_path)) == new
    assert len(list(place.parent.iterdir())) == 2


def test_a_gallery_that_is_missing_or_not_named_is_a_fault(tmp_path: Path) -> None:
    held, pictures = pictured()
    place = keep(held, pictures, tmp_path)
    place.with_name("gallery.npz").unlink()
    with pytest.raises(ResultError, match=r"gallery\.npz: expected the gallery of a result"):
        load(place)
    nameless = held.digests.model_copy(update={"gallery": None})
    save(held.model_copy(update={"digests": nameless}), place)
    with pytest.raises(ResultError, match=r"digests\.gallery: expected one, as rows have hits, got none"):
        load(place)
    plain = tmp_path / result().place
    save(result(), plain)
    plain.with_name("gallery.npz").write_bytes(b"")
    with pytest.raises(ResultError, match=r"gallery\.npz: expected no file"):
        load(plain)
