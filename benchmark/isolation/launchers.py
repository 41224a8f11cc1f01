"""How the worker is started: in a bubblewrap sandbox, or as a plain process that protects nothing."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from benchmark.errors import IsolationError
from benchmark.isolation import filter as system_calls
from benchmark.isolation.bubblewrap import NAME, SCRATCH_BYTES, bwrap_fault, interpreter, sandbox
from benchmark.isolation.launched import Launched, Task, remove
from benchmark.isolation.numeric import numeric_class, numeric_environment
from benchmark.isolation.probing import require

HERE = Path(__file__).resolve().parent
INSIDE = (
    "worker.py",
    "calls.py",
    "filter.py",
    "loading.py",
    "room.py",
    "supplies.py",
    "sweep.py",
    "watch.py",
)
"""The files that run inside; the first is the program."""
FLAGS = ("-s", "-S", "-B", "-P", "-u")
"""No packages but those named, no bytecode written, no folder of the script, prints at once."""
ADDRESS_SPACE = 4 << 30
"""Room for mapped files beside the memory limit, in bytes: libraries are large, and cost no memory."""
SCRATCH = ("/tmp", "/dev/shm")
"""The folders an entry may write to in the sandbox."""
WAITING = 2
"""How many processes wait for each case, before it and while it runs, and for the trial of the import."""
SIGNALS = 64
"""How many signals may wait: the system counts them for the user, whose other programs need some too."""
OPEN_FILES = 512
PROCESSES = 512
"""How many threads all processes of an entry may run together."""
STACK_BYTES = 8 << 20
"""How large a stack may grow, and a thread's is; the limit of a process's own memory leaves it out."""
CORE_BYTES = 1
"""Too few for any dump. At 0 the system would still hand one to a program that the machine names."""
ALONE = {"JOBLIB_MULTIPROCESSING": "0"}
"""Has joblib, and so scikit-learn, do all in one thread, whatever is asked for: its pools need pipes."""
TOGETHER = 2
"""How many times the memory of one process all processes of an entry may hold together."""


@dataclass(frozen=True)
class _Plan:
    """How a worker sees its surroundings."""

    wrapper: tuple[str, ...]
    """The command that the worker's own is put behind."""
    worker: str
    """Where `worker.py` is."""
    folder: str
    """Where the entry is."""
    paths: tuple[str, ...]
    """Where the packages are."""
    pinned: tuple[str, ...]
    """Where those are that the entry chose."""
    scratch: tuple[str, ...]
    """The folders it may write to, the first of them for temporary files."""
    limits: Mapping[str, int]
    """Limits beyond those that every worker has."""


@dataclass(frozen=True)
class Launcher:
    """A way to start a worker."""

    name: Literal["bwrap", "process"]
    """As results record it."""

    @property
    def protects(self) -> bool:
        """Whether an entry is kept from the rest of the machine."""
        return self.name == "bwrap"

    @property
    def weakness(self) -> str | None:
        """What this machine lacks of the protection; None where nothing is, or where there is none at all."""
        fault = system_calls.fault() if self.protects else None
        return f"no filter of system calls: {fault}" if fault else None

    @property
    def numeric_class(self) -> str:
        """The instruction set that numbers are computed with, such as `x86-64-avx2`."""
        return numeric_class()

    def start(self, task: Task) -> Launched:
        """A new worker for the task.

        One that is to protect is tried from inside first, once in each process. Raises IsolationError when it
        cannot be started or does not hold.
        """
        if self.protects:
            require(self.name, self._begun, frozenset(_environment(SCRATCH[0])))
        return self._begun(task)

    def _begun(self, task: Task) -> Launched:
        """A new worker, tried or not."""
        private = None if self.protects else Path(tempfile.mkdtemp(prefix="entry-"))
        control, theirs = socket.socketpair()
        output, printing = os.pipe()
        ended = threading.Event()
        try:
            plan = self._plan(task, private)
            options: dict[str, Any] = {
                "stdin": subprocess.DEVNULL,
                "stdout": printing,
                "stderr": printing,
                "pass_fds": [theirs.fileno()],
                "cwd": private or "/",
                "env": _environment(plan.scratch[0]),
                "start_new_session": True,
            }
            process = _started(_command(plan, task, theirs.fileno()), options, ended)
        except OSError as error:
            control.close()
            os.close(output)
            if private is not None:
                remove(private)
            raise IsolationError(f"isolation {self.name}: expected to start Python, got: {error}") from None
        finally:
            theirs.close()
            os.close(printing)
        return Launched(self.name, process, control, output, private, ended)

    def _plan(self, task: Task, private: Path | None) -> _Plan:
        """The surroundings: in the sandbox, or in this machine with a private scratch folder."""
        packages = [*_packages(), *(package.resolve() for package in task.packages)]
        pinned = [package.resolve() for package in task.pinned]
        folder = task.folder.resolve()
        if private is not None:
            paths, chosen = tuple(map(str, packages)), tuple(map(str, pinned))
            return _Plan((), str(HERE / INSIDE[0]), str(folder), paths, chosen, (str(private),), {})
        places = {path: f"/packages/{number}" for number, path in enumerate([*packages, *pinned])}
        program = {HERE / name: f"/worker/{name}" for name in INSIDE}
        wrapper = sandbox({**places, **program, folder: "/entry"})
        paths, chosen = (tuple(places[path] for path in paths) for paths in (packages, pinned))
        limits = {"NPROC": PROCESSES + WAITING * (1 + task.cases)}
        return _Plan(tuple(wrapper), f"/worker/{INSIDE[0]}", "/entry", paths, chosen, SCRATCH, limits)


