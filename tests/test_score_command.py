import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.audit import load
from benchmark.commands import ROOT
from tests.test_scorer import HONEST, write_entry

PLACE = Path("embedding-detection", "1.2", "some_entry")
BROKEN = (
    "def detect(embeddings, attribute, task_labels, seed):\n    print('about to fail')\n    return 1 / 0\n"
)


def script(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)


def quick(folder: Path, output: Path, *more: object) -> subprocess.CompletedProcess[str]:
    return script("score.py", folder, "--quick", "--isolation", "process", "--output", output, *more)


def test_a_score_ends_with_metrics_a_rank_and_where_it_was_written(tmp_path: Path) -> None:
    ran = quick(write_entry(tmp_path, HONEST), tmp_path / "scores")
    assert ran.returncode == 0, ran.stderr
    assert "auroc_xor" in ran.stdout and "95% interval" in ran.stdout
    assert "The flag fires on " in ran.stdout and "the cap of 20%" in ran.stdout
    assert "some_entry would rank " in ran.stdout
    assert "does not protect" in ran.stderr.splitlines()[0]
    result = load(tmp_path / "scores" / PLACE / "results.json")
    assert (result.suite, result.status) == ("quick", "complete")


def test_without_a_terminal_progress_is_plain_lines_on_standard_error(tmp_path: Path) -> None:
    ran = quick(write_entry(tmp_path, HONEST), tmp_path / "scores")
    lines = [line for line in ran.stderr.splitlines() if " of 24 cases" in line]
    assert 8 <= len(lines) <= 12
    assert "24 of 24 cases" in lines[-1] and "about 0 s left" in lines[-1]
    assert "\x1b" not in ran.stderr + ran.stdout


def test_json_stands_alone_on_standard_output(tmp_path: Path) -> None:
    ran = quick(write_entry(tmp_path, HONEST), tmp_path / "scores", "--json")
    (told,) = json.loads(ran.stdout)["results"]
    assert told["metrics"]["auroc"] == load(Path(told["path"])).metrics["auroc"]
    assert 1 <= told["rank"]["low"] <= told["rank"]["high"] <= told["rank"]["ranked"]


def test_an_incomplete_score_exits_1_tells_why_and_keeps_the_complete_one(tmp_path: Path) -> None:
    folder, scores = write_entry(tmp_path, HONEST), tmp_path / "scores"
    quick(folder, scores)
    before = (scores / PLACE / "results.json").read_bytes()
    (folder / "method.py").write_text(BROKEN)
    ran = quick(folder, scores)
    assert ran.returncode == 1
    assert "24 of 24 cases failed" in ran.stdout
    assert "ZeroDivisionError: division by zero" in ran.stdout
    assert "it printed: about to fail" in ran.stdout
    assert "would not be ranked" in ran.stdout
    assert (scores / PLACE / "results.json").read_bytes() == before
    assert load(scores / PLACE / "results-quick-failed.json").status == "incomplete"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def other():\n    pass\n", "detect"),
        ("def detect(embeddings):\n    return 0.0\n", "attribute"),
        ("def detect(:\n", "syntax error"),
    ],
)
def test_an_invalid_entry_exits_2_in_one_line_and_writes_nothing(
    tmp_path: Path, source: str, said: str
) -> None:
    ran = quick(write_entry(tmp_path, source), tmp_path / "scores")
    assert ran.returncode == 2
    (line,) = ran.stderr.splitlines()
    assert said in line and "method.py" in line
    assert not (tmp_path / "scores").exists()


def test_an_unknown_track_is_told_with_the_likely_one(tmp_path: Path) -> None:
    ran = quick(write_entry(tmp_path, HONEST), tmp_path / "scores", "--track", "embedding-detecton")
    assert ran.returncode == 2
    assert 'did you mean "embedding-detection"?' in ran.stderr


def test_what_may_not_be_committed_is_refused_with_every_reason(tmp_path: Path) -> None:
    ran = quick(write_entry(tmp_path, HONEST), tmp_path / "scores", "--commit", "--seed-offset", 2)
    assert ran.returncode == 2
    assert [line.split(",")[1].strip().split(";")[0] for line in ran.stderr.splitlines()][:2] == [
        "got --quick",
        "got --seed-offset 2",
    ]
    assert "expected isolation bwrap" in ran.stderr and "expected an entry in contrib/" in ran.stderr
    assert not (tmp_path / "scores").exists()


def test_an_output_that_is_a_file_is_refused_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ran = quick(write_entry(tmp_path, HONEST), tmp_path / "file")
    assert ran.returncode == 2
    (line,) = ran.stderr.splitlines()
    assert (
        line
        == f"--output: expected a folder to write to, got {tmp_path / 'file'}: File exists; choose another"
    )


def test_a_score_on_other_seeds_has_no_rank(tmp_path: Path) -> None:
    ran = quick(write_entry(tmp_path, HONEST), tmp_path / "scores", "--seed-offset", 2)
    assert ran.returncode == 0
    assert "No rank: the committed results are on the public seeds." in ran.stdout


def test_both_versions_can_be_scored_at_once(tmp_path: Path) -> None:
    tracks = ("--track", "embedding-detection@1.0", "--track", "embedding-detection")
    ran = quick(write_entry(tmp_path, HONEST), tmp_path / "scores", *tracks)
    assert ran.returncode == 0
    assert (tmp_path / "scores/embedding-detection/1.0/some_entry/results.json").exists()
    assert (tmp_path / "scores" / PLACE / "results.json").exists()
