"""The program that runs inside: it imports an entry once and forks a fresh image of it for every case.

With `calls.py` beside it, it stands alone. A launcher starts it as `python worker.py TASK`, where TASK is
a JSON object with the keys that `launchers.py` writes. Three kinds of process run this file:

- the **supervisor**, started first, never runs a line of the entry. It passes messages on, ends whatever a
  case left running, and empties the scratch folders. When the host goes away, it ends everything.
- the **image** sets the limits, imports what the track names and `method.py`, and forks for every case.
- the **case**, a fork of the image, serves the calls of one case over a socket of its own (`calls.py`).

A message to the host is a kind of one byte, a length (u16) and that many bytes. `U`: the supervisor is up.
`R`: the entry is loaded. `F`: it is not; a status byte and a reason. `X`: the case's process ended; its
wait status (i32). `D`: the image ended; its wait status, or -1 where too many processes ran. `K`: nothing
of the last case is left.
A message from the host is one byte. `C`, with the case's socket and the pipe for its output: start a case.
`E`: end what is left of it.
"""

import contextlib
import ctypes
import gc
import importlib
import importlib.util
import inspect
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NoReturn

MESSAGE = struct.Struct("<cH")
WATCH_MILLISECONDS = 100
"""How often the processes are counted: where root runs the scorer, the system does not limit them."""
CLEAN_SECONDS = 5.0
"""How long the processes of a case may take to end."""
DEATH_SIGNAL, DUMPABLE, SUBREAPER = 1, 4, 36
"""The options of Linux's prctl."""
LINUX = sys.platform == "linux"

calls: Any = None
"""The module of `calls.py`, once `load_calls` has made it."""
Function = Callable[..., object]
Task = dict[str, Any]


# The supervisor.


def main() -> None:
    """Starts the image and supervises it; returns when the host is gone."""
    task = json.loads(sys.argv[1])
    host = socket.socket(fileno=task["control"])
    host.set_inheritable(False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    prctl(SUBREAPER, 1)
    prctl(DUMPABLE, 0)
    tell(host, b"U")
    ours, theirs = socket.socketpair()
    image = os.fork()
    if image == 0:
        host.close()
        ours.close()
        run_image(theirs, task)
    theirs.close()
    try:
        supervise(host, ours, image, task)
    finally:
        if os.getpid() != 1:
            end_all(image, task["scratch"])
        os._exit(0)


def end_all(image: int, scratch: list[str]) -> None:
    """Ends every process below this one and removes the scratch folders, as far as that goes.

    In a process namespace of its own it is not needed: there all ends with this process.
    """
    with contextlib.suppress(OSError):
        os.killpg(image, signal.SIGKILL)
    with contextlib.suppress(OSError):
        clean(-1, scratch)
    for folder in scratch:
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def supervise(host: socket.socket, line: socket.socket, image: int, task: Task) -> None:
    """Passes messages on between the host and the image until either is gone, or too many processes run."""
    poller = select.poll()
    poller.register(host, select.POLLIN)
    poller.register(line, select.POLLIN)
    while True:
        ready = {number for number, _ in poller.poll(WATCH_MILLISECONDS)}
        if running() > task["processes"]:
            tell(host, b"D", struct.pack("<i", -1))
            return
        if line.fileno() in ready:
            message = line.recv(4096)
            if not message:
                tell(host, b"D", struct.pack("<i", os.waitpid(image, 0)[1]))
                return
            host.sendall(message)
        if host.fileno() in ready:
            command, descriptors, _, _ = socket.recv_fds(host, 1, 2)
            if command == b"C":
                socket.send_fds(line, [command], descriptors)
            elif command == b"E":
                clean(image, task["scratch"])
                tell(host, b"K")
            else:
                return
            for descriptor in descriptors:
                os.close(descriptor)


def clean(image: int, scratch: list[str]) -> None:
    """Ends every process below this one but the image, and empties the scratch folders.

    Raises TimeoutError when processes come back as fast as they are ended.
    """
    deadline = time.monotonic() + CLEAN_SECONDS
    while others := set(living(os.getpid())) - {image}:
        if time.monotonic() > deadline:
            raise TimeoutError
        for process in others:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.0005)
    reap(image)
    for folder in scratch:
        wipe(folder)


