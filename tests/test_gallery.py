import re
from pathlib import Path

import numpy as np
import pytest

from benchmark import gallery
from benchmark.errors import ResultError
from benchmark.records import Arrays, CaseKey, Judgement, Kind, Outcome, Status


def pictures(count: int = 2, seed: int = 0) -> Arrays:
    rng = np.random.default_rng(seed)
    return {
        name: rng.integers(0, 2, (count, *shape)).astype(dtype)
        for name, (dtype, shape) in gallery.LAYOUT.items()
    }


def outcome(seed: int, held: Arrays) -> Outcome:
    key = CaseKey("patch", 1.0, seed, Kind.SHORTCUT)
    return Outcome(key, key.kind, Status.OK, judgement=Judgement(score=1.0, pictures=held))


def made() -> Arrays:
    found = gallery.joined([outcome(0, pictures(2)), outcome(1, {}), outcome(2, pictures(1, seed=1))])
    assert found is not None
    return found


def test_pictures_are_joined_in_order_with_their_cases() -> None:
    found = made()
    assert found["case"].tolist() == ["patch/1.0/0", "patch/1.0/0", "patch/1.0/2"]
    assert np.array_equal(found["image"][2], pictures(1, seed=1)["image"][0])
    assert gallery.joined([outcome(0, {}), outcome(1, pictures(0))]) is None


