from pathlib import Path

import pytest

from benchmark.commands import run
from benchmark.entries import read_entry
from scripts.new_entry import main


def new_entry(*arguments: str) -> object:
    with pytest.raises(SystemExit) as stop:
        run(main, arguments)
    return stop.value.code


def test_it_writes_a_valid_entry_and_says_what_comes_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert new_entry("my_probe", "--track", "embedding-detection", "--dir", ".") == 0
    assert read_entry(tmp_path / "my_probe").title == "My probe"
    told = capsys.readouterr()
    assert told.err == ""
    for command in ("check.py my_probe\n", "score.py my_probe --quick\n", "score.py my_probe\n"):
        assert f".venv/bin/python scripts/{command}" in told.out


def test_a_track_named_twice_counts_once(tmp_path: Path) -> None:
    tracks = ["--track", "embedding-detection"] * 2
    assert new_entry("my_probe", *tracks, "--dir", str(tmp_path)) == 0
    assert read_entry(tmp_path / "my_probe").tracks == ("embedding-detection",)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("my_probe", "--track", "embeding-detection"), 'did you mean "embedding-detection"?'),
        (("My-Probe", "--track", "embedding-detection"), 'got "My-Probe"; choose another'),
        (("erm", "--track", "embedding-detection", "--dir", "."), 'no entry in contrib/ has, got "erm"'),
        (("../x", "--track", "embedding-detection"), 'NAME: expected a name alone, got "../x"'),
        (("", "--track", "embedding-detection"), 'NAME: expected a name alone, got ""'),
        (("a\u202eb", "--track", "embedding-detection"), 'got "a\\u202eb"'),
        (("my_probe",), "--track"),
        ((), "name"),
    ],
)
def test_wrong_use_exits_2_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], expected: str
) -> None:
    assert new_entry(*arguments, "--dir", str(tmp_path)) == 2
    told = capsys.readouterr()
    assert expected in told.err and told.out == ""
    assert list(tmp_path.iterdir()) == []


def test_all_faults_come_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert new_entry("X", "--track", "a", "--track", "b", "--dir", str(tmp_path)) == 2
    assert len(capsys.readouterr().err.splitlines()) == 3


def test_an_existing_folder_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "my_probe").mkdir()
    assert new_entry("my_probe", "--track", "embedding-detection", "--dir", str(tmp_path)) == 2
    assert "got one that is taken; choose another; nothing was changed" in capsys.readouterr().err
    assert list((tmp_path / "my_probe").iterdir()) == []
