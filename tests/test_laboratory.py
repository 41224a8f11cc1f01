"""The scorer's own computations: pinned, remembered by content, and never believed when torn."""

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from benchmark import laboratory as module
from benchmark.errors import LaboratoryError
from benchmark.laboratory import Laboratory
from benchmark.records import Arrays, Call, Field

SOURCE = '''\
"""A laboratory for tests."""

import os


class Laboratory:
    def doubled(self, numbers, times):
        print("computed")
        with open(os.environ.get("TMPDIR", "/tmp") + "/mark", "w"):
            pass
        return numbers * 2 * times

    def threads(self):
        return int(os.environ["OMP_NUM_THREADS"])

    def failed(self):
        raise ValueError("no such luck")


def laboratory():
    return Laboratory()
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place with a laboratory called `numbers`, in which answers are remembered too."""
    for name in module.FILES:
        (tmp_path / name).write_text('"""Nothing."""\n')
    (tmp_path / "lab" / "numbers").mkdir(parents=True)
    (tmp_path / "lab" / "numbers" / "method.py").write_text(SOURCE)
    monkeypatch.setattr(module, "HERE", tmp_path)
    return tmp_path


def doubled(numbers: np.ndarray | None = None, times: int = 1) -> Call:
    given = np.arange(3.0) if numbers is None else numbers
    field = Field("numbers", "float64", given.shape)
    return Call("doubled", {"numbers": given, "times": times}, returns=(field,), bare="numbers")


class Counting(Laboratory):
    """Counts what is computed."""

    count = 0

    def compute(self, call: Call) -> Arrays:
        self.count += 1
        return super().compute(call)


def test_an_answer_is_computed_in_a_pinned_process(folder: Path) -> None:
    with Laboratory("numbers", folder / "memory") as laboratory:
        assert laboratory.compute(doubled())["numbers"].tolist() == [0.0, 2.0, 4.0]
        threads = Call("threads", {}, returns=(Field("count", "int64"),), bare="count")
        assert laboratory.compute(threads)["count"] == 1


def test_a_failure_is_said_with_its_reason(folder: Path) -> None:
    failed = Call("failed", {}, returns=(Field("count", "int64"),), bare="count")
    with (
        Laboratory("numbers", folder / "memory") as laboratory,
        pytest.raises(LaboratoryError, match="laboratory numbers: expected an answer to failed, got crashed"),
    ):
        laboratory.compute(failed)


def test_an_answer_is_computed_once_and_then_remembered(folder: Path) -> None:
    for expected in (1, 0):
        with Counting("numbers", folder / "memory") as laboratory:
            for _ in range(2):
                assert laboratory.remembered(doubled())["numbers"].tolist() == [0.0, 2.0, 4.0]
            assert laboratory.count == expected
    (kept,) = (folder / "memory").iterdir()
    assert kept.suffix == ".npz"


def test_whatever_made_an_answer_is_part_of_its_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Counting("numbers", folder / "memory") as laboratory:
        laboratory.remembered(doubled())
        laboratory.remembered(doubled(np.array([0.0, 1.0, np.nextafter(2.0, 3.0)])))
        laboratory.remembered(doubled(times=2))
        assert laboratory.count == 3
        monkeypatch.setattr(module, "numeric_class", lambda: "another")
        laboratory.remembered(doubled())
        monkeypatch.undo()
    monkeypatch.setattr(module, "HERE", folder)
    monkeypatch.setattr(module, "version", lambda name: "another")
    with Counting("numbers", folder / "memory") as laboratory:
        laboratory.remembered(doubled())
        assert laboratory.count == 1
    (folder / "training.py").write_text('"""Other settings."""\n')
    with Counting("numbers", folder / "memory") as laboratory:
        laboratory.remembered(doubled())
        assert laboratory.count == 1
    assert len(list((folder / "memory").iterdir())) == 6


def torn(place: Path) -> None:
    place.write_bytes(place.read_bytes()[:-100])


def emptied(place: Path) -> None:
    place.write_bytes(b"")


def altered(place: Path) -> None:
    with np.load(place) as held:
        arrays = dict(held)
    np.savez(place, **{**arrays, "numbers": arrays["numbers"] + 1})


def of_another_shape(place: Path) -> None:
    arrays = {"numbers": np.arange(4.0)}
    np.savez(place, digest=np.array(module.arrays_digest(arrays)), **arrays)


@pytest.mark.parametrize("spoil", [torn, emptied, altered, of_another_shape])
def test_a_file_that_is_not_what_was_kept_is_computed_again(folder: Path, spoil: object) -> None:
    assert callable(spoil)
    with Counting("numbers", folder / "memory") as laboratory:
        laboratory.remembered(doubled())
        (kept,) = (folder / "memory").iterdir()
        spoil(kept)
        for _ in range(2):
            assert laboratory.remembered(doubled())["numbers"].tolist() == [0.0, 2.0, 4.0]
        assert laboratory.count == 2


def test_a_folder_that_cannot_be_written_to_only_costs_time(folder: Path) -> None:
    (folder / "memory").write_text("a file")
    with Counting("numbers", folder / "memory") as laboratory:
        for _ in range(2):
            assert laboratory.remembered(doubled())["numbers"].tolist() == [0.0, 2.0, 4.0]
        assert laboratory.count == 2


def test_threads_work_side_by_side_and_two_of_one_question_agree(folder: Path) -> None:
    found: list[list[float]] = []
    with Laboratory("numbers", folder / "memory") as laboratory:

        def ask() -> None:
            found.append(laboratory.remembered(doubled())["numbers"].tolist())

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [[0.0, 2.0, 4.0]] * 4
    assert len(os.listdir(folder / "memory")) == 1
