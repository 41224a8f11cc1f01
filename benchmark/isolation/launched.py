"""What a launcher is given and gives: the task of a worker, and the worker that runs."""

import contextlib
import os
import signal
import socket
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

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
    cases: int
    """How many cases it can serve before another has to be started."""
    packages: tuple[Path, ...] = ()
    """Folders to import from after the installed packages, which they cannot hide; read-only in a sandbox."""
    pinned: tuple[Path, ...] = ()
    """Such folders that the entry chose, which each case imports from anew."""
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
                remove(self.scratch)


def remove(folder: Path) -> None:
    """Removes a folder, however deep; Python's own way fails below a thousand levels."""
    subprocess.run(["rm", "-rf", "--", str(folder)], check=False)
