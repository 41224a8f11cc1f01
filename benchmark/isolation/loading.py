"""Limits, and imports: the packages that an entry names, without a line of it; then it, for each case.

It stands alone beside `worker.py`, which imports the packages in a process that all cases are forks of. The
names are read from the entry's text. What the entry brings itself and the packages it pins are left to the
cases.
"""

import ast
import contextlib
import ctypes
import importlib
import importlib.util
import inspect
import os
import re
import resource
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MOST_NAMES = 1000
"""How many modules are imported ahead at most."""
APART = frozenset({"__main__", "antigravity", "conftest", "idlelib", "test", "tests", "turtledemo"})
"""Parts of names that are left to the cases: such a module may be a program, which its import runs."""

SORTED_BYTES = 4096
"""So much that the C library's sort wonders whether it may take memory for it."""

Function = Callable[..., object]
Task = dict[str, Any]


class Unfit(Exception):
    """The module has no function that the track can call; says what was expected, and what came."""


class Shared(Exception):
    """A package's import left something that cases would share; says what was expected, and what came."""


def set_limits(limits: dict[str, int]) -> None:
    """Lowers the resource limits, given by name; outside Linux one that cannot be set stays as it is."""
    for name, value in limits.items():
        try:
            kind = getattr(resource, "RLIMIT_" + name)
            hard = resource.getrlimit(kind)[1]
            lowered = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (lowered, lowered))
        except (AttributeError, ValueError, OSError):
            if sys.platform == "linux":
                raise


def prepare(task: Task) -> None:
    """Imports what the track and the entry's text name, pins torch, and seeds the global generators.

    Raises whatever the import of what the track names may, and Shared. A name of the entry's that cannot be
    imported is left for the entry to meet.
    """
    sys.meta_path.insert(0, TorchWatch())
    held = held_now()
    for name in task["preload"]:
        importlib.import_module(name)
    for name, members in list(named(task["folder"]))[:MOST_NAMES]:
        import_ahead(name, members)
    if left := sorted(held_now() - held):
        raise Shared(f"packages: expected their import to leave no thread, file or process, got {left[0]}")
    pin_torch()
    seed_globals()
    sort_once()


def import_ahead(name: str, members: list[str]) -> None:
    """Imports a module, and those of its members that are modules themselves, as far as that goes."""
    with contextlib.suppress(BaseException):
        module = importlib.import_module(name)
        for member in members:
            if not hasattr(module, member) and hasattr(module, "__path__"):
                with contextlib.suppress(BaseException):
                    importlib.import_module(f"{name}.{member}")


def held_now() -> set[str]:
    """What this process holds that its forks would share: threads, children, descriptors, written memory."""
    found = set()
    with contextlib.suppress(OSError):
        tasks = os.listdir("/proc/self/task")
        found |= {f"a thread, number {number}" for number in range(1, len(tasks))}
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            found |= {f"the process {child}" for child in file.read().split()}
        for number in os.listdir("/proc/self/fd"):
            with contextlib.suppress(OSError):
                found.add(f"the open file {os.readlink(f'/proc/self/fd/{number}')} ({number})")
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
            written = (line.split()[0] for line in file if re.match(r"\S+ .w.s ", line))
            found |= {f"the shared memory {place}" for place in written}
    return {what for what in found if "/proc/" not in what}


def named(folder: str) -> Iterator[tuple[str, list[str]]]:
    """The modules that the entry's files import at once, and the members they take; not the entry's own."""
    own = {name.partition(".")[0] for name in os.listdir(folder)}
    for place, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(name for name in files if name.endswith(".py")):
            for name, members in named_in(os.path.join(place, file)):
                if name.partition(".")[0] not in own and APART.isdisjoint(name.split(".")):
                    yield name, [member for member in members if member not in APART]


def named_in(path: str) -> Iterator[tuple[str, list[str]]]:
    """The same of one file; nothing of one that cannot be read as Python."""
    try:
        with open(path, "rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            waiting: list[ast.AST] = [ast.parse(file.read())]
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module, [alias.name for alias in node.names]
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.expr):
            waiting += ast.iter_child_nodes(node)


def module_from(name: str, path: str) -> ModuleType:
    """The module that the file at `path` makes; raises whatever its code may."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    if name == "method":
        sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def load(task: Task) -> Function:
    """The entry's function, its module imported and its signature checked; raises whatever an import may."""
    sys.path += task["pinned"]
    sys.path.insert(0, task["folder"])
    module = module_from("method", os.path.join(task["folder"], "method.py"))
    function = checked_function(module, task["function"], task["arguments"])
    pin_torch()
    return function


class TorchWatch:
    """A finder that has torch found by the others, and pins it as soon as its import has ended."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where torch is, its loader made to pin it; None for any other module, and where there is none."""
        if name != "torch":
            return None
        others = [finder for finder in sys.meta_path if hasattr(finder, "find_spec") and finder is not self]
        specs = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            with contextlib.suppress(AttributeError):
                spec.loader.exec_module = pinning(spec.loader.exec_module)  # type: ignore[assignment]
        return spec


def pinning(execute: Callable[[ModuleType], None]) -> Callable[[ModuleType], None]:
    """A loader's `exec_module`, followed by the pins."""

    def exec_module(module: ModuleType) -> None:
        execute(module)
        pin_torch()

    return exec_module


def pin_torch() -> None:
    """Holds torch, where it is imported, to one thread and to algorithms that give the same numbers again."""
    torch: Any = sys.modules.get("torch")
    if hasattr(torch, "set_deterministic_debug_mode"):
        torch.set_num_threads(1)
        # What `use_deterministic_algorithms(True)` sets, without its import of torch's compiler: two seconds.
        torch.set_deterministic_debug_mode("error")


def seed_globals() -> None:
    """Gives the global generators of `random` and numpy a fixed state, the same for every entry."""
    import random

    import numpy as np

    random.seed(0)
    np.random.seed(0)


def sort_once() -> None:
    """Has the C library's sort find out how much memory there is: it asks once, and a case may not ask."""
    library = ctypes.CDLL(None)
    library.qsort(ctypes.create_string_buffer(SORTED_BYTES), SORTED_BYTES // 8, 8, library.strcmp)


def checked_function(module: ModuleType, name: str, arguments: list[str]) -> Function:
    """The function `name` of the module; raises Unfit when it cannot be called with the arguments."""
    wanted = f"method.py: expected a function {name}({', '.join(arguments)}), got "
    if not hasattr(module, name):
        raise Unfit(wanted + "none of that name")
    function: Function = getattr(module, name)
    if not callable(function):
        raise Unfit(f"{wanted}{name} of type {type(function).__name__}")
    try:
        signature = inspect.signature(function)
    except ValueError:
        return function
    try:
        signature.bind(**dict.fromkeys(arguments))
    except TypeError as error:
        raise Unfit(f"{wanted}{name}{signature}: {error}") from None
    return function
