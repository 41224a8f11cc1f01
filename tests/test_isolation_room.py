"""What an entry can learn of other cases and of the kind of its own, by looking at all it is given."""

import fcntl
import json
import os
import socket
import subprocess
from pathlib import Path

import numpy as np
import pytest

from benchmark.isolation import room
from benchmark.isolation.case import Case
from benchmark.isolation.channel import Line
from benchmark.isolation.host import CaseFailed, Worker
from benchmark.isolation.launched import Task
from benchmark.isolation.launchers import BWRAP, Launcher
from benchmark.records import Call, Caller
from benchmark.tracks import TRACKS
from benchmark.tracks.detection import FLAG, SCORE
from tests.isolated import CASES, LAUNCHERS, answer, worker, written

pytestmark = pytest.mark.bwrap

LOOK = """
import ctypes, fcntl, gc, json, os, resource, signal, sys
import numpy as np

def text(path):
    with open(path) as file:
        return file.read()

def outcome(action, *arguments):
    try:
        return action(*arguments)
    except OSError as error:
        return error.errno

def looked(arrays):
    frame, names = sys._getframe(), []
    while frame is not None:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    tokens = [len(r["token"]) for r in gc.get_objects() if isinstance(r, dict) and "token" in r]
    open_now = [n for n in range(512) if outcome(fcntl.fcntl, n, fcntl.F_GETFD) < 2]
    return {
        "arrays": [
            [name, str(a.dtype), a.flags.num, a.flags.owndata, list(a.strides), a.ndim, type(a).__name__]
            for name, a in arrays.items()
        ],
        "alignment": [a.ctypes.data % 16 for a in arrays.values()],
        "process": [os.getpid(), os.getppid(), os.getsid(0), os.getpgrp()],
        "status": [
            sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
            [str(signal.getsignal(n)) for n in range(1, 32)],
            sorted(os.sched_getaffinity(0)),
            ctypes.CDLL(None).prctl(21, 0, 0, 0, 0),
        ],
        "descriptors": open_now,
        "kinds": [os.fstat(n).st_mode for n in (0, 1, 2, 3)],
        "variables": dict(os.environ),
        "command": sys.orig_argv[1:-1],
        "limits": [resource.getrlimit(n) for n in range(16)],
        "facts": [text("/proc/" + name) for name in ("cpuinfo", "meminfo", "self/maps")],
        "scratch": [os.listdir("/tmp"), os.listdir("/dev/shm"), os.stat("/tmp").st_ino],
        "processes": [n for n in range(1, 512) if outcome(os.kill, n, 0) != 3],
        "stack": names,
        "token": tokens,
        "randomness": [np.random.random(), __import__("random").random()],
    }
"""


def seen(run: Worker, call: Call) -> dict[str, object]:
    """What the entry printed about a case of one call."""
    said: dict[str, object] = json.loads(run.examine(lambda caller: caller(call)).output)
    return said


