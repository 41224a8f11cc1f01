"""The program that runs inside: it imports an entry's packages once and forks a fresh image for every case.

With the files named in `PARTS` beside it, it stands alone. A launcher starts it as `python worker.py TASK`,
where TASK is a JSON object with the keys that `launchers.py` writes. Three kinds of process run this file:

- the **supervisor**, started first, never runs a line of the entry. It passes messages on, makes a room for
  each case (`room.py`) and ends it with all that is in it. When the host goes away, it ends everything.
- the **image** never runs a line of the entry either. It sets the limits, imports the packages that the track
  and the entry name (`loading.py`), and forks for every case.
- the **case**, a fork of the image, moves into its room, gives up what it might do (`filter.py`), imports
  `method.py`, and serves the calls of one case over pipes of its own (`calls.py`). The first such fork
  only tries the import, before any case.

Where the launcher protects nothing there are no rooms: the supervisor ends the processes below it one by one
and empties the scratch folders (`sweep.py`).

A message to the host is a kind of one byte, a length (u16) and that many bytes. `U`: the supervisor is up.
`R`: the entry can be imported. `F`: it cannot; a status byte and a reason. `N`: no room could be made; the
reason. `X`: the case's process ended; its wait status (i32). `D`: the image, or the trial of its import,
ended; its wait status, or what `watch.py` says where too much ran or was held. `K`, with the host's ends of
the next case's line: nothing of the last case is left. The line is made in the room, where the number that
the system gives to each of its pipes tells nothing of other cases.
A message from the host is one byte. `C`: start a case. `E`: end what is left of it. The supervisor passes
`C` on to the image with the case's ends of its line and the room's namespaces; before any, `L` with the same
of a room of its own: try the import.
"""

import contextlib
import ctypes
import fcntl
import gc
import importlib.util
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
from typing import Any, NoReturn

MESSAGE = struct.Struct("<cH")
WATCH_MILLISECONDS = 100
"""How often the threads and their memory are counted: the system limits neither for all of them together."""
DEATH_SIGNAL, DUMPABLE, SUBREAPER = 1, 4, 36
"""The options of Linux's prctl."""
LINUX = sys.platform == "linux"
LIBRARY = ctypes.CDLL(None)

PARTS = ("calls", "filter", "loading", "room", "sweep", "watch")
"""The files beside this one, each a module of that name."""
parts: dict[str, Any] = {}
"""Those modules, once `load_part` has made them."""
ENDS, MOST_DESCRIPTORS = 3, 6
"""How many descriptors come with a command: those of a case's line, and with a room's namespaces."""
ASIDE = 32
"""From where on the image has its own."""
REASON_BYTES = 2048
"""The longest reason that is told."""

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
    for name in ("room", "sweep", "watch"):
        load_part(name)
    tell(host, b"U")
    ours, theirs = socket.socketpair()
    image = os.fork()
    if image == 0:
        host.close()
        ours.close()
        run_image(aside(theirs), task)
    theirs.close()
    try:
        supervise(host, ours, Rooms(image, task))
    except OSError as error:
        with contextlib.suppress(OSError):
            tell(host, b"N", str(error).encode()[:REASON_BYTES])
    finally:
        if os.getpid() != 1:
            end_all(image, task["scratch"])
        os._exit(0)


def aside(line: socket.socket) -> socket.socket:
    """The same line under a number above those of a case, which are then the same in every case."""
    with line:
        return socket.socket(fileno=fcntl.fcntl(line, fcntl.F_DUPFD_CLOEXEC, ASIDE))


def end_all(image: int, scratch: list[str]) -> None:
    """Ends every process below this one and removes the scratch folders, as far as that goes.

    In a process namespace of its own it is not needed: there all ends with this process.
    """
    with contextlib.suppress(OSError):
        os.killpg(image, signal.SIGKILL)
    with contextlib.suppress(OSError):
        parts["sweep"].clean(-1, scratch)
    for folder in scratch:
        with contextlib.suppress(OSError):
            os.rmdir(folder)