def running() -> int:
    """How many processes there are in a process namespace of its own; elsewhere, how many below this one."""
    if os.getpid() == 1:
        return sum(name.isdigit() for name in os.listdir("/proc"))
    return sum(1 for _ in living(os.getpid()))


def living(root: int) -> Iterator[int]:
    """The processes below `root` that have not ended; none where the system does not list them."""
    below = [root]
    while below:
        for process in children(below.pop()):
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


def prctl(option: int, value: int) -> None:
    """Sets an attribute of this process on Linux; elsewhere nothing."""
    if LINUX:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def tell(line: socket.socket, kind: bytes, payload: bytes = b"") -> None:
    """Sends a message."""
    line.sendall(MESSAGE.pack(kind, len(payload)) + payload)


# The image.


def run_image(line: socket.socket, task: Task) -> NoReturn:
    """Loads the entry and forks for every case; ends with the supervisor.

    Its session is its own: the system then shares the processors between it and the supervisor fairly.
    """
    os.setsid()
    prctl(DUMPABLE, 1)
    prctl(DEATH_SIGNAL, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    set_limits(task["limits"])
    sys.path += task["paths"]
    load_calls()
    try:
        function = load(task)
    except BaseException as error:  # noqa: BLE001 - an entry may raise anything
        traceback.print_exc()
        status, reason = calls.describe(error, task["folder"])
        unfit = status == calls.BAD_OUTPUT
        tell(line, b"F", bytes([calls.CRASHED if unfit else status]) + reason)
        os._exit(1)
    silence()
    gc.collect()
    gc.freeze()
    tell(line, b"R")
    serve_cases(line, function, task)


def set_limits(limits: dict[str, int]) -> None:
    """Lowers the resource limits, given by name; outside Linux one that cannot be set stays as it is."""
    for name, value in limits.items():
        try:
            kind = getattr(resource, "RLIMIT_" + name)
            hard = resource.getrlimit(kind)[1]
            lowered = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (lowered, lowered))
        except (AttributeError, ValueError, OSError):
            if LINUX:
                raise


def load_calls() -> None:
    """Makes the module `calls` from the file beside this one, where no import of an entry finds it."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "calls.py")
    globals()["calls"] = module_from("calls", path)


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
    sys.meta_path.insert(0, TorchWatch())
    for name in task["preload"]:
        importlib.import_module(name)
    pin_torch()
    seed_globals()
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


def checked_function(module: ModuleType, name: str, arguments: list[str]) -> Function:
    """The function `name` of the module; raises Unusable when it cannot be called with the arguments."""
    wanted = f"method.py: expected a function {name}({', '.join(arguments)}), got "
    if not hasattr(module, name):
        raise calls.Unusable(wanted + "none of that name")
    function: Function = getattr(module, name)
    if not callable(function):
        raise calls.Unusable(f"{wanted}{name} of type {calls.named(function)}")
    try:
        signature = inspect.signature(function)
    except ValueError:
        return function
    try:
        signature.bind(**dict.fromkeys(arguments))
    except TypeError as error:
        raise calls.Unusable(f"{wanted}{name}{signature}: {error}") from None
    return function


def silence() -> None:
    """Sends what the image itself prints from now on to nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def serve_cases(line: socket.socket, function: Function, task: Task) -> NoReturn:
    """Forks for each case the host asks for, and tells how it ended."""
    randomness = sys.modules["random"].getstate()
    while True:
        command, descriptors, _, _ = socket.recv_fds(line, 1, 2)
        if not command:
            os._exit(0)
        process = os.fork()
        if process == 0:
            line.close()
            sys.modules["random"].setstate(randomness)
            run_case(descriptors, function, task)
        for descriptor in descriptors:
            os.close(descriptor)
        tell(line, b"X", struct.pack("<i", os.waitpid(process, 0)[1]))


# The case.


def run_case(descriptors: list[int], function: Function, task: Task) -> NoReturn:
    """Serves the calls of one case until the host closes its end."""
    code = 1
    try:
        prctl(DEATH_SIGNAL, signal.SIGKILL)
        line = socket.socket(fileno=descriptors[0])
        os.dup2(descriptors[1], 1)
        os.dup2(descriptors[1], 2)
        os.close(descriptors[1])
        line.sendall(b"H")
        calls.Served(function, task["signature"], task["folder"]).serve(line)
        code = 0
    except BaseException:  # noqa: BLE001 - the fork must never run on into the image's loop
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