def test_a_gallery_is_read_as_it_was_written(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "gallery.npz"
    gallery.save(made(), place)
    gallery.settle(place, gallery.digest(made()))
    read = gallery.load(place, gallery.digest(made()))
    assert read.keys() == made().keys()
    assert all(np.array_equal(read[name], made()[name]) for name in read)
    assert [path.name for path in place.parent.iterdir()] == ["gallery.npz"]


def test_the_file_is_the_same_each_time_it_is_written(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        gallery.save(made(), tmp_path / name)
        gallery.settle(tmp_path / name, gallery.digest(made()))
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_the_gallery_of_a_result_lies_beside_it() -> None:
    assert gallery.place_of(Path("a/results.json")) == Path("a/gallery.npz")
    assert gallery.place_of(Path("a/results-quick.json")) == Path("a/gallery-quick.npz")


def test_a_full_gallery_of_noise_is_small_enough(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    noise = {
        name: rng.integers(0, 128, (38, *shape)).astype(dtype)
        for name, (dtype, shape) in gallery.LAYOUT.items()
    }
    full = {**noise, "case": np.array(["patch/0.98/0"] * 38)}
    gallery.save(full, tmp_path / "gallery.npz")
    gallery.settle(tmp_path / "gallery.npz", gallery.digest(full))
    assert (tmp_path / "gallery.npz").stat().st_size <= gallery.MOST_BYTES


def spoiled(held: Arrays, place: Path) -> None:
    np.savez_compressed(place, **dict(held))  # type: ignore[arg-type]


BROKEN = {
    "another picture": lambda held: {**held, "hit": ~held["hit"]},
    "another type": lambda held: {**held, "image": held["image"].astype(np.int64)},
    "another shape": lambda held: {**held, "heatmap": held["heatmap"][:, :16]},
    "too few cases": lambda held: {**held, "case": held["case"][:1]},
    "cases of bytes": lambda held: {**held, "case": held["case"].astype("S")},
    "nothing": lambda held: {name: array[:0] for name, array in held.items()},
    "an array missing": lambda held: {name: a for name, a in held.items() if name != "peak"},
    "pickled objects": lambda held: {**held, "row": np.array([{}, {}, {}], dtype=object)},
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN)
def test_a_gallery_that_is_not_the_one_scored_is_refused(change: object, tmp_path: Path) -> None:
    assert callable(change)
    place = tmp_path / "gallery.npz"
    spoiled(change(made()), place)
    with pytest.raises(ResultError, match="score the entry again"):
        gallery.load(place, gallery.digest(made()))


def test_a_wrong_layout_is_refused_even_where_its_digest_fits(tmp_path: Path) -> None:
    held = {**made(), "image": made()["image"].astype(np.int64)}
    spoiled(held, tmp_path / "gallery.npz")
    with pytest.raises(ResultError, match="another"):
        gallery.load(tmp_path / "gallery.npz", gallery.digest(held))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no zip", b"\x00" * 300_000])
def test_a_file_that_is_no_gallery_is_refused(content: bytes, tmp_path: Path) -> None:
    place = tmp_path / "gallery.npz"
    place.write_bytes(content)
    with pytest.raises(ResultError, match=r"gallery\.npz: expected"):
        gallery.load(place, "a" * 64)


def test_a_missing_gallery_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="expected the gallery of a result, got FileNotFoundError"):
        gallery.load(tmp_path / "gallery.npz", "a" * 64)


def test_whenever_a_run_is_stopped_the_old_pair_or_the_new_one_is_whole(tmp_path: Path) -> None:
    place = tmp_path / "gallery.npz"
    old, new = made(), {**made(), "hit": ~made()["hit"]}
    gallery.save(old, place)
    gallery.settle(place, gallery.digest(old))
    gallery.save(new, place)  # stopped here, the result still names the old one; one step later, the new one
    for held in (old, new):
        read = gallery.load(place, gallery.digest(held))
        assert np.array_equal(read["hit"], held["hit"])
    gallery.settle(place, gallery.digest(new))
    assert [path.name for path in tmp_path.iterdir()] == ["gallery.npz"]
    gallery.settle(place, None)
    assert list(tmp_path.iterdir()) == []


def test_a_byte_changed_anywhere_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "gallery.npz"
    gallery.save(made(), place)
    gallery.settle(place, gallery.digest(made()))
    content = place.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(300):
        spoilt = bytearray(content)
        spoilt[rng.integers(len(content))] ^= int(rng.integers(1, 256))
        place.write_bytes(spoilt)
        try:
            read = gallery.load(place, gallery.digest(made()))
        except ResultError:
            continue
        assert gallery.digest(read) == gallery.digest(made())  # a byte that says nothing of the pictures


def shown(**changed: object) -> Arrays:
    """Three pictures that fit their cases, but for what is changed."""
    held = made()
    fitting = {
        "corner": np.array([1, 1, 2], np.int8),
        "role": np.array([0, 1, 2], np.int8),
        "hit": np.array([False, True, False]),
        "peak": np.array([[-1, -1], [0, 31], [5, 5]], np.int16),
    }
    return {**held, **fitting, **{k: np.array(v, held[k].dtype) for k, v in changed.items()}}


FIGURES = {"patch/1.0/0": {"corner": 1.0}, "patch/1.0/2": {"corner": 2.0}}


def test_pictures_that_fit_their_result_are_believed() -> None:
    assert list(gallery.faults(shown(), FIGURES)) == []


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"case": ["patch/1.0/0", "patch/1.0/0", "<script>"]}, "picture 2: expected a case of the result"),
        ({"corner": [1, 3, 2]}, "picture 1: expected the corner of patch/1.0/0, got 3"),
        ({"role": [7, 1, 2]}, "picture 0: expected a role that fits hit False, got 7"),
        ({"role": [0, 2, 2]}, "picture 1: expected a role that fits hit True, got 2"),
        ({"role": [0, 1, 1]}, "picture 2: expected a role that fits hit False, got 1"),
        ({"peak": [[-1, -1], [0, 32], [5, 5]]}, "picture 1: expected a peak on the image, got \\[0, 32\\]"),
        ({"peak": [[-1, -1], [-1, -1], [5, 5]]}, "picture 1: expected a peak on the image"),
    ],
)
def test_pictures_that_do_not_fit_are_told(changed: dict[str, object], fault: str) -> None:
    (found,) = gallery.faults(shown(**changed), FIGURES)
    assert re.search(fault, found)
