"""A room for one case: namespaces of its own, so that the system itself ends and forgets all that is in it.

It stands alone beside `worker.py`. A room has processes numbered anew, System V and POSIX queues of its own,
new scratch folders, devices that cannot be changed, and the pipes of its case's line. Where the system tells
of its processes and counters, in `/proc`, a room has a folder with a few facts that stay the same
(`read_facts`, `read_libraries`), and no more. Its first process never runs a line of the entry and only
waits; when it ends, the system ends every other in the room, and the room's folders and queues are gone.
"""

import contextlib
import ctypes
import fcntl
import os
import re
import select
import signal
import socket
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn

NEW_PROCESSES, NEW_MOUNTS, NEW_QUEUES = 0x20000000, 0x00020000, 0x08000000
"""Linux's flags of the namespaces that a room has of its own."""
PLACES = ("pid", "mnt", "ipc")
"""Their names below /proc/self/ns."""
READ_ONLY, NO_SET_UID, NO_DEVICES, NO_PROGRAMS, REMOUNT, BOUND = 1, 2, 4, 8, 32, 4096
"""Linux's flags of mounts."""
DUMPABLE, DROP_BOUND, AMBIENT, AMBIENT_CLEAR = 4, 24, 47, 4
"""The options of Linux's prctl."""
HELD = (8, 18, 21)
"""The capabilities a sandbox leaves its first process: to drop others, to change the root, to mount."""
CAPABILITIES_VERSION = 0x20080522
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
"""The machine's own, whose modes and times an entry could otherwise change where root runs the scorer."""
FACTS = {"cpuinfo": None, "meminfo": 1}
"""What of /proc a room has, as it was when the sandbox started: all lines, or so many of the first."""
CHANGING = b"cpu MHz"
"""How lines start that are left out of it, as they tell of the machine's load."""
OF_LIBRARY = re.compile(rb"^\S+ \S+ \S+ \S+ \S+ +/\S+\.so[^/\n]*\n", re.MULTILINE)
"""A line of the list of what a process has mapped that names a library."""
FACTS_OPTIONS = "size=16m,nr_inodes=16,mode=0755"
"""Those of the folder that holds it."""
LINE = ("calls", "answers", "printed")
"""The pipes of a case's line, by the names they have until they are open."""
IDLE_BYTES, PIPE_BYTES = 1 << 12, 1 << 20
"""How much may wait in each before its case, as the system counts them all for the user, and during it, where
it allows a user so much: large arrays then come sooner."""
ANSWER_BYTES = 512
LIBRARY = ctypes.CDLL(None, use_errno=True)
NUMBER = struct.Struct("<i")
MOST_DESCRIPTORS = 1 << 12
MOST_FILES = 1 << 16
"""How many files and folders each scratch folder takes: their names are memory that nobody counts."""
END_SECONDS = 10.0
"""How long the system may take to end what is in a room."""


@dataclass(frozen=True)
class Room:
    """A room that is ready."""

    first: int
    """The process that holds it up; 0 where there is only a line."""
    namespaces: tuple[int, ...]
    """Its namespaces, in the order of `PLACES`."""
    inside: tuple[int, ...]
    """The case's ends of its line: to read calls from, to write answers to, and to print to."""
    outside: tuple[int, ...]
    """The host's ends of the same."""

    def hand_over(self) -> None:
        """Leaves its namespaces and the case's ends of its line to the process that has them as well."""
        close((*self.inside, *self.namespaces))

    def widen(self) -> None:
        """Makes the pipes of its line as large as a case's are."""
        for descriptor in self.outside:
            _resize(descriptor, PIPE_BYTES)

    def end(self) -> None:
        """Ends every process in it; returns once none is left. Raises TimeoutError if that takes long."""
        if not self.first:
            return
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            watched = os.pidfd_open(self.first)
            os.kill(self.first, signal.SIGKILL)
            ended = select.select([watched], [], [], END_SECONDS)[0]
            os.close(watched)
            if not ended:
                raise TimeoutError(f"expected a room to end within {END_SECONDS:g} s, got none")
            os.waitpid(self.first, 0)


def read_facts() -> dict[str, bytes]:
    """What a room's `/proc` shows: the kind of its processors, and how much memory the machine has."""
    facts = {}
    for name, most in FACTS.items():
        with contextlib.suppress(OSError), open(f"/proc/{name}", "rb") as file:
            facts[name] = b"".join(line for line in file.readlines()[:most] if not line.startswith(CHANGING))
    return facts


def read_libraries() -> bytes:
    """The libraries that this process has mapped, as `/proc/self/maps` tells: what all its forks have too."""
    with open("/proc/self/maps", "rb") as file:
        return b"".join(OF_LIBRARY.findall(file.read()))


def make(scratch: list[str], size: int, facts: dict[str, bytes]) -> Room:
    """A new room with empty scratch folders of `size` bytes each, and the facts in its `/proc`.

    The caller must be one that orphans come to, as a sandbox's first process is. Raises OSError with what
    failed.
    """
    ours, theirs = socket.socketpair()
    reading, writing = os.pipe()
    most = len(PLACES) + 2 * len(LINE)
    maker = os.fork()
    if maker == 0:
        _separate(theirs, writing, lambda: _furnish(scratch, size, facts))
    theirs.close()
    os.close(writing)
    with ours:
        answer, descriptors, _, _ = socket.recv_fds(ours, ANSWER_BYTES, most)
    number = os.read(reading, NUMBER.size)
    os.close(reading)
    os.waitpid(maker, 0)
    if len(descriptors) != most:
        raise OSError(answer.decode(errors="replace") or "its first process ended")
    inside, outside = len(PLACES), len(PLACES) + len(LINE)
    first, found = NUMBER.unpack(number)[0], tuple(descriptors)
    return Room(first, found[:inside], found[inside:outside], found[outside:])