def test_nothing_of_an_input_tells_null_from_shortcut(tmp_path: Path) -> None:
    track = TRACKS["embedding-detection"]
    arguments = track.signature.arguments
    code = f"{LOOK}\ndef look({', '.join(arguments)}):\n    given = dict(locals())\n"
    code += "    arrays = {k: v for k, v in given.items() if isinstance(v, np.ndarray)}\n"
    code += "    print(json.dumps({**looked(arrays), 'names': list(given)}))\n    return 0.5\n"
    entry = written(tmp_path, "return 0")
    (tmp_path / "method.py").write_text(code, encoding="utf-8")
    entry = type(entry)(tmp_path, "look", "look", arguments)
    looks: dict[str, list[dict[str, object]]] = {}
    with worker(BWRAP, entry, memory=4096) as run:
        for key in track.current.keys()[:: len(track.current.keys()) // 24]:
            case = track.current.generate(key)
            given = {**{name: np.asarray(value) for name, value in case.seen.items()}, "seed": 1}
            look = seen(run, Call("look", given, (SCORE, FLAG), bare="score"))
            looks.setdefault(case.kind, []).append(look)
    every = [look for group in looks.values() for look in group]
    assert len(looks) == 2 and all(look == every[0] for look in every)


@pytest.mark.parametrize("key", ["embedding-detection", "image-detection"])
def test_arrays_of_null_and_shortcut_look_alike(key: str) -> None:
    track = TRACKS[key]
    keys = track.current.keys()
    cases = [track.current.generate(k) for k in keys[:: max(1, len(keys) // 8)]]
    shapes = [[(n, a.dtype, a.shape) for n, a in case.seen.items()] for case in cases]
    assert len({case.kind for case in cases}) == 2 and all(shape == shapes[0] for shape in shapes)


def test_every_case_is_the_first_in_its_room(tmp_path: Path) -> None:
    body = """
    print(json.dumps(looked({'rows': rows})))
    os.fork() or os._exit(0)
    open('x', 'w').close()
    return 1
    """
    with worker(BWRAP, written(tmp_path, body, LOOK)) as run:
        looks = []
        for seed in range(4):
            call = Call("detect", {"rows": np.ones((3, 4)), "seed": seed}, (SCORE, FLAG), bare="score")
            looks.append(seen(run, call))
    assert looks[0]["process"][0] == 2 and looks[0]["processes"] == [1, 2]  # type: ignore[index]
    assert looks[0]["scratch"][:2] == [[], []]  # type: ignore[index]
    assert all(look == looks[0] for look in looks)


def test_signals_of_a_case_reach_nothing_beyond_its_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[Task] = []
    start = Launcher.start
    monkeypatch.setattr(Launcher, "start", lambda self, task: (starts.append(task), start(self, task))[1])
    body = """
    while seed == 0:
        for number in (1, 0, -1, os.getpid()):
            os.kill(number, signal.SIGKILL)
    return seed
    """
    with worker(BWRAP, written(tmp_path, body, "import os, signal")) as run:
        for _ in range(2):
            with pytest.raises(CaseFailed, match="was ended by SIGKILL"):
                answer(run, 0)
            assert answer(run, 3) == {"score": 3.0}
    assert len(starts) == 1


def test_room_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(["sleep", "60"]) as first:
        with monkeypatch.context() as patched:
            patched.setattr(room, "END_SECONDS", 0.1)
            patched.setattr(os, "kill", lambda process, number: None)
            with pytest.raises(TimeoutError, match="expected a room to end within"):
                room.Room(first.pid, (), (), ()).end()
        first.kill()


def test_packages_are_imported_before_a_case_and_the_entry_within_it(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("import decimal\nVALUE = 1\n", encoding="utf-8")
    before = (
        "import sys\nalready = [name in sys.modules for name in ('decimal', 'helper', 'wave')]\nimport helper"
    )
    body = "import wave\nreturn already[0] + 10 * already[1] + 100 * already[2]"
    with worker(BWRAP, written(tmp_path, body, before)) as run:
        assert answer(run) == {"score": 1.0} == answer(run)


def test_package_the_entry_pins_is_imported_by_each_case(tmp_path: Path) -> None:
    own, pinned = tmp_path / "own", tmp_path / "pinned"
    own.mkdir()
    pinned.mkdir()
    (pinned / "chosen.py").write_text("calls = []\n", encoding="utf-8")
    code = written(
        own,
        "chosen.calls.append(1)\nreturn len(chosen.calls) + 10 * early",
        "import sys\nearly = 'chosen' in sys.modules\nimport chosen",
    )
    code = type(code)(code.folder, "detect", "detect", code.arguments, pinned=(pinned,))
    with worker(BWRAP, code) as run:
        assert answer(run) == {"score": 1.0} == answer(run)


def test_package_that_leaves_a_thread_is_refused(tmp_path: Path) -> None:
    own, shared = tmp_path / "own", tmp_path / "shared"
    own.mkdir()
    shared.mkdir()
    text = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
    (shared / "busy.py").write_text(text, encoding="utf-8")
    code = written(own, "return 1", "import busy")
    code = type(code)(code.folder, "detect", "detect", code.arguments, packages=(shared,))

    def examine(call: Caller) -> None:
        raise AssertionError

    with (
        worker(BWRAP, code) as run,
        pytest.raises(Exception, match="expected their import to leave no thread"),
    ):
        run.examine(examine)


def test_libraries_that_hold_threads_are_found_and_held(tmp_path: Path) -> None:
    body = """
    found = threadpoolctl.threadpool_info()
    with threadpoolctl.threadpool_limits(1):
        return {"score": len(found), "flag": all(os.path.exists(one["filepath"]) for one in found)}
    """
    with worker(BWRAP, written(tmp_path, body, "import os\nimport numpy\nimport threadpoolctl")) as run:
        got = answer(run)
    assert got["score"] >= 1 and got["flag"]


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_the_pipes_of_every_case_are_large(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[set[int]] = []

    class Seen(Case):
        def __init__(self, control: socket.socket, line: Line, call_seconds: float) -> None:
            ends = (line.calls.fileno(), line.answers.fileno(), line.output.fileno() or 0)
            sizes.append({fcntl.fcntl(end, fcntl.F_GETPIPE_SZ) for end in ends})
            super().__init__(control, line, call_seconds)

    monkeypatch.setattr("benchmark.isolation.tree.Case", Seen)
    with worker(launcher, written(tmp_path, "return 0.5")) as run:
        assert [answer(run)["score"] for _ in range(CASES - 1)] == [0.5] * (CASES - 1)
    assert sizes == [{1 << 20}] * (CASES - 1)
