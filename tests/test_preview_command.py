"""The command that scores an entry for its pull request."""

from pathlib import Path

import pytest

from benchmark.commands import run
from benchmark.errors import EntryError, LaboratoryError
from benchmark.pipeline.preview import Preview, load
from benchmark.pipeline.summary import FILE_NAME
from benchmark.records import Status
from scripts import preview as module
from tests.small_suite import with_small_track
from tests.test_preview_summary import tokens
from tests.test_scorer import HONEST, write_entry

Capture = pytest.CaptureFixture[str]
LOUD = """\
import sys
print("```\\n</pre><b>::error::x ##[add-mask]y")
def detect(embeddings, attribute, task_labels, seed):
    print("`````\\x1b[2J @everyone")
    raise ValueError("<script>```")
"""


def previewed(folder: Path, *more: str) -> object:
    """The exit code of the command, which writes into `out` beside the entry."""
    words = [str(folder), "--output", str(folder.parent / "out"), "--jobs", "1", *more]
    with pytest.raises(SystemExit) as stop:
        run(module.main, words)
    return stop.value.code


def found(folder: Path) -> Preview:
    return load(folder.parent / "out")


def summary(folder: Path) -> str:
    return (folder.parent / "out" / FILE_NAME).read_text()


def test_a_whole_entry_exits_0_with_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    with_small_track(monkeypatch)
    folder = write_entry(tmp_path, HONEST)
    assert previewed(folder, "--isolation", "process") == 0
    held = found(folder)
    assert (held.entry, held.suite, held.faults, held.complete) == ("some_entry", "full", 0, True)
    (one,) = held.tracks
    assert (one.cases, one.failed) == (12, {})
    assert set(one.metrics) == {"auroc", "fpr"}
    assert "| AUROC | " in summary(folder)
    told = capsys.readouterr()
    assert "does not protect" in told.err and "auroc" in told.out


def test_a_failing_entry_exits_1_and_its_output_does_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    with_small_track(monkeypatch, seeds=1)
    folder = write_entry(tmp_path, LOUD)
    assert previewed(folder, "--isolation", "process") == 1
    (one,) = found(folder).tracks
    assert (one.status, one.failed) == ("incomplete", {Status.CRASHED: 6})
    text = summary(folder)
    assert "**6 of 6 cases failed** (6 crashed), so it would not be ranked." in text
    outside = [content for kind, content in tokens(text) if kind != "fence"]
    inside = "".join(content for kind, content in tokens(text) if kind == "fence")
    assert "ValueError: <script>```" in inside and "it printed: " in inside and "@everyone" in inside
    assert not any("script>" in one or "@everyone" in one for one in outside)
    assert not any(kind.startswith("html") for kind, _ in tokens(text))
    told = capsys.readouterr()
    assert "::error" not in text + told.out + told.err and "##[" not in text + told.out + told.err


@pytest.mark.parametrize(
    ("toml", "source", "count"),
    [
        ("titel = 3\n", "def detect(:\n", None),
        (None, "def other():\n    pass\n", 1),
    ],
)
def test_an_invalid_entry_exits_1_with_all_its_faults(
    tmp_path: Path, capsys: Capture, toml: str | None, source: str, count: int | None
) -> None:
    folder = write_entry(tmp_path, source)
    if toml is not None:
        (folder / "entry.toml").write_text(toml)
    assert previewed(folder, "--isolation", "process") == 1
    held = found(folder)
    told = capsys.readouterr().err.splitlines()
    assert held.faults == len(told) == (count or held.faults) > 0
    assert (held.entry, held.tracks) == ("some_entry", [])
    # The author knows the files by their place in contrib/, wherever the folder lies here.
    placed = [line.replace(folder.as_posix(), "contrib/some_entry") for line in told]
    assert placed != told and all(line in summary(folder) for line in placed)


def test_an_odd_folder_name_is_a_fault_and_no_id(tmp_path: Path) -> None:
    folder = write_entry(tmp_path, HONEST, name="Odd-name")
    assert previewed(folder, "--isolation", "process") == 1
    assert (found(folder).entry, found(folder).faults) == (None, 1)


@pytest.mark.parametrize("error", [EntryError, LaboratoryError])
def test_an_entry_that_cannot_be_scored_is_told_and_not_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def score(*_: object) -> None:
        raise error("requirements.txt:1: expected a wheel, got none; pin another")

    monkeypatch.setattr(module, "score", score)
    folder = write_entry(tmp_path, HONEST)
    assert previewed(folder, "--isolation", "process") == 1
    assert [one.status for one in found(folder).tracks] == ["unscored"]
    assert "Not scored.\n\n```text\nrequirements.txt:1: expected a wheel" in summary(folder)


def test_a_run_that_is_ended_leaves_a_valid_preview(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def score(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "score", score)
    folder = write_entry(tmp_path, HONEST)
    assert previewed(folder, "--isolation", "process") == 130
    assert [one.status for one in found(folder).tracks] == ["unscored"]


def test_wrong_use_exits_2(tmp_path: Path) -> None:
    folder = write_entry(tmp_path, HONEST)
    assert previewed(folder, "--isolation", "none") == 2
    assert previewed(folder, "--jobs", "0") == 2
    (tmp_path / "out").write_text("a file")
    assert previewed(folder, "--isolation", "process") == 2