def bare() -> Room:
    """A line without a room."""
    inside, outside = _ends([os.pipe() for _ in LINE])
    return Room(0, (), inside, outside)


def close(descriptors: Iterable[int]) -> None:
    """Closes all of them."""
    for descriptor in descriptors:
        os.close(descriptor)


def renew(*numbers: int) -> None:
    """Opens the null device anew in place of standard descriptors: to read nothing, or print to nowhere."""
    for number in numbers:
        nowhere = os.open(os.devnull, os.O_WRONLY if number else os.O_RDONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)


def _separate(line: socket.socket, writing: int, furnish: Callable[[], None]) -> NoReturn:
    """Makes the namespaces, and tells the number of the process that holds them from now on."""
    try:
        call("unshare", NEW_PROCESSES | NEW_MOUNTS | NEW_QUEUES)
        if child := os.fork():
            os.write(writing, NUMBER.pack(child))
        else:
            _hold(line, furnish)
    except OSError as error:
        line.send(str(error).encode()[:ANSWER_BYTES])
    finally:
        os._exit(0)


def _hold(line: socket.socket, furnish: Callable[[], None]) -> NoReturn:
    """Furnishes the room, hands it over, and waits for its end; raises OSError with what failed."""
    descriptors = [os.open(f"/proc/self/ns/{place}", os.O_RDONLY) for place in PLACES]
    furnish()
    inside, outside = _ends([_named_pipe(f"/proc/{name}") for name in LINE])
    call("prctl", DUMPABLE, 0, 0, 0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    socket.send_fds(line, [b"R"], [*descriptors, *inside, *outside])
    os.closerange(0, MOST_DESCRIPTORS)
    while True:
        signal.pause()


def _named_pipe(path: str) -> tuple[int, int]:
    """The ends of a pipe in a folder of the room: to read, and to write.

    The system numbers it within that folder's file system, and a pipe without a name in one row for all.
    """
    os.mkfifo(path, 0o600)
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writing = os.open(path, os.O_WRONLY)
    os.unlink(path)
    os.set_blocking(reading, True)
    return reading, writing


def _resize(descriptor: int, size: int) -> None:
    """Has so much wait in a pipe at most, where the system has such a setting and allows it."""
    with contextlib.suppress(OSError, AttributeError):
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, size)


def _ends(pipes: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The case's ends and the host's of the pipes of a line, each as to read and to write; made small."""
    for reading, _ in pipes:
        _resize(reading, IDLE_BYTES)
    (calls, calling), (answered, answering), (printed, printing) = pipes
    return (calls, answering, printing), (calling, answered, printed)


def _furnish(scratch: list[str], size: int, facts: dict[str, bytes]) -> None:
    """Gives this namespace of mounts all that a room has of its own; raises OSError with what failed."""
    for device in filter(os.path.exists, DEVICES):
        _mount("", device, REMOUNT | BOUND | READ_ONLY | NO_SET_UID | NO_PROGRAMS)
    for folder in scratch:
        _mount("tmpfs", folder, NO_SET_UID | NO_DEVICES, f"size={size},nr_inodes={MOST_FILES},mode=1777")
    _mount("tmpfs", "/proc", NO_SET_UID | NO_DEVICES | NO_PROGRAMS, FACTS_OPTIONS)
    os.mkdir("/proc/self")
    for name, content in facts.items():
        _state(name, content)


def _state(name: str, content: bytes) -> None:
    """Puts a fact into the room's `/proc`."""
    with open(f"/proc/{name}", "xb", buffering=0) as file:
        file.write(content)


def aim(descriptors: list[int]) -> None:
    """The next fork of this process is born in the room, given its namespaces."""
    call("setns", descriptors[0], NEW_PROCESSES)


def enter(descriptors: list[int], folder: str, libraries: bytes) -> None:
    """Moves this process, born in the room, all the way in, to stay: it has no privilege from here on.

    libraries: what `read_libraries` told, which the room's `/proc` shows from here on.
    """
    call("setns", descriptors[1], NEW_MOUNTS)
    _state("self/maps", libraries)
    _mount("", "/proc", REMOUNT | BOUND | READ_ONLY | NO_SET_UID | NO_DEVICES | NO_PROGRAMS)
    call("setns", descriptors[2], NEW_QUEUES)
    close(descriptors)
    os.chdir(folder)
    for capability in HELD:
        call("prctl", DROP_BOUND, capability, 0, 0, 0)
    call("prctl", AMBIENT, AMBIENT_CLEAR, 0, 0, 0)
    head, sets = struct.pack("=Ii", CAPABILITIES_VERSION, 0), bytes(24)
    call("capset", head, sets)


def _mount(kind: str, place: str, flags: int, options: str = "") -> None:
    call("mount", kind.encode(), place.encode(), kind.encode(), flags, options.encode())


def call(name: str, *arguments: int | bytes) -> None:
    """Makes a call of the C library that returns 0. Raises OSError that names it when it does not."""
    given = [ctypes.c_ulong(part) if isinstance(part, int) else part for part in arguments]
    if getattr(LIBRARY, name)(*given) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