def _started(
    command: Sequence[str], options: Mapping[str, Any], ended: threading.Event
) -> subprocess.Popen[bytes]:
    """The process of a command, made in a thread that lives until `ended` is set.

    The system ends a sandbox with the thread that started it, and the caller's may be gone before.
    """
    made: Future[subprocess.Popen[bytes]] = Future()

    def keep() -> None:
        try:
            made.set_result(subprocess.Popen(command, **options))
        except BaseException as error:  # noqa: BLE001 - the caller raises it
            made.set_exception(error)
        else:
            ended.wait()

    threading.Thread(target=keep, daemon=True).start()
    return made.result()


def _command(plan: _Plan, task: Task, control: int) -> list[str]:
    """The whole command line; its last argument is the worker's task."""
    memory = task.memory_mib << 20
    limits = {
        "DATA": memory,
        "AS": memory + ADDRESS_SPACE,
        "FSIZE": SCRATCH_BYTES,
        "NOFILE": OPEN_FILES,
        "STACK": STACK_BYTES,
        "CORE": CORE_BYTES,
        "SIGPENDING": SIGNALS,
    }
    description = {
        "control": control,
        "folder": plan.folder,
        "function": task.function,
        "signature": task.signature,
        "arguments": task.arguments,
        "preload": task.preload,
        "cases": task.cases,
        "paths": plan.paths,
        "pinned": plan.pinned,
        "rooms": bool(plan.wrapper),
        "scratch": plan.scratch,
        "scratch_bytes": SCRATCH_BYTES,
        "threads": PROCESSES,
        "memory": TOGETHER * memory,
        "limits": {**limits, **plan.limits},
    }
    return [*plan.wrapper, interpreter(), *FLAGS, plan.worker, json.dumps(description)]


BWRAP = Launcher("bwrap")
"""A sandbox: no network, nothing to read but Python and the entry, nothing to write but scratch."""
PROCESS = Launcher("process")
"""A plain process: it stops mistakes and hangs, but protects nothing from an entry that means harm."""


def choose(isolation: str) -> Launcher:
    """The launcher for `auto`, `bwrap` or `process`; auto is bwrap where it works.

    Raises IsolationError when bwrap is asked for and cannot run, or for any other word.
    """
    if isolation == "process":
        return PROCESS
    if isolation not in ("auto", "bwrap"):
        raise IsolationError(
            f"--isolation: expected auto, bwrap or process, got {isolation!r}; choose one of them"
        )
    fault = bwrap_fault()
    if fault is None:
        return BWRAP
    if isolation == "auto":
        return PROCESS
    raise IsolationError(f"isolation bwrap: {fault}")


def _packages() -> Sequence[Path]:
    """The folders of installed packages that this process imports from."""
    folders = (Path(folder) for folder in sys.path if folder)
    return [f.resolve() for f in folders if f.name in ("site-packages", "dist-packages") and f.is_dir()]


def _environment(scratch: str) -> dict[str, str]:
    """All the variables an entry sees."""
    places = {"HOME": scratch, "TMPDIR": scratch, "USER": NAME, "LOGNAME": NAME, "LANG": "C.UTF-8"}
    return {**places, **ALONE, **numeric_environment()}
