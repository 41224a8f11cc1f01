"""Looks around inside a sandbox, and tells what it sees and may do. Stands alone, as an entry does."""

import ctypes
import errno
import fcntl
import json
import mmap
import os
import resource
import select
import socket
import stat
import struct
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

CAPABILITIES_VERSION, CAPABILITIES = 0x20080522, 41
"""How Linux's capget is asked, and how many capabilities there are."""
FILTERED, BOUNDED, NO_NEW_PRIVILEGES = 21, 23, 39
"""The options of Linux's prctl that tell of the filter, of a capability and of new privileges."""
MOST = 512
"""More processes than a case has at first, and more descriptors."""
NEW_USERS = 0x10000000
"""Linux's flag of a namespace of users."""

STANDARD = (0, 1, 2)
"""The standard descriptors."""
PIPES = (1, 2, 3, 4)
"""The descriptors of the case's output, twice, and of its line."""
LEFT = os.O_APPEND | os.O_NONBLOCK
"""Flags that no descriptor has at first, and that one which cases shared would keep."""
SET_HINT, SET_SIGNAL, SET_SIGNALS, PAGE_OUT = 1036, 10, 0x5452, 21
"""Linux's numbers of what a case may not ask for."""
LIBRARY = ctypes.CDLL(None, use_errno=True)
SPACE = ctypes.create_string_buffer(256)
"""For what the system would tell."""
IntArray = npt.NDArray[np.int64]


def standard() -> list[object]:
    """What each standard descriptor is during the import: its kind, its flags, and whether it can be changed.

    It is marked by flags, so that the next case can tell whether it shares it.
    """
    found: list[object] = []
    for number in STANDARD:
        flags, about = fcntl.fcntl(number, fcntl.F_GETFL), os.fstat(number)
        times = (about.st_atime_ns, about.st_mtime_ns)
        found.append(
            [
                "device" if stat.S_ISCHR(about.st_mode) else "other",
                flags & LEFT,
                outcome(partial(os.fchmod, number, stat.S_IMODE(about.st_mode))),
                outcome(partial(os.utime, number, ns=times)),
            ]
        )
        fcntl.fcntl(number, fcntl.F_SETFL, flags | LEFT)
    return found


def probe(question: IntArray) -> IntArray:
    """int64 (n,): the bytes of what is seen, as JSON; question: int64 (m,), those of what to look for."""
    asked = json.loads(bytes(question.tolist()))
    return np.array(list(json.dumps(seen(asked)).encode()), dtype=np.int64)


def seen(asked: dict[str, list[Any]]) -> dict[str, object]:
    """Each probe's outcome by its name; asked: what to look for and to try."""
    return {
        "sockets": [outcome(partial(socket.socket, family)) for family in asked["families"]],
        "listener": outcome(partial(connected, asked["listener"][0])),
        "paths": [path for path in asked["paths"] if os.path.lexists(path)],
        "home": sorted(os.listdir(asked["home"][0])) if os.path.isdir(asked["home"][0]) else [],
        "processes": [number for number in range(1, MOST) if there(number)],
        "facts": [os.listdir("/proc/self"), sorted(os.listdir("/proc")), os.path.lexists("/sys")],
        "variables": sorted(os.environ),
        "standard": AT_IMPORT,
        "pipes": [stat.S_ISFIFO(os.fstat(number).st_mode) for number in PIPES],
        "requests": [outcome(request) for request in REQUESTS],
        "descriptors": [number for number in range(MOST) if outcome(partial(os.fstat, number)) == "done"],
        "capabilities": capabilities(),
        "new privileges": LIBRARY.prctl(NO_NEW_PRIVILEGES, 0, 0, 0, 0),
        "filter": LIBRARY.prctl(FILTERED, 0, 0, 0, 0),
        "namespaces": LIBRARY.unshare(NEW_USERS),
        "writes": [folder for folder in asked["read_only"] if written(folder) != "refused"],
        "scratch": [written(folder) for folder in asked["scratch"]],
    }


def there(number: int) -> bool:
    """Whether a process of this number can be sent signals, or is there at least."""
    try:
        os.kill(number, 0)
    except OSError as error:
        return error.errno == errno.EPERM
    return True


def capabilities() -> int:
    """How many capabilities this process has, might take, or hands on."""
    head, sets = struct.pack("=Ii", CAPABILITIES_VERSION, 0), ctypes.create_string_buffer(24)
    if LIBRARY.capget(head, sets):
        return -1
    own = sum(part.bit_count() for part in struct.unpack("=6I", sets.raw))
    bounded = [LIBRARY.prctl(BOUNDED, number, 0, 0, 0) == 1 for number in range(CAPABILITIES)]
    held: int = own + sum(bounded)
    return held


def connected(name: str) -> None:
    """Connects to a local socket that has a name but no file; raises OSError where there is none."""
    with socket.socket(socket.AF_UNIX) as own:
        own.connect("\0" + name)


def called(name: str, *arguments: int) -> None:
    """Makes a call of the C library; raises OSError where it fails."""
    if getattr(LIBRARY, name)(*map(ctypes.c_ulong, arguments)) == -1:
        raise OSError(ctypes.get_errno(), name)


REQUESTS: tuple[Callable[[], object], ...] = (
    lambda: fcntl.fcntl(0, SET_HINT, bytes(8)),
    lambda: fcntl.fcntl(0, SET_SIGNAL, 0),
    lambda: fcntl.ioctl(PIPES[0], SET_SIGNALS, bytes(4)),
    lambda: os.posix_fadvise(0, 0, 0, os.POSIX_FADV_NORMAL),
    lambda: called("madvise", 0, 0, PAGE_OUT),
    lambda: called("mincore", 0, 0, 0),
    lambda: os.close(os.memfd_create("probe")),
    lambda: mmap.mmap(-1, mmap.PAGESIZE).close(),
    lambda: resource.getrusage(resource.RUSAGE_SELF),
    lambda: os.wait4(-1, os.WNOHANG),
    lambda: os.statvfs("/"),
    lambda: called("sysinfo", ctypes.addressof(SPACE)),
    lambda: fcntl.flock(0, fcntl.LOCK_SH),
    lambda: fcntl.fcntl(0, fcntl.F_GETLK, bytes(32)),
    lambda: os.close(os.pidfd_open(os.getpid())),
    lambda: os.closerange(*os.pipe()),
    lambda: socket.socketpair()[0].close(),
    lambda: os.close(os.eventfd(0)),
    lambda: select.epoll().close(),
)
"""What the filter refuses: hints, signals of descriptors, what the system holds of files, memory without a
limit, what the system counts, locks, numbers that are given once, pipes, sockets, what waits for events."""


def written(folder: str) -> str:
    """How the attempt to make a file there ends."""
    return outcome(lambda: open(os.path.join(folder, "probe"), "w", encoding="ascii").close())


def outcome(action: Callable[[], object]) -> str:
    """`done`, or `refused` where the system refuses it."""
    try:
        action()
    except OSError:
        return "refused"
    return "done"


AT_IMPORT = standard()
