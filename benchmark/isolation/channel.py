"""The host's ends of a worker's lines: every wait has a deadline and keeps reading what the entry prints."""

import os
import select
import socket
import struct
import time
from collections.abc import Iterable
from dataclasses import dataclass
from io import FileIO

from benchmark.isolation.protocol import Malformed, harmless

OUTPUT_BYTES = 65536
"""How much of what an entry prints is kept: the first half and the last half of it."""
CHUNK = 1 << 20
"""How many bytes are moved at a time, between two looks at the clock."""
ENDS = 3
"""How many descriptors the host's ends of a line are."""
MESSAGE = struct.Struct("<cH")
MESSAGE_BYTES = 4096
"""The longest message a supervisor may send."""


class Gone(Exception):
    """The other end has closed its line."""


class Ended(Exception):
    """The case's process has ended; the argument is its wait status."""


@dataclass(frozen=True)
class Message:
    """One message of the supervisor or the image."""

    kind: bytes
    """One byte, as listed in `worker.py`."""
    payload: bytes
    """What it carries."""
    line: "Line | None" = None
    """The host's ends of the next case's line, where they came with the message; for the reader to close."""


class Output:
    """What an entry prints: read as it comes, kept within bounds. Owns its descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "rb", buffering=0)
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0
        self._open = True
        os.set_blocking(descriptor, False)

    def fileno(self) -> int | None:
        """The descriptor to poll; None when no more can come."""
        return self._file.fileno() if self._open else None

    def drain(self) -> None:
        """Reads what is there, up to a chunk."""
        data = self._file.read(CHUNK) if self._open else None
        if data is None:
            return
        self._open = bool(data)
        self._total += len(data)
        room = OUTPUT_BYTES // 2 - len(self._head)
        self._head += data[:room]
        self._tail = (self._tail + data[room:])[-OUTPUT_BYTES // 2 :]

    def close(self) -> None:
        """Stops listening."""
        self._open = False
        self._file.close()

    @property
    def text(self) -> str:
        """What is kept, without control characters and workflow commands; a note stands for what is not."""
        left_out = self._total - len(self._head) - len(self._tail)
        note = f"\n[{left_out} bytes left out]\n".encode() if left_out else b""
        return harmless(bytes(self._head + note + self._tail).decode(errors="replace"))


class Line:
    """The host's ends of a case's line: pipes for its calls, its answers, and what it prints. Owns them."""

    def __init__(self, calls: int, answers: int, printed: int) -> None:
        for descriptor in (calls, answers, printed):
            os.set_inheritable(descriptor, False)
            os.set_blocking(descriptor, False)
        self.calls = os.fdopen(calls, "wb", buffering=0)
        self.answers = os.fdopen(answers, "rb", buffering=0)
        self.output = Output(printed)

    def close(self) -> None:
        """Closes all of them."""
        for end in (self.calls, self.answers, self.output):
            end.close()


class Channel:
    """The line to a supervisor and the output to keep reading; while a case runs, the case's line too."""

    def __init__(self, control: socket.socket, output: Output, line: Line | None = None) -> None:
        self.control = control
        self.output = output
        self.line = line
        self.image_gone = False
        """Whether the image has ended, so that no more cases can start."""
        self._ended: int | None = None
        self._came: Line | None = None

    @property
    def ended(self) -> bool:
        """Whether the case's process is known to have ended."""
        return self._ended is not None

    def message(self, deadline: float) -> Message:
        """The supervisor's next message. Raises TimeoutError, Gone or Malformed."""
        kind, length = MESSAGE.unpack(self._control_bytes(MESSAGE.size, deadline))
        if length > MESSAGE_BYTES:
            raise Malformed(f"a message of up to {MESSAGE_BYTES} bytes was expected, got {length}")
        payload = self._control_bytes(length, deadline)
        line, self._came = self._came, None
        return Message(kind, payload, line)

    def close(self) -> None:
        """Closes the host's ends of what is the channel's own: the output, and the lines; not the control."""
        self.output.close()
        for line in (self.line, self._came):
            if line is not None:
                line.close()

    def send(self, parts: Iterable[memoryview], deadline: float) -> None:
        """All parts go out on the case's line. Raises TimeoutError, Gone, Ended or Malformed."""
        for part in parts:
            rest = part
            while rest:
                calls = self._wait(self._line.calls, select.POLLOUT, deadline)
                try:
                    rest = rest[calls.write(rest[:CHUNK]) or 0 :]
                except OSError:
                    raise Gone from None

    def receive(self, count: int, deadline: float) -> bytearray:
        """Exactly `count` bytes from the case's line. Raises TimeoutError, Gone, Ended or Malformed."""
        buffer = bytearray(count)
        rest = memoryview(buffer)
        while rest:
            rest = rest[self._received(self._wait(self._line.answers, select.POLLIN, deadline), rest) :]
        return buffer

    def end_status(self, deadline: float) -> int:
        """The wait status of the case's process, once it ends. Raises TimeoutError, Gone or Malformed."""
        while self._ended is None:
            self._note(self.message(deadline))
        return self._ended

    @property
    def _line(self) -> Line:
        """The case's line."""
        assert self.line is not None
        return self.line

    def _received(self, answers: FileIO, rest: memoryview) -> int:
        """How many bytes of answers came into `rest`."""
        count = answers.readinto(rest)
        if count == 0:
            raise Gone
        return count or 0

    def _wait(self, end: FileIO, event: int, deadline: float) -> FileIO:
        """An end of the case's line once it can be read or written."""
        while True:
            known = self._ended
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            ready = self._poll(
                {end.fileno(): event, self.control.fileno(): select.POLLIN}, 0 if self.ended else left
            )
            if end.fileno() in ready:
                return end
            if known is not None:
                raise Ended(known)
            if self.control.fileno() in ready:
                self._note(self.message(min(deadline, time.monotonic() + 1.0)))

    def _note(self, message: Message) -> None:
        """Remembers that the case's process or the image ended, which is all a message may say now."""
        if message.kind not in (b"X", b"D") or len(message.payload) != 4:
            raise Malformed("a message about the end of a process was expected, got another")
        self._ended = struct.unpack("<i", message.payload)[0]
        self.image_gone |= message.kind == b"D"

    def _control_bytes(self, count: int, deadline: float) -> bytes:
        """Exactly `count` bytes from the supervisor."""
        data = b""
        while len(data) < count:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if self._poll({self.control.fileno(): select.POLLIN}, left):
                got = self._heard(count - len(data))
                if not got:
                    raise Gone
                data += got
        return data

    def _heard(self, most: int) -> bytes:
        """What the supervisor has sent, up to `most` bytes; a line that came along is kept."""
        try:
            got, descriptors, _, _ = socket.recv_fds(self.control, most, ENDS)
        except OSError:
            return b""
        if len(descriptors) == ENDS:
            if self._came is not None:
                self._came.close()
            self._came = Line(*descriptors)
        else:
            for descriptor in descriptors:
                os.close(descriptor)
        return got

    def _poll(self, events: dict[int, int], seconds: float) -> set[int]:
        """The descriptors of `events` that are ready; reads the output meanwhile."""
        poller = select.poll()
        for descriptor, event in events.items():
            poller.register(descriptor, event)
        if (listening := self.output.fileno()) is not None:
            poller.register(listening, select.POLLIN)
        ready = {descriptor for descriptor, _ in poller.poll(seconds * 1000)}
        if listening in ready:
            self.output.drain()
        return ready & events.keys()
