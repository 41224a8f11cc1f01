"""Trying a sandbox from inside before it holds an entry, once for each launcher and process."""

import json
import secrets
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmark.errors import IsolationError
from benchmark.isolation import filter as system_calls
from benchmark.isolation.bubblewrap import ALLOW, interpreter_folder
from benchmark.isolation.channel import Gone
from benchmark.isolation.launched import Launched, Task
from benchmark.isolation.protocol import Malformed
from benchmark.isolation.room import FACTS
from benchmark.isolation.tree import Tree
from benchmark.records import Call, CallFailed, Field

ROOT = Path(__file__).resolve().parents[2]
"""The repository."""
FOLDER = Path(__file__).resolve().parent / "probe"
SECONDS = 60.0
"""How long the look around may take."""
MEMORY_MIB = 1024
MOST_BYTES = 1 << 16
READ_ONLY = ("/", "/entry", "/worker", "/packages/0", "/dev", "/proc", "/proc/self", "/usr/lib")
"""Where nothing may be written, the interpreter's folder besides."""
FAMILIES = (1, 2, 10, 16)
"""Sockets by family: local ones, IPv4, IPv6, and netlink, which asks the system."""
REQUESTS = 19
"""How many requests of the probe's list the filter refuses."""
NULL = ["device", 0, "refused", "refused"]
"""A standard descriptor that no other case shares, and that changes nothing of the machine's."""
FILTERED = ("sockets", "namespaces", "requests")
"""The probes that only the filter of system calls makes fail."""
CASES = 2
"""The probe asks in the second."""
NEXT_STEP = f"{ALLOW}; score nothing in a sandbox that fails a probe"

_passed: set[str] = set()
_lock = threading.Lock()


def require(name: str, start: Callable[[Task], Launched], variables: frozenset[str]) -> None:
    """Returns once the sandbox of the launcher `name` has passed every probe in this process.

    start: starts a worker in it. variables: those that the launcher sets. Raises IsolationError with every
    probe that fails.
    """
    with _lock:
        if name not in _passed:
            if faults := list(_faults(_seen(start), _expected(variables))):
                raise IsolationError(*(f"isolation {name}: probe {fault}; {NEXT_STEP}" for fault in faults))
            _passed.add(name)


def _seen(start: Callable[[Task], Launched]) -> Mapping[str, object]:
    """What the probe saw inside, by probe."""
    task = Task(FOLDER, "probe", "probe", ("question",), MEMORY_MIB, CASES)
    name = f"probe-{secrets.token_hex(16)}"
    question = {
        "paths": [str(ROOT), str(ROOT / "results"), str(FOLDER)],
        "home": [str(Path.home())],
        "read_only": [*READ_ONLY, str(interpreter_folder())],
        "scratch": ["/tmp", "/dev/shm"],
        "families": FAMILIES,
        "listener": [name],
    }
    call = Call(
        "probe",
        {"question": np.array(list(json.dumps(question).encode()), np.int64)},
        (Field("seen", "int64", (None,), most=MOST_BYTES),),
        bare="seen",
    )
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{name}")
        listener.listen()
        return _answered(Tree(start(task)), call)


def _answered(tree: Tree, call: Call) -> Mapping[str, object]:
    """What the probe answers in its second case; ends the worker."""
    try:
        tree.load(SECONDS)
        # What the first case left, the second sees.
        _answer(tree, call)
        seen: dict[str, object] = json.loads(bytes(_answer(tree, call).tolist()))
    except (CallFailed, Gone, Malformed, TimeoutError, ValueError) as error:
        got = error.reason if isinstance(error, CallFailed) else type(error).__name__
        raise IsolationError(f"isolation: expected the probe to answer, got: {got}; {NEXT_STEP}") from None
    finally:
        tree.end()
    return seen


def _answer(tree: Tree, call: Call) -> npt.NDArray[Any]:
    """int64 (n,): what the probe answers, in a case as any other."""
    case = tree.begin(SECONDS)
    try:
        return case.call(call)["seen"]
    finally:
        tree.finish(case)


def _expected(variables: frozenset[str]) -> dict[str, Any]:
    """What each probe must come to."""
    unfiltered = system_calls.fault() is not None
    below = interpreter_folder().parts[len(Path.home().parts) :]
    inside = interpreter_folder().is_relative_to(Path.home())
    expected = {
        "sockets": ["refused"] * len(FAMILIES),
        "listener": "refused",
        "paths": [],
        "home": list(below[:1]) if inside else [],
        "processes": [1, 2],
        "facts": [["maps"], sorted([*FACTS, "self"]), False],
        "variables": sorted(variables | {"PWD"}),
        "standard": [NULL] * 3,
        "pipes": [True] * 4,
        "requests": ["refused"] * REQUESTS,
        "descriptors": [0, 1, 2, 3, 4],
        "capabilities": 0,
        "new privileges": 1,
        "filter": 0 if unfiltered else 2,
        "namespaces": -1,
        "writes": [],
        "scratch": ["done", "done"],
    }
    return {name: value for name, value in expected.items() if not (unfiltered and name in FILTERED)}


def _faults(seen: Mapping[str, object], expected: Mapping[str, object]) -> Iterator[str]:
    """Each probe that fails: its name, what was expected, and what came."""
    for name, wanted in expected.items():
        if seen.get(name) != wanted:
            yield f"{name}: expected {wanted}, got {seen.get(name)}"
