"""Finds and ends the processes below this one, and empties folders: for where there are no rooms.

It stands alone beside `worker.py`.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Set

CLEAN_SECONDS = 5.0
"""How long the processes of a case may take to end."""


def clean(image: int, spared: set[int], scratch: list[str]) -> None:
    """Ends every process below this one but the image and those spared, and empties the scratch folders.

    Raises TimeoutError when processes come back as fast as they are ended.
    """
    deadline = time.monotonic() + CLEAN_SECONDS
    while others := set(living(os.getpid(), spared)) - {image}:
        if time.monotonic() > deadline:
            raise TimeoutError
        for process in others:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.0005)
    reap(image)
    for folder in scratch:
        wipe(folder)


def there() -> list[int]:
    """The processes of a process namespace of its own, this one included; elsewhere, those below this one."""
    if os.getpid() == 1:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return list(living(os.getpid()))


def living(root: int, but: Set[int] = frozenset()) -> Iterator[int]:
    """The processes below `root` that have not ended, without those of `but` and what is below them.

    None where the system does not list them.
    """
    below = [root]
    while below:
        for process in set(children(below.pop())) - but:
            below.append(process)
            with contextlib.suppress(OSError), open(f"/proc/{process}/stat", "rb") as file:
                if file.read().rpartition(b")")[2].split()[0] != b"Z":
                    yield process


def children(process: int) -> list[int]:
    """The child processes of all threads of a process."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


def reap(image: int) -> None:
    """Collects the ended children other than the image."""
    for process in children(os.getpid()):
        if process != image:
            with contextlib.suppress(OSError):
                os.waitpid(process, os.WNOHANG)


def wipe(folder: str) -> None:
    """Empties a folder, following no links."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                os.chmod(entry.path, 0o700)
                wipe(entry.path)
                os.rmdir(entry.path)
            else:
                os.unlink(entry.path)
