from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.commands import complain, near, run, run_one_of
from benchmark.errors import LeaderboardError, ResultError


def failing_with(error: BaseException) -> Callable[[], None]:
    def command() -> None:
        raise error

    return command


def exit_code(command: Callable[..., None], *arguments: str) -> object:
    with pytest.raises(SystemExit) as stop:
        run(command, arguments)
    return stop.value.code


def test_every_fault_is_a_line_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(failing_with(ResultError("a: b\x1b", "c\nd"))) == 2
    assert capsys.readouterr() == ("", "a: b\\x1b\nc\\nd\n")


def test_no_fault_is_a_command_to_a_workflow_runner(capsys: pytest.CaptureFixture[str]) -> None:
    complain(["::error::one", "  ::add-mask::two", 'a "##[error]three": wrong\n::set-output name=count::0'])
    assert capsys.readouterr().err.splitlines() == [
        ": :error: :one",
        "  : :add-mask: :two",
        'a "## [error]three": wrong\\n: :set-output name=count: :0',
    ]


def test_an_error_brings_its_exit_code() -> None:
    class Short(LeaderboardError):
        exit_code = 1

    assert exit_code(failing_with(Short("x"))) == 1
    assert exit_code(failing_with(KeyboardInterrupt())) == 130


def test_wrong_use_exits_2_and_success_0(capsys: pytest.CaptureFixture[str]) -> None:
    def command(count: int) -> None:
        print(count)

    assert exit_code(command, "5") == 0
    assert exit_code(command, "five") == 2
    assert exit_code(command) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_one_of_several_is_named_even_where_there_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    def tell(count: int) -> None:
        print(count)

    for arguments, code in ((["tell", "5"], 0), (["5"], 2), (["other", "5"], 2)):
        with pytest.raises(SystemExit) as stop:
            run_one_of((tell,), arguments)
        assert stop.value.code == code
    assert capsys.readouterr().out == "5\n"


def test_a_bug_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError):
        run(failing_with(ZeroDivisionError()), [])


def test_paths_are_shown_as_typed_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert near(tmp_path / "a") == Path("a")
    assert near(tmp_path.parent) == tmp_path.parent
