"""The program that runs inside: it imports an entry's packages once and forks a fresh image for every case.

With the files named in `PARTS` beside it, it stands alone. A launcher starts it as `python worker.py TASK`,
where TASK is a JSON object with the keys that `launchers.py` writes. Four kinds of process run this file:

- the **supervisor**, started first, never runs a line of the entry. It passes messages on, makes a room for
  each case (`room.py`) and ends it with all that is in it. When the host goes away, it ends everything.
- the **image** never runs a line of the entry either. It sets the limits, imports the packages that the track
  and the entry name (`loading.py`), and forks a keeper for every case there may be, before the first of them.
- a **keeper** waits for its case, forks it, waits for its end, tells it, and ends. All were made before a
  line of the entry ran, and a case gets any of them, so a case is made of nothing that knows of another.
- the **case** moves into its room, gives up what it might do (`filter.py`), imports `method.py`, and serves
  the calls of one case over pipes of its own (`calls.py`). The first of all only tries the import.

Where the launcher protects nothing there are no rooms: the supervisor ends the processes below it one by one
and empties the scratch folders (`sweep.py`).

A message to the host is a kind of one byte, a length (u16) and that many bytes. `U`: the supervisor is up.
`R`: the entry can be imported. `F`: it cannot; a status byte and a reason. `N`: no room could be made; the
reason. `X`: the case's process ended; its wait status (i32). `D`: the image, or the trial of its import,
ended; its wait status, or what `watch.py` says where too much ran or was held. `K`, with the host's ends of
the next case's line: nothing of the last case is left. The line is made in the room, where the number that
the system gives to each of its pipes tells nothing of other cases.
A message from the host is one byte. `C`: start a case. `E`: end what is left of it. The supervisor hands `C`
to a keeper with the case's ends of its line and the room's namespaces; before any, `L` with the same of
another room: try the import. The image tells it of each keeper: `I`, with a line to it; its number. `A`: all
are made. When none is left for a case, the supervisor ends, and the host starts another.
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
        supervise(host, ours, parts["supplies"].Keepers(image), parts["supplies"].Rooms(task, parts["room"]))
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
        parts["sweep"].clean(0, 0, scratch)
    for folder in scratch:
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def supervise(host: socket.socket, line: socket.socket, keepers: Any, rooms: Any) -> None:
    """Passes messages on between the host and the image until either is gone, or a case takes too much."""
    poller = select.poll()
    poller.register(host, select.POLLIN)
    poller.register(line, select.POLLIN)
    look = 0.0
    while True:
        ready = {number for number, _ in poller.poll(WATCH_MILLISECONDS)}
        if time.monotonic() >= look:
            ours = {os.getpid(), keepers.image, *parts["sweep"].children(keepers.image)}
            if excess := parts["watch"].excess(parts["sweep"].there(), ours, rooms.task):
                tell(host, b"D", struct.pack("<i", excess))
                return
            look = time.monotonic() + WATCH_MILLISECONDS / 1000
        if line.fileno() in ready and not hear(host, line, keepers, rooms):
            tell(host, b"D", struct.pack("<i", os.waitpid(keepers.image, 0)[1]))
            return
        if host.fileno() in ready and not obey(host, keepers, rooms):
            return


def hear(host: socket.socket, line: socket.socket, keepers: Any, rooms: Any) -> bool:
    """Does what a message of the image or of a keeper says, or passes it on; whether the image is there."""
    head, descriptors, _, _ = socket.recv_fds(line, MESSAGE.size, 1)
    if len(head) < MESSAGE.size:
        return False
    kind, length = MESSAGE.unpack(head)
    payload = line.recv(length, socket.MSG_WAITALL) if length else b""
    if kind == b"I":
        keepers.add(*struct.unpack("<i", payload), *descriptors)
    elif kind == b"A":
        begin(keepers, rooms, b"L")
    else:
        tell(host, kind, payload)
    return True


def begin(keepers: Any, rooms: Any, command: bytes) -> bool:
    """Hands a command to a keeper; whether there was one."""
    line = keepers.take()
    if line is None:
        return False
    with line:
        rooms.begin(line, command)
    return True


def obey(host: socket.socket, keepers: Any, rooms: Any) -> bool:
    """Does what the host asks for; whether it is still there, and can be served."""
    command = host.recv(1)
    if command == b"C":
        if not begin(keepers, rooms, command):
            return False
        rooms.prepared()
    elif command == b"E":
        rooms.end()
        if not rooms.task["rooms"]:
            parts["sweep"].clean(keepers.image, keepers.at_work, rooms.task["scratch"])
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
    make_keepers(line, task)
    while line.recv(1):
        pass
    os._exit(0)


def unloadable(error: BaseException, task: Task) -> bytes:
    """The status and the reason of an error that an import raised."""
    loading, calls = parts["loading"], parts["calls"]
    if isinstance(error, (loading.Unfit, loading.Shared)):
        status, reason = calls.CRASHED, calls.clipped(str(error), "")
    else:
        status, reason = calls.describe(error, task["folder"])
    return b"%c%b" % (calls.CRASHED if status == calls.BAD_OUTPUT else status, reason)


def renew(*numbers: int) -> None:
    """Opens the null device anew in place of standard descriptors: to read nothing, or print to nowhere."""
    for number in numbers:
        nowhere = os.open(os.devnull, os.O_WRONLY if number else os.O_RDONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)


def make_keepers(line: socket.socket, task: Task) -> None:
    """Forks a keeper for each case there may be and for the trial of the import, and tells of them."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    task["randomness"] = sys.modules["random"].getstate()
    for _ in range(1 + task["cases"]):
        ours, theirs = socket.socketpair()
        keeper = os.fork()
        if keeper == 0:
            ours.close()
            keep(line, aside(theirs), task)
        theirs.close()
        with ours:
            socket.send_fds(line, [MESSAGE.pack(b"I", 4) + struct.pack("<i", keeper)], [ours.fileno()])
    tell(line, b"A")


