"""Counts what all processes of a case take together: their threads, and the memory that they hold.

It stands alone beside `worker.py`. The system limits the memory of each process, and the number of threads
only where an ordinary user runs the scorer.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from typing import Any

TOO_MANY, TOO_LARGE = -1, -2
"""What is told instead of a wait status: too many threads ran, or too much memory was held."""
HELD = (b"RssAnon:", b"RssShmem:", b"VmPTE:")
"""The lines of a process's status that tell its own memory, what it shares, and the tables of its pages, in
KiB; no mapped files."""
SHARE = (b"Pss_Anon:", b"Pss_Shmem:")
"""The first two, each page divided among those that hold it, which takes the system longer to find out."""
TABLES = (b"VmPTE:",)
"""The tables alone."""
LOOK_SECONDS = 1.0
"""How long one look may divide pages; from then on, what a process holds counts whole."""


def excess(there: list[int], ours: set[int], task: dict[str, Any]) -> int:
    """What the processes that are there, but for `ours`, take too much of together; or 0."""
    own = [process for process in there if process not in ours]
    if sum(map(threads, own)) > task["threads"]:
        return TOO_MANY
    if sum(map(whole, own)) << 10 <= task["memory"]:
        return 0
    end = time.monotonic() + LOOK_SECONDS
    divided = (share(process) if time.monotonic() < end else whole(process) for process in own)
    return TOO_LARGE if sum(divided) << 10 > task["memory"] else 0


def threads(process: int) -> int:
    """How many threads a process has: each is a folder, which counts as a link to the one above."""
    with contextlib.suppress(OSError):
        return max(1, os.stat(f"/proc/{process}/task").st_nlink - 2)
    return 0


def whole(process: int) -> int:
    """The KiB that a process holds, undivided."""
    return told(process, "status", HELD) or 0


def share(process: int) -> int:
    """The KiB that a process holds, pages of several divided among them; undivided where that is hidden."""
    divided = told(process, "smaps_rollup", SHARE)
    return whole(process) if divided is None else divided + (told(process, "status", TABLES) or 0)


def told(process: int, name: str, names: tuple[bytes, ...]) -> int | None:
    """The sum that a process's file tells; that of another thread where the first one has ended."""
    found = (kibibytes(path, names) for path in _places(process, name))
    return next((held for held in found if held is not None), None)


def _places(process: int, name: str) -> Iterator[str]:
    """The file of the process, then those of its threads: a first thread that has ended holds nothing."""
    yield f"/proc/{process}/{name}"
    with contextlib.suppress(OSError):
        yield from (f"/proc/{process}/task/{thread}/{name}" for thread in os.listdir(f"/proc/{process}/task"))


def kibibytes(path: str, names: tuple[bytes, ...]) -> int | None:
    """The sum of the lines of the given names; None where there are none, as of a process that has ended."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        found = [int(line.split()[1]) for line in file if line.startswith(names)]
        return sum(found) if found else None
    return None
