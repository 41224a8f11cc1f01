"""The program that runs inside: it imports an entry's packages once and forks a fresh image for every case.

With the files named in `PARTS` beside it, it stands alone. A launcher starts it as `python worker.py TASK`,
where TASK is a JSON object with the keys that `launchers.py` writes. Three kinds of process run this file:

- the **supervisor**, started first, never runs a line of the entry. It passes messages on, makes a room for
  each case (`room.py`) and ends it with all that is in it. When the host goes away, it ends everything.
- the **image** never runs a line of the entry either. It sets the limits, imports the packages that the track
  and the entry name (`loading.py`), and forks a process into a room for every case there may be. From then
  on it only tells how those ended.
- the **case** waits until it is told to begin. It moves into its room, gives up what it may do (`filter.py`),
  imports `method.py`, and serves the calls of one case over pipes of its own (`calls.py`). One of them only
  tries the import, first of all. They were made before a line of the entry ran, and are taken in an order of
  chance (`supplies.py`), so what a case is made of knows nothing of another.

Where the launcher protects nothing there are no rooms: the supervisor ends the processes below it one by one
and empties the scratch folders (`sweep.py`).

A message to the host is a kind of one byte, a length (u16) and that many bytes. `U`: the supervisor is up.
`R`: the entry can be imported. `F`: it cannot; a status byte and a reason. `N`: no room could be made; the
reason. `X`: the case's process ended; its wait status (i32). `D`: the image, or the trial of its import,
ended; its wait status, or what `watch.py` says where too much ran or was held. `K`, with the host's ends of
the next case's line: nothing of the last case is left. The line is made in the room, where the number that
the system gives to each of its pipes tells nothing of other cases.
A message from the host is one byte. `C`: start a case. `E`: end what is left of it. When none is left that a
case could be, the supervisor ends, and the host starts another.
The image tells the supervisor `I`: packages are imported; `A`: a process was forked, with its number; `X`:
one ended, with its number and its wait status. It is told `P`, with the descriptors of a room: fork into it;
`Q`: that was all. A process that waits is told `L`, try the import, or `C`, be a case.
"""

import contextlib
import ctypes
import fcntl
import gc
import importlib.util
import json
import os
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

PARTS = ("calls", "filter", "loading", "room", "supplies", "sweep", "watch")
"""The files beside this one, each a module of that name."""
parts: dict[str, Any] = {}
"""Those modules, once `load_part` has made them."""
ENDS, MOST_DESCRIPTORS = 3, 7
"""How many descriptors a case's line has, and come with a room: those, its namespaces, and its own line."""
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
    for name in ("room", "supplies", "sweep", "watch"):
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
        parts["supplies"].allow_descriptors()
        supervise(host, ours, parts["supplies"].Places(image), task)
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
        parts["sweep"].clean(0, set(), scratch)
    for folder in scratch:
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def supervise(host: socket.socket, line: socket.socket, places: Any, task: Task) -> None:
    """Passes messages on between the host and the image until either is gone, or a case takes too much."""
    poller = select.poll()
    poller.register(host, select.POLLIN)
    poller.register(line, select.POLLIN)
    look = 0.0
    while True:
        ready = {number for number, _ in poller.poll(WATCH_MILLISECONDS)}
        if time.monotonic() >= look:
            ours = {os.getpid(), places.image, *places.ours()}
            if excess := parts["watch"].excess(parts["sweep"].there(), ours, task):
                tell(host, b"D", struct.pack("<i", excess))
                return
            look = time.monotonic() + WATCH_MILLISECONDS / 1000
        if line.fileno() in ready and not hear(host, line, places, task):
            tell(host, b"D", struct.pack("<i", os.waitpid(places.image, 0)[1]))
            return
        if host.fileno() in ready and not obey(host, places, task):
            return


def hear(host: socket.socket, line: socket.socket, places: Any, task: Task) -> bool:
    """Does what a message of the image asks for; whether the image is there."""
    if (message := received(line)) is None:
        return False
    kind, payload = message
    if kind == b"I":
        make_places(line, places, task)
        places.draw()
        places.begin(b"L")
    elif kind == b"X":
        number, status = struct.unpack("<ii", payload)
        if places.at_work is not None and number == places.at_work.number:
            tell_end(host, places.at_work, status)
    else:
        tell(host, kind, payload)
    return True


def received(line: socket.socket) -> tuple[bytes, bytes] | None:
    """The next message of the image: its kind, and what it carries; None when it is gone."""
    if len(head := line.recv(MESSAGE.size, socket.MSG_WAITALL)) < MESSAGE.size:
        return None
    kind, length = MESSAGE.unpack(head)
    return kind, line.recv(length, socket.MSG_WAITALL) if length else b""


