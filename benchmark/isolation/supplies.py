"""What the supervisor has ready for cases: for each a process that waits for it in a room of its own.

It stands alone beside `worker.py`.
"""

import contextlib
import resource
import secrets
import socket
from dataclasses import dataclass
from typing import Any

MOST_BYTES = 4096
"""How much is read of what the trial of an import says."""


@dataclass(frozen=True)
class Place:
    """A process that waits to become a case."""

    number: int
    """Its number."""
    line: socket.socket
    """On which it is told to, and the trial of the import tells how it went."""
    room: Any
    """Its `room.Room`."""


class Places:
    """All that wait, which were made before the first of them was taken; the next, and the one at work."""

    def __init__(self, image: int) -> None:
        self.image = image
        self.next: Place | None = None
        self.at_work: Place | None = None
        self._made: list[tuple[socket.socket, Any]] = []
        self._waiting: list[Place] = []

    def make(self, line: socket.socket, room: Any) -> None:
        """Hands a room to the image, which forks a process into it and tells its number."""
        near, far = socket.socketpair()
        with far:
            socket.send_fds(line, [b"P"], [*room.inside, *room.namespaces, far.fileno()])
        room.hand_over()
        self._made.append((near, room))

    def add(self, number: int) -> None:
        """The next that was made has this number."""
        near, room = self._made.pop(0)
        self._waiting.append(Place(number, near, room))

    def draw(self) -> Place | None:
        """Any of those that wait, which is the next from now on; None where none is left."""
        place = secrets.randbelow(len(self._waiting)) if self._waiting else None
        self.next = None if place is None else self._waiting.pop(place)
        return self.next

    def begin(self, command: bytes) -> bool:
        """Tells the next to begin; whether there is one."""
        self.at_work, self.next = self.next, None
        if self.at_work is None:
            return False
        self.at_work.line.send(command)
        if command == b"C":
            self.at_work.line.close()
        return True

    def ours(self) -> set[int]:
        """The processes that run no line of the entry, this one and the image aside."""
        idle = [*self._waiting, *([self.next] if self.next else [])]
        rooms = [place.room.first for place in (*idle, *([self.at_work] if self.at_work else []))]
        return {*(place.number for place in idle), *rooms}


def allow_descriptors() -> None:
    """Lets this process hold as many descriptors as the system allows: some for each room."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def heard(line: socket.socket) -> bytes:
    """What has come on a line so far."""
    line.setblocking(False)
    try:
        return line.recv(MOST_BYTES)
    except OSError:
        return b""