class Rooms:
    """The room of the case that runs, and the next; where there are none, the processes they would hold."""

    def __init__(self, image: int, task: Task) -> None:
        self.image = image
        self.task = task
        self._facts = parts["room"].read_facts() if task["rooms"] else {}
        self._room: Any = None
        self._next: Any = None

    def outside(self) -> list[int]:
        """The host's ends of the next case's line."""
        self.prepare()
        return list(self._next.outside)

    def begin(self, line: socket.socket, command: bytes) -> None:
        """Hands a command to the image, with the case's ends and the namespaces of a room that is new."""
        self.prepare()
        room, self._next = self._next, None
        self._room = room
        socket.send_fds(line, [command], [*room.inside, *room.namespaces])
        parts["room"].close((*room.inside, *room.outside))

    def prepare(self) -> None:
        """Makes the next room, unless it is ready. Raises OSError with what failed."""
        if self._next is None:
            task, room = self.task, parts["room"]
            made = (task["scratch"], task["scratch_bytes"], self._facts)
            self._next = room.make(*made) if task["rooms"] else room.bare()

    def clear(self) -> None:
        """Ends the last case with all it left. Raises TimeoutError when that cannot be had without a room."""
        room, self._room = self._room, None
        if not self.task["rooms"]:
            parts["sweep"].clean(self.image, self.task["scratch"])
        elif room is not None:
            room.end()


def supervise(host: socket.socket, line: socket.socket, rooms: Rooms) -> None:
    """Passes messages on between the host and the image until either is gone, or a case takes too much."""
    rooms.begin(line, b"L")
    poller = select.poll()
    poller.register(host, select.POLLIN)
    poller.register(line, select.POLLIN)
    look = 0.0
    while True:
        ready = {number for number, _ in poller.poll(WATCH_MILLISECONDS)}
        if time.monotonic() >= look:
            if excess := parts["watch"].excess(parts["sweep"].there(), rooms.image, rooms.task):
                tell(host, b"D", struct.pack("<i", excess))
                return
            look = time.monotonic() + WATCH_MILLISECONDS / 1000
        if line.fileno() in ready:
            message = line.recv(4096)
            if not message:
                tell(host, b"D", struct.pack("<i", os.waitpid(rooms.image, 0)[1]))
                return
            host.sendall(message)
        if host.fileno() in ready and not obey(host, line, rooms):
            return


def obey(host: socket.socket, line: socket.socket, rooms: Rooms) -> bool:
    """Does what the host asks for; whether it is still there."""
    command = host.recv(1)
    if command == b"C":
        rooms.begin(line, command)
        rooms.prepare()
    elif command == b"E":
        rooms.clear()
        socket.send_fds(host, [MESSAGE.pack(b"K", 0)], rooms.outside())
    return command in (b"C", b"E")


def prctl(option: int, value: int) -> None:
    """Sets an attribute of this process on Linux; elsewhere nothing."""
    if LINUX:
        LIBRARY.prctl(option, value, 0, 0, 0)


def tell(line: socket.socket, kind: bytes, payload: bytes = b"") -> None:
    """Sends a message."""
    line.sendall(MESSAGE.pack(kind, len(payload)) + payload)


