"""What the supervisor has ready for cases: keepers, which fork them, and rooms, in which they run.

It stands alone beside `worker.py`.
"""

import secrets
import socket
from typing import Any


class Keepers:
    """Those that wait for a case, and the one at work."""

    def __init__(self, image: int) -> None:
        self.image = image
        self.at_work = 0
        self._waiting: list[tuple[int, socket.socket]] = []

    def add(self, number: int, descriptor: int) -> None:
        """Another one waits, with this number, at the end of this line."""
        self._waiting.append((number, socket.socket(fileno=descriptor)))

    def take(self) -> socket.socket | None:
        """The line to any of those that wait, which is at work from now on; None where none is left."""
        if not self._waiting:
            return None
        place = secrets.randbelow(len(self._waiting))
        self.at_work, line = self._waiting.pop(place)
        return line


class Rooms:
    """The room of the case that runs, and the next; where there are none, the lines alone."""

    def __init__(self, task: dict[str, Any], room: Any) -> None:
        self.task = task
        self._of = room
        self._facts = room.read_facts() if task["rooms"] else {}
        self._room: Any = None
        self._next: Any = None

    def outside(self) -> list[int]:
        """The host's ends of the next case's line."""
        return list(self.prepared().outside)

    def begin(self, line: socket.socket, command: bytes) -> None:
        """Hands a command to a keeper, with the case's ends and the namespaces of a room that is new."""
        room = self._room = self.prepared()
        self._next = None
        socket.send_fds(line, [command], [*room.inside, *room.namespaces])
        self._of.close((*room.inside, *room.outside))

    def prepared(self) -> Any:
        """The next room, made now unless it is ready. Raises OSError with what failed."""
        if self._next is None:
            made = (self.task["scratch"], self.task["scratch_bytes"], self._facts)
            self._next = self._of.make(*made) if self.task["rooms"] else self._of.bare()
        return self._next

    def end(self) -> None:
        """Ends the last room with all that is left in it. Raises TimeoutError if that takes long."""
        room, self._room = self._room, None
        if room is not None and room.first:
            room.end()