def make_places(line: socket.socket, places: Any, task: Task) -> None:
    """Has a process wait in a room for every case there may be, and for the trial of the import.

    While the image forks into a room, the next one is made.
    """
    room = parts["room"]
    facts = room.read_facts() if task["rooms"] else {}
    for number in range(1 + task["cases"]):
        made = room.make(task["scratch"], task["scratch_bytes"], facts) if task["rooms"] else room.bare()
        if number:
            places.add(forked(line))
        places.make(line, made)
    places.add(forked(line))
    line.sendall(b"Q")


def forked(line: socket.socket) -> int:
    """The number of the process that the image has just forked. Raises OSError when it did not."""
    kind, payload = received(line) or (b"", b"")
    if kind != b"A":
        raise OSError("a process could not be forked")
    number: int = struct.unpack("<i", payload)[0]
    return number


def tell_end(host: socket.socket, place: Any, status: int) -> None:
    """Tells how a case ended, or the trial of the import, whose line is still open."""
    if place.line.fileno() < 0:
        tell(host, b"X", struct.pack("<i", status))
        return
    # What it said first was said before the entry's code ran, and only that is believed.
    said = parts["supplies"].heard(place.line)
    place.line.close()
    if said[:1] != b"S":
        tell(host, b"N", said[:REASON_BYTES] or b"the first case ended while it was set up")
    elif said[1:2] in (b"R", b"F"):
        tell(host, said[1:2], said[2 : 3 + REASON_BYTES])
    else:
        tell(host, b"D", struct.pack("<i", status))


def obey(host: socket.socket, places: Any, task: Task) -> bool:
    """Does what the host asks for; whether it is still there, and can be served."""
    command = host.recv(1)
    if command == b"C":
        return bool(places.begin(command))
    if command != b"E":
        return False
    if places.at_work is not None:
        places.at_work.room.end()
    if not task["rooms"]:
        parts["sweep"].clean(places.image, places.ours(), task["scratch"])
    ends: list[int] = []
    if following := places.draw():
        following.room.widen()
        ends += following.room.outside
    socket.send_fds(host, [MESSAGE.pack(b"K", 0)], ends)
    parts["room"].close(ends)
    return True


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
    load_part("loading")
    parts["loading"].set_limits(task["limits"])
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
    task["randomness"] = sys.modules["random"].getstate()
    tell(line, b"I")
    fork_places(line, task)
    tell_ends(line)


def unloadable(error: BaseException, task: Task) -> bytes:
    """The status and the reason of an error that an import raised."""
    loading, calls = parts["loading"], parts["calls"]
    if isinstance(error, (loading.Unfit, loading.Shared)):
        status, reason = calls.CRASHED, calls.clipped(str(error), "")
    else:
        status, reason = calls.describe(error, task["folder"])
    return b"%c%b" % (calls.CRASHED if status == calls.BAD_OUTPUT else status, reason)


def fork_places(line: socket.socket, task: Task) -> None:
    """Forks a process into every room that comes, and tells their numbers."""
    while True:
        command, descriptors, _, _ = socket.recv_fds(line, 1, MOST_DESCRIPTORS)
        if command != b"P":
            return
        *room, own = descriptors
        if namespaces := room[ENDS:]:
            parts["room"].aim(namespaces)
        number = os.fork()
        if number == 0:
            line.close()
            wait_for_case(socket.socket(fileno=own), room[:ENDS], namespaces, task)
        parts["room"].close(descriptors)
        tell(line, b"A", struct.pack("<i", number))


def tell_ends(line: socket.socket) -> NoReturn:
    """Tells how each process that was forked ended, until none is left."""
    with contextlib.suppress(OSError):
        while True:
            tell(line, b"X", struct.pack("<ii", *os.wait()))
    os._exit(0)


# The case.


def wait_for_case(own: socket.socket, ends: list[int], namespaces: list[int], task: Task) -> NoReturn:
    """Waits until it is told to begin: as a case, or as the trial of the import."""
    try:
        prctl(DEATH_SIGNAL, signal.SIGKILL)
        command = own.recv(1)
        if command == b"L":
            parts["room"].close(ends)
            run_trial(own.detach(), namespaces, task)
        own.close()
        if command == b"C":
            run_case(ends, namespaces, task)
    except BaseException:  # noqa: BLE001 - a fork must never run on into the image's work
        traceback.print_exc()
    finally:
        os._exit(1)


def settle(namespaces: list[int], task: Task, *renewed: int) -> None:
    """Makes this fork the entry's own: a session, a room, no privilege. Raises OSError with what failed.

    renewed: the standard descriptors that it opens anew, as those it was born with are every case's.
    """
    os.setsid()
    sys.modules["random"].setstate(task["randomness"])
    if namespaces:
        parts["room"].enter(namespaces, task["scratch"][0], task["libraries"])
    parts["room"].renew(*renewed)
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
    except BaseException:  # noqa: BLE001 - whatever happened, the process ends here
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
