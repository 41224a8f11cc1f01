import subprocess
from pathlib import Path

import pytest

from benchmark.entries import read_entry
from benchmark.isolation.launchers import choose
from benchmark.results import Result, save
from benchmark.scorer import Request, score
from benchmark.verified import last, load
from tests.builders import CURRENT, TRACK
from tests.test_score_command import script
from tests.test_scorer import HONEST, write_entry

UNSTEADY = HONEST.replace("def", "import os\n\n\ndef", 1).replace(
    '"score": ', '"score": int.from_bytes(os.urandom(4)) + '
)


pytestmark = pytest.mark.bwrap


def committed(root: Path, source: str) -> Result:
    """An entry with its full result, below `root`."""
    entry = read_entry(write_entry(root / "contrib", source))
    result = score(Request(entry, TRACK, CURRENT, choose("bwrap"), jobs=2)).result
    save(result, root / "results" / result.place)
    return result


def verify(root: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    folders = ("--results", root / "results", "--contrib", root / "contrib", "--isolation", "process")
    return script("verify.py", *folders, *arguments)


def test_an_honest_result_reproduces_exactly(tmp_path: Path) -> None:
    committed(tmp_path, HONEST)
    ran = verify(tmp_path, "some_entry", "--track", "embedding-detection@1.2", "--log", tmp_path / "log.json")
    assert ran.returncode == 0, ran.stderr
    (one,) = load(tmp_path / "log.json").results
    assert (one.entry, one.stands, one.largest, one.same_fingerprint) == ("some_entry", True, 0.0, True)
    assert (
        script("verified.py", "keep", tmp_path / "log.json", "--results", tmp_path / "results").returncode
        == 0
    )
    assert last(tmp_path / "results").results == [one]
    assert "some_entry on embedding-detection 1.2: exactly the same" in ran.stdout
    assert "1 of 1 results reproduce" in ran.stdout


def test_an_entry_that_answers_differently_each_time_does_not(tmp_path: Path) -> None:
    committed(tmp_path, UNSTEADY)
    ran = verify(tmp_path, "--log", tmp_path / "log.json")
    assert ran.returncode == 1
    (one,) = load(tmp_path / "log.json").results
    assert not one.stands and one.largest is not None and one.largest > 0
    assert "where all must be exactly the same (the same numeric fingerprint)" in ran.stdout


def test_a_changed_entry_is_told_and_not_scored(tmp_path: Path) -> None:
    committed(tmp_path, HONEST)
    (tmp_path / "contrib/some_entry/method.py").write_text(HONEST + "\n")
    ran = verify(tmp_path)
    assert ran.returncode == 1
    assert "the entry has changed since it was scored" in ran.stdout


def test_a_name_without_a_result_is_wrong_use(tmp_path: Path) -> None:
    committed(tmp_path, HONEST)
    ran = verify(tmp_path, "nobody")
    assert ran.returncode == 2
    assert "nobody: expected an entry with a committed result" in ran.stderr


def test_a_sample_is_no_larger_than_asked(tmp_path: Path) -> None:
    committed(tmp_path, HONEST)
    ran = verify(tmp_path, "--sample", 5)
    assert "1 of 1 results reproduce" in ran.stdout


def test_nothing_to_verify_is_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "contrib").mkdir()
    ran = verify(tmp_path)
    assert ran.returncode == 2
    assert "results: expected one that fits, got none" in ran.stderr
