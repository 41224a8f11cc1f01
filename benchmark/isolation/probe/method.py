"""Looks around inside a sandbox, and tells what it sees and may do. Stands alone, as an entry does."""

import ctypes
import json
import os
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
NEW_USERS = 0x10000000
"""Linux's flag of a namespace of users."""

IntArray = npt.NDArray[np.int64]


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
        "descriptors": len(os.listdir("/proc/self/fd")) - 1,
        "capabilities": sum(int(status[name], 16) for name in CAPABILITIES),
        "new privileges": status["NoNewPrivs"].strip(),
        "filter": status["Seccomp"].strip(),
        "namespaces": ctypes.CDLL(None).unshare(NEW_USERS),
        "supervisor": outcome(lambda: open("/proc/1/mem", "rb").close()),
        "writes": [folder for folder in asked["read_only"] if written(folder) != "refused"],
        "scratch": [written(folder) for folder in asked["scratch"]],
    }


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
