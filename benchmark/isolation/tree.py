"""The processes of one start of a worker, seen from the host: loading, the cases one by one, the end."""

import struct
import time

from benchmark.errors import IsolationError
from benchmark.isolation.bubblewrap import ALLOW
from benchmark.isolation.case import Case, ending
from benchmark.isolation.channel import Channel, Gone, Message, Output
from benchmark.isolation.launched import Launched
from benchmark.isolation.protocol import STATUSES, Malformed, one_line
from benchmark.isolation.watch import TOO_LARGE
from benchmark.records import CallFailed, Status

UP_SECONDS = 30.0
"""How long a launcher may take to start Python."""
CLEAR_SECONDS = 20.0
"""How long it may take to end and empty what a case left."""


class Tree:
    """The supervisor, the image and the forks of one start."""

    def __init__(self, launched: Launched) -> None:
        self._launched = launched
        self._channel = Channel(launched.control, Output(launched.output))
        self._expected: set[bytes] = set()

    @property
    def printed(self) -> str:
        """What was printed while the entry loaded, as a log may show it."""
        self._channel.output.drain()
        return self._channel.output.text

    def load(self, seconds: float) -> None:
        """Waits until the entry is imported and checked, for `seconds` at most.

        Raises CallFailed when it cannot be loaded, and IsolationError when Python did not start.
        """
        self._await_up()
        try:
            message = self._channel.message(time.monotonic() + seconds)
        except TimeoutError:
            reason = f"method.py: expected its import to end within {seconds:g} s, got no end"
            raise CallFailed(Status.TIMED_OUT, reason) from None
        except (Gone, Malformed):
            message = Message(b"", b"")
        if message.kind == b"N":
            said = one_line(message.payload.decode(errors="replace"))
            name = self._launched.name
            raise IsolationError(f"isolation {name}: expected a room for each case, got: {said}; {ALLOW}")
        if message.kind != b"R":
            raise _load_failure(message)
        self._channel.output.close()
        self._clear(ended=True)

    def begin(self, call_seconds: float) -> Case:
        """A fork for one case. Raises TimeoutError, Gone or Malformed when there is none to be had."""
        line = None
        while self._expected:
            message = self._channel.message(time.monotonic() + CLEAR_SECONDS)
            line = message.line or line
            if message.kind not in self._expected:
                raise Malformed("the end of the last case was expected, got another message")
            self._expected.remove(message.kind)
        if line is None:
            raise Malformed("a line for the next case was expected, got none")
        return Case(self._launched.control, line, call_seconds)

    def finish(self, case: Case) -> None:
        """Ends a case and whatever it left; the clearing goes on while the host does other things."""
        case.close()
        self._clear(ended=case.ended)

    def end(self) -> None:
        """Ends every process and removes what they left. May be called again."""
        self._channel.close()
        self._launched.end()

    def _await_up(self) -> None:
        try:
            if self._channel.message(time.monotonic() + UP_SECONDS).kind == b"U":
                return
        except (TimeoutError, Gone, Malformed):
            pass
        said = one_line(self.printed) or "nothing"
        raise IsolationError(f"isolation {self._launched.name}: expected Python to start, got: {said}")

    def _clear(self, *, ended: bool) -> None:
        """Asks the supervisor to clear up; where it is gone, the next case finds out."""
        self._expected = {b"K"} if ended else {b"K", b"X"}
        try:
            self._launched.control.sendall(b"E")
        except OSError:
            return


def _load_failure(message: Message) -> CallFailed:
    """What to say when a message other than `R` ends the loading."""
    kind, payload = message.kind, message.payload
    if kind == b"F" and payload and 0 < payload[0] < len(STATUSES):
        return CallFailed(STATUSES[payload[0]], one_line(payload[1:].decode(errors="replace")))
    if kind == b"D" and len(payload) == 4:
        status = struct.unpack("<i", payload)[0]
        failed = Status.OUT_OF_MEMORY if status == TOO_LARGE else Status.CRASHED
        return CallFailed(failed, f"method.py: its process {ending(status)} before it was imported")
    return CallFailed(Status.CRASHED, "method.py: expected it to be imported, got a broken worker")