# The keeper.


def keep(line: socket.socket, own: socket.socket, task: Task) -> NoReturn:
    """Waits for a command, does what it asks for, and tells how it ended."""
    code = 1
    try:
        command, descriptors, _, _ = socket.recv_fds(own, 1, MOST_DESCRIPTORS)
        own.close()
        if command:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            ends, namespaces = descriptors[:ENDS], descriptors[ENDS:]
            if namespaces:
                parts["room"].aim(namespaces)
            (keep_trial if command == b"L" else keep_case)(line, ends, namespaces, task)
        code = 0
    except BaseException:  # noqa: BLE001 - the fork must never run on into the image's work
        traceback.print_exc()
    finally:
        os._exit(code)


def keep_case(line: socket.socket, ends: list[int], namespaces: list[int], task: Task) -> None:
    """Forks the case, and tells how it ended."""
    process = os.fork()
    if process == 0:
        line.close()
        run_case(ends, namespaces, task)
    parts["room"].close((*ends, *namespaces))
    tell(line, b"X", struct.pack("<i", os.waitpid(process, 0)[1]))


def keep_trial(line: socket.socket, ends: list[int], namespaces: list[int], task: Task) -> None:
    """Forks the trial of the import, and tells how it went.

    What it said first was said before the entry's code ran, and only that is believed.
    """
    trial, said = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    process = os.fork()
    if process == 0:
        line.close()
        trial.close()
        parts["room"].close(ends)
        run_trial(said.fileno(), namespaces, task)
    said.close()
    status = os.waitpid(process, 0)[1]
    ready, answer = heard(trial), heard(trial)
    if ready != b"S":
        tell(line, b"N", ready[:REASON_BYTES] or b"the first case ended while it was set up")
    elif answer[:1] == b"R":
        tell(line, b"R")
    elif answer[:1] == b"F":
        tell(line, b"F", answer[1 : 2 + REASON_BYTES])
    else:
        tell(line, b"D", struct.pack("<i", status))


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
    sys.modules["random"].setstate(task["randomness"])
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
    except BaseException:  # noqa: BLE001 - the fork must never run on into the keeper's work
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
