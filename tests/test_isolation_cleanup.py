import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmark.isolation.host import CaseFailed
from benchmark.isolation.launchers import Launcher
from benchmark.records import Status
from tests.isolated import LAUNCHERS, answer, processes_naming, worker, written

pytestmark = pytest.mark.parametrize("launcher", LAUNCHERS)

DAEMON = """
import os, subprocess, sys
def start(name):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(100)", name])
"""


@pytest.fixture(autouse=True)
def private_temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Temporary folders go where the test sees them; nothing may be left there, nor any descriptor."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    before = set(os.listdir("/proc/self/fd"))
    yield folder
    assert set(os.listdir("/proc/self/fd")) == before
    assert list(folder.iterdir()) == []


def become(expected: int, count: Callable[[], int]) -> bool:
    """Whether a count comes to what is expected within two seconds."""
    end = time.monotonic() + 2
    while count() != expected and time.monotonic() < end:
        time.sleep(0.01)
    return count() == expected


def left(name: str) -> Callable[[], int]:
    return lambda: len(processes_naming(name))


def test_nothing_is_left_of_a_worker(launcher: Launcher, tmp_path: Path) -> None:
    name = f"cleanup-a-{launcher.name}"
    body = f"open('a', 'w').close()\nstart('{name}')\nif seed: raise ValueError\nreturn 1"
    code = written(tmp_path, body, DAEMON + f"start('{name}')")
    with worker(launcher, code) as run:
        answer(run)
        with pytest.raises(CaseFailed):
            answer(run, 1)
    assert left(str(tmp_path))() == 0 and left(name)() == 0


def test_daemon_of_a_case_ends_before_the_next(launcher: Launcher, tmp_path: Path) -> None:
    before = """
    def line(name):
        try:
            return open(f"/proc/{name}/cmdline").read()
        except OSError:
            return ""
    def there(number):
        try:
            os.kill(number, 0)
        except OSError:
            return False
        return True
    def daemons():
        if not os.path.exists("/proc/1"):  # In a room processes are counted from 1, and the case is 2.
            return sum(there(number) for number in range(3, 600))
        return sum(mark in line(name) for name in os.listdir("/proc") if name.isdigit())
    """
    before = f"{DAEMON}\nmark = 'cleanup-b-{launcher.name}'\n{textwrap.dedent(before)}"
    body = "found = daemons()\nstart(mark)\nwhile not daemons(): pass\nreturn found"
    with worker(launcher, written(tmp_path, body, before)) as run:
        assert [answer(run)["score"] for _ in range(3)] == [0.0, 0.0, 0.0]


def test_nothing_is_left_after_a_timeout(launcher: Launcher, tmp_path: Path) -> None:
    name = f"cleanup-c-{launcher.name}"
    code = written(tmp_path, f"start('{name}')\nwhile True: pass", DAEMON)
    with worker(launcher, code, call=0.5) as run:
        with pytest.raises(CaseFailed):
            answer(run)
        assert left(name)() == 0 and left(str(tmp_path))() == 0


def test_nothing_is_left_after_an_interrupt(launcher: Launcher, tmp_path: Path) -> None:
    code = written(tmp_path, "while True: pass")
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.8)
    try:
        with pytest.raises(KeyboardInterrupt), worker(launcher, code) as run:
            answer(run)
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert left(str(tmp_path))() == 0


def test_killed_keeper_costs_one_case(launcher: Launcher, tmp_path: Path) -> None:
    body = "while seed == 0: os.kill(os.getppid(), signal.SIGKILL)\nreturn seed"
    with worker(launcher, written(tmp_path, body, "import os, signal")) as run:
        with pytest.raises(CaseFailed, match=r"was ended by SIGKILL|got a closed line"):
            answer(run)
        assert answer(run, 3) == {"score": 3.0}


def test_fork_bomb_costs_one_case(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmark.isolation.launchers.PROCESSES", 20)
    body = """
    while seed == 0:
        os.fork()
    return seed
    """
    with worker(launcher, written(tmp_path, body, "import os")) as run:
        with pytest.raises(CaseFailed) as raised:
            answer(run)
        assert raised.value.status is Status.CRASHED and raised.value.seconds < 10
        assert answer(run, 3) == {"score": 3.0}
    assert left(str(tmp_path))() == 0


HOST = """
import sys
from pathlib import Path
from benchmark.isolation.launchers import choose
from tests.isolated import EntryCode, answer, worker
code = EntryCode(Path(sys.argv[2]), "detect", "detect", ("rows", "seed"))
with worker(choose(sys.argv[1]), code) as run:
    answer(run)
"""


def test_killed_host_leaves_nothing(launcher: Launcher, tmp_path: Path, private_temp: Path) -> None:
    name = f"cleanup-d-{launcher.name}"
    written(tmp_path, f"start('{name}')\nwhile True: pass", DAEMON)
    environment = {**os.environ, "TMPDIR": str(private_temp), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", HOST, launcher.name, str(tmp_path)]
    with subprocess.Popen(command, env=environment) as host:
        end = time.monotonic() + 20
        while not left(name)() and time.monotonic() < end:
            time.sleep(0.02)
        assert left(name)() == 1
        host.kill()
    assert become(0, left(name)) and become(0, left(str(tmp_path)))
    assert become(0, lambda: len(list(private_temp.iterdir())))
