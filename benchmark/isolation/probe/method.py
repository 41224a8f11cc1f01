"""Looks around inside a sandbox, and tells what it sees and may do. Stands alone, as an entry does."""

import ctypes
import errno
import fcntl
import json
import mmap
import os
import socket
import stat
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
NEW_USERS = 0x10000000
"""Linux's flag of a namespace of users."""

STANDARD = (0, 1, 2)
"""The standard descriptors."""
LINE = 3
"""The descriptor of the case's line."""
LEFT = os.O_APPEND | os.O_NONBLOCK
"""Flags that no descriptor has at first, and that one which cases shared would keep."""
SET_HINT, SET_SIGNAL, INTERFACES, PAGE_OUT = 1036, 10, 0x8912, 21
"""Linux's numbers of what a case may not ask for."""
NAME = "\0probe"
"""The name of a local socket without a file."""

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
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        status = dict(line.rstrip("\n").split(":", 1) for line in file)
    with open("/proc/net/dev", encoding="ascii") as file:
        interfaces = [line.split(":")[0].strip() for line in file if ":" in line]
    return {
        "sockets": [outcome(partial(socket.socket, family)) for family in asked["families"]],
        "interfaces": interfaces,
        "paths": [path for path in asked["paths"] if os.path.lexists(path)],
        "home": sorted(os.listdir(asked["home"][0])) if os.path.isdir(asked["home"][0]) else [],
        "processes": sorted(name for name in os.listdir("/proc") if name.isdigit()),
        "variables": sorted(os.environ),
        "standard": AT_IMPORT,
        "printing": [stat.S_ISFIFO(os.fstat(number).st_mode) for number in STANDARD[1:]],
        "line": line(),
        "requests": [outcome(request) for request in REQUESTS],
        "descriptors": len(os.listdir("/proc/self/fd")) - 1,
        "capabilities": sum(int(status[name], 16) for name in CAPABILITIES),
        "new privileges": status["NoNewPrivs"].strip(),
        "filter": status["Seccomp"].strip(),
        "namespaces": ctypes.CDLL(None).unshare(NEW_USERS),
        "supervisor": outcome(lambda: open("/proc/1/mem", "rb").close()),
        "writes": [folder for folder in asked["read_only"] if written(folder) != "refused"],
        "scratch": [written(folder) for folder in asked["scratch"]],
    }


def line() -> str:
    """Whether the case's line belongs to the network inside: a name that is taken there it cannot have."""
    with socket.socket(socket.AF_UNIX) as own, socket.socket(fileno=os.dup(LINE)) as given:
        own.bind(NAME)
        try:
            given.bind(NAME)
        except OSError as error:
            return "inside" if error.errno == errno.EADDRINUSE else str(error)
    return "outside"


def called(name: str, *arguments: int) -> None:
    """Makes a call of the C library; raises OSError where it fails."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*map(ctypes.c_ulong, arguments)) == -1:
        raise OSError(ctypes.get_errno(), name)


REQUESTS: tuple[Callable[[], object], ...] = (
    lambda: fcntl.fcntl(0, SET_HINT, bytes(8)),
    lambda: fcntl.fcntl(0, SET_SIGNAL, 0),
    lambda: fcntl.ioctl(LINE, INTERFACES, bytes(16)),
    lambda: os.posix_fadvise(0, 0, 0, os.POSIX_FADV_NORMAL),
    lambda: called("madvise", 0, 0, PAGE_OUT),
    lambda: called("mincore", 0, 0, 0),
    lambda: os.close(os.memfd_create("probe")),
    lambda: mmap.mmap(-1, mmap.PAGESIZE).close(),
)
"""What the filter refuses: hints, signals of descriptors, interfaces, what the system holds of files, and
memory without a limit."""


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
