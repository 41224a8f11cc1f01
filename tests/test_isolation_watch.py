"""What a case may take in all: threads, and memory, counted over its processes."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.isolation import sweep, watch
from benchmark.isolation.case import ending
from benchmark.isolation.host import CaseFailed
from benchmark.isolation.launchers import BWRAP, Launcher
from benchmark.isolation.loading import named
from benchmark.isolation.watch import TOO_LARGE, TOO_MANY, excess, kibibytes, share, threads, whole
from benchmark.records import Status
from tests.isolated import LAUNCHERS, answer, worker, written

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts")
HOLD = "held = b'x' * (64 << 20); print(flush=True); input()"


@pytest.fixture
def holder() -> Iterator[int]:
    """A process that holds 64 MiB of its own."""
    command = [sys.executable, "-I", "-c", HOLD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdin is not None
        process.stdout.readline()
        yield process.pid
        process.stdin.close()


def test_threads_are_counted_one_by_one() -> None:
    start = "import threading\nfor _ in range(5): threading.Thread(target=input, daemon=True).start()\n"
    command = [sys.executable, "-I", "-c", f"{start}print(flush=True)\nthreading.Event().wait()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert threads(process.pid) == 1 + 5
        process.kill()
    assert threads(1 << 22) == 0


def test_memory_of_a_process_is_told(holder: int) -> None:
    assert 64 << 10 < share(holder) < 128 << 10


def test_only_what_is_held_is_summed(tmp_path: Path) -> None:
    (tmp_path / "status").write_text("RssAnon:\t 12 kB\nRssFile:\t 400 kB\nRssShmem:\t 5 kB\n")
    assert kibibytes(str(tmp_path / "status"), (b"RssAnon:", b"RssShmem:")) == 17
    assert kibibytes(str(tmp_path / "status"), (b"Pss_Anon:",)) is None
    assert kibibytes(str(tmp_path / "none"), (b"RssAnon:",)) is None


def test_excess_is_that_of_all_but_the_image(holder: int) -> None:
    there = sweep.there()
    assert holder in there
    assert excess([holder], set(), {"threads": 1, "memory": 128 << 20}) == 0
    assert excess([holder], set(), {"threads": 1, "memory": 32 << 20}) == TOO_LARGE
    assert excess([holder], {holder}, {"threads": 1, "memory": 32 << 20}) == 0
    assert excess([holder], set(), {"threads": 0, "memory": 128 << 20}) == TOO_MANY


ENDED = """
import ctypes, os, threading, time
def hold():
    held = b"x" * (64 << 20)
    os.write(1, b"held\\n")
    time.sleep(60)
threading.Thread(target=hold, daemon=True).start()
ctypes.CDLL(None).pthread_exit(None)
"""


def test_memory_behind_a_first_thread_that_ended_is_told() -> None:
    command = [sys.executable, "-I", "-c", ENDED]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == b"held\n"
            while kibibytes(f"/proc/{process.pid}/status", (b"RssAnon:",)) is not None:
                time.sleep(0.01)
            assert 64 << 10 < share(process.pid) < 128 << 10
            assert 64 << 10 < whole(process.pid) < 128 << 10
        finally:
            process.kill()


def test_what_cannot_be_divided_in_time_counts_whole(holder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "share", lambda process: 1)
    most = {"threads": 9, "memory": 32 << 20}
    assert excess([holder], set(), most) == 0
    monkeypatch.setattr(watch, "LOOK_SECONDS", 0.0)
    assert excess([holder], set(), most) == TOO_LARGE


def test_ends_are_told_apart() -> None:
    assert "too many" in ending(TOO_MANY) and "too much memory" in ending(TOO_LARGE)
    assert ending(-3) == "was ended"
    stopped, continued = 0x7F, 0xFFFF
    assert ending(stopped) == ending(continued) == "was ended" and ending(0) == "ended with exit code 0"


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_processes_that_share_their_memory_are_not_charged_for_it_each(
    launcher: Launcher, tmp_path: Path
) -> None:
    body = """
    held = b"x" * (100 << 20)
    for _ in range(4):
        if os.fork() == 0:
            time.sleep(60)
    time.sleep(0.5)
    return len(held) >> 20
    """
    with worker(launcher, written(tmp_path, body, "import os, time"), memory=250) as run:
        assert answer(run) == {"score": 100.0}


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_case_that_holds_too_much_in_all_ends(launcher: Launcher, tmp_path: Path) -> None:
    body = """
    for _ in range(6 if seed == 0 else 0):
        if os.fork() == 0:
            held = b"x" * (100 << 20)
            time.sleep(60)
    time.sleep(60 if seed == 0 else 0)
    return seed
    """
    with worker(launcher, written(tmp_path, body, "import os, time"), memory=200) as run:
        with pytest.raises(CaseFailed, match="for holding too much memory") as raised:
            answer(run, 0)
        assert raised.value.status is Status.OUT_OF_MEMORY and raised.value.seconds < 20
        assert answer(run, 3) == {"score": 3.0}


@pytest.mark.bwrap
def test_crash_leaves_no_core_file(tmp_path: Path) -> None:
    body = """
    if os.fork() == 0:
        os.kill(os.getpid(), signal.SIGSEGV)
    status = os.wait()[1]
    return {"score": len(os.listdir("/tmp")), "flag": os.WTERMSIG(status) == 11 and not os.WCOREDUMP(status)}
    """
    with worker(BWRAP, written(tmp_path, body, "import os, signal")) as run:
        assert answer(run) == {"score": 0.0, "flag": True}


def test_programs_are_not_imported_ahead(tmp_path: Path) -> None:
    text = "from unittest import __main__, mock\nimport venv.__main__\nfrom test import support\n"
    text += "import test.autotest, antigravity, json.tool\nfrom idlelib import idle\nimport unittest.mock\n"
    (tmp_path / "method.py").write_text(text, encoding="utf-8")
    names = [("unittest", ["mock"]), ("json.tool", []), ("unittest.mock", [])]
    assert list(named(str(tmp_path))) == names
