from pathlib import Path

import pytest

from benchmark.commands import run
from benchmark.errors import ResultError
from scripts import build_site


def test_prints_the_file_to_open(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(build_site, "build", lambda root: tmp_path / "index.html")
    with pytest.raises(SystemExit) as ended:
        run(build_site.main, [])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"open {tmp_path / 'index.html'}\n")


def test_invalid_results_are_one_line_each_and_exit_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(root: Path) -> Path:
        raise ResultError("a fault", "another")

    monkeypatch.setattr(build_site, "build", fails)
    with pytest.raises(SystemExit) as ended:
        run(build_site.main, [])
    assert (ended.value.code, capsys.readouterr().err) == (2, "a fault\nanother\n")
