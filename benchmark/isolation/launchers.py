"""How the worker is started: in a bubblewrap sandbox, or as a plain process that protects nothing."""

import contextlib
import json
import os
import signal
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
from benchmark.isolation.bubblewrap import NAME, SCRATCH_BYTES, bwrap_fault, interpreter, sandbox
from benchmark.isolation.numeric import numeric_class, numeric_environment

HERE = Path(__file__).resolve().parent
INSIDE = ("worker.py", "calls.py")
"""The files that run inside; the first is the program."""
FLAGS = ("-s", "-S", "-B", "-P", "-u")
"""No packages but those named, no bytecode written, no folder of the script, prints at once."""
ADDRESS_SPACE = 4 << 30
"""Room for mapped files beside the memory limit, in bytes: libraries are large, and cost no memory."""
OPEN_FILES = 512
PROCESSES = 512
"""How many processes an entry may run; in the sandbox the system also counts their threads."""
GRACE_SECONDS = 3.0
"""How long a worker may take to end by itself."""


@dataclass(frozen=True)
class Task:
    """What a worker is to run."""

    folder: Path
    """The entry's folder."""
    function: str
    """The function's name in `method.py`."""
    signature: str
    """The function's name as the track states it."""
    arguments: tuple[str, ...]
    """The names of its arguments."""
    memory_mib: int
    """Memory limit of each of its processes, in MiB."""
    packages: tuple[Path, ...] = ()
    """Folders to import from after the installed packages, which they cannot hide; read-only in a sandbox."""
    preload: tuple[str, ...] = ()
    """Modules imported before the entry is, so that no case pays for it."""


@dataclass(frozen=True)
class Launched:
    """A running worker: the processes, and the host's ends of what connects to them."""

    name: str
    """The launcher's name."""
    process: subprocess.Popen[bytes]
    """The first process, at the head of a session of its own."""
    control: socket.socket
    """The line to the supervisor."""
    output: int
    """The descriptor to read what is printed while the entry loads; for the reader to close."""
    scratch: Path | None
    """The private temporary folder outside a sandbox; None in one."""
    ended: threading.Event
    """Set when the thread that started the process need no longer live."""

    def end(self) -> None:
        """Ends every process of the worker and removes what it left. May be called again."""
        self.control.close()
        try:
            self.process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.ended.set()
            if self.scratch is not None:
                _remove(self.scratch)


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
    def numeric_class(self) -> str:
        """The instruction set that numbers are computed with, such as `x86-64-avx2`."""
        return numeric_class()

    def start(self, task: Task) -> Launched:
        """A new worker for the task. Raises IsolationError when it cannot be started."""
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
                _remove(private)
            raise IsolationError(f"isolation {self.name}: expected to start Python, got: {error}") from None
        finally:
            theirs.close()
            os.close(printing)
        return Launched(self.name, process, control, output, private, ended)

    def _plan(self, task: Task, private: Path | None) -> _Plan:
        """The surroundings: in the sandbox, or in this machine with a private scratch folder."""
        packages = [*_packages(), *(package.resolve() for package in task.packages)]
        folder = task.folder.resolve()
        if private is not None:
            return _Plan(
                (), str(HERE / INSIDE[0]), str(folder), tuple(map(str, packages)), (str(private),), {}
            )
        places = {path: f"/packages/{number}" for number, path in enumerate(packages)}
        program = {HERE / name: f"/worker/{name}" for name in INSIDE}
        wrapper = sandbox({**places, **program, folder: "/entry"})
        scratch = ("/tmp", "/dev/shm")
        limits = {"NPROC": PROCESSES}
        return _Plan(
            tuple(wrapper), f"/worker/{INSIDE[0]}", "/entry", tuple(places.values()), scratch, limits
        )


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
        "CORE": 0,
    }
    description = {
        "control": control,
        "folder": plan.folder,
        "function": task.function,
        "signature": task.signature,
        "arguments": task.arguments,
        "preload": task.preload,
        "paths": plan.paths,
        "scratch": plan.scratch,
        "processes": PROCESSES,
        "limits": {**limits, **plan.limits},
    }
    return [*plan.wrapper, interpreter(), *FLAGS, plan.worker, json.dumps(description)]


def _remove(folder: Path) -> None:
    """Removes a folder, however deep; Python's own way fails below a thousand levels."""
    subprocess.run(["rm", "-rf", "--", str(folder)], check=False)


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
    return {**places, **numeric_environment()}