def load_part(name: str) -> None:
    """Makes the module of a file beside this one, where no import of an entry finds it."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    parts[name] = importlib.util.module_from_spec(spec)
    sys.modules[f"worker_{name}"] = parts[name]
    spec.loader.exec_module(parts[name])


# The image.


def run_image(line: socket.socket, task: Task) -> NoReturn:
    """Imports the packages and forks for every case; ends with the supervisor.

    Its session is its own: the system then shares the processors between it and the supervisor fairly.
    """
    os.setsid()
    prctl(DEATH_SIGNAL, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    set_limits(task["limits"])
    sys.path += task["paths"]
    for name in PARTS:
        load_part(name)
    try:
        parts["loading"].prepare(task)
    except BaseException as error:  # noqa: BLE001 - a package may raise anything
        traceback.print_exc()
        tell(line, b"F", unloadable(error, task))
        os._exit(1)
    gc.collect()
    gc.freeze()
    if task["rooms"]:
        task["libraries"] = parts["room"].read_libraries()
    serve_cases(line, task)


def unloadable(error: BaseException, task: Task) -> bytes:
    """The status and the reason of an error that an import raised."""
    loading, calls = parts["loading"], parts["calls"]
    if isinstance(error, (loading.Unfit, loading.Shared)):
        status, reason = calls.CRASHED, calls.clipped(str(error), "")
    else:
        status, reason = calls.describe(error, task["folder"])
    return b"%c%b" % (calls.CRASHED if status == calls.BAD_OUTPUT else status, reason)


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


def renew(*numbers: int) -> None:
    """Opens the null device anew in place of standard descriptors: to read nothing, or print to nowhere."""
    for number in numbers:
        nowhere = os.open(os.devnull, os.O_WRONLY if number else os.O_RDONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)


def serve_cases(line: socket.socket, task: Task) -> NoReturn:
    """Tries the import, then forks for each case the host asks for, and tells how it ended."""
    randomness = sys.modules["random"].getstate()
    while True:
        command, descriptors, _, _ = socket.recv_fds(line, 1, MOST_DESCRIPTORS)
        if not command:
            os._exit(0)
        trial, said = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        ends, namespaces = descriptors[:ENDS], descriptors[ENDS:]
        if namespaces:
            parts["room"].aim(namespaces)
        process = os.fork()
        if process == 0:
            line.close()
            trial.close()
            sys.modules["random"].setstate(randomness)
            if command == b"L":
                parts["room"].close(ends)
                run_trial(said.fileno(), namespaces, task)
            said.close()
            run_case(ends, namespaces, task)
        said.close()
        parts["room"].close(descriptors)
        status = os.waitpid(process, 0)[1]
        if command == b"L":
            tell_trial(line, trial, status)
        else:
            tell(line, b"X", struct.pack("<i", status))
        trial.close()


def tell_trial(line: socket.socket, trial: socket.socket, status: int) -> None:
    """Tells how the trial of the import went, which ended with `status`; ends the image unless it went well.

    What it said first was said before the entry's code ran, and only that is believed.
    """
    said = [heard(trial), heard(trial)]
    if said[0] != b"S":
        tell(line, b"N", said[0][:REASON_BYTES] or b"the first case ended while it was set up")
    elif said[1][:1] == b"R":
        renew(1, 2)
        tell(line, b"R")
        return
    elif said[1][:1] == b"F":
        tell(line, b"F", said[1][1 : 2 + REASON_BYTES])
    else:
        tell(line, b"D", struct.pack("<i", status))
    os._exit(1)


def heard(trial: socket.socket) -> bytes:
    """The next that was said; nothing when that was all."""
    trial.setblocking(False)
    try:
        said: bytes = trial.recv(2 * REASON_BYTES)
    except OSError:
        return b""
    return said


# The case.


def settle(namespaces: list[int], task: Task, *renewed: int) -> None:
    """Makes this fork the entry's own: a session, a room, no privilege. Raises OSError with what failed.

    renewed: the standard descriptors that it opens anew, as those it was born with are every case's.
    """
    os.setsid()
    if namespaces:
        parts["room"].enter(namespaces, task["scratch"][0], task["libraries"])
    renew(*renewed)
    if namespaces:
        parts["filter"].install()
    prctl(DEATH_SIGNAL, signal.SIGKILL)
    prctl(DUMPABLE, 1)


def run_trial(said: int, namespaces: list[int], task: Task) -> NoReturn:
    """Tries the import of the entry, and says how that went."""
    try:
        settle(namespaces, task, 0)
    except OSError as error:
        os.write(said, str(error).encode()[:REASON_BYTES])
        os._exit(1)
    os.write(said, b"S")
    try:
        parts["loading"].load(task)
        answer = b"R"
    except BaseException as error:  # noqa: BLE001 - an entry may raise anything
        traceback.print_exc()
        answer = b"F" + unloadable(error, task)
    os.write(said, answer)
    os._exit(0)


def run_case(ends: list[int], namespaces: list[int], task: Task) -> NoReturn:
    """Imports the entry and serves the calls of one case until the host closes its end."""
    code = 1
    try:
        settle(namespaces, task, 0, 1, 2)
        calls, answers, printed = ends
        line = parts["calls"].Line(calls, answers)
        line.send(b"H")
        served = parts["calls"].Served(task["signature"], task["folder"])
        served.load(lambda: parts["loading"].load(task))
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        os.close(printed)
        served.serve(line)
        code = 0
    except BaseException:  # noqa: BLE001 - the fork must never run on into the image's loop
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
