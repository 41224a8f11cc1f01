"""One case in a worker: its calls, each with one deadline for all of it, and the words for how they fail."""

import os
import secrets
import signal
import socket
import time

from benchmark.isolation.channel import Channel, Ended, Gone, Line
from benchmark.isolation.protocol import (
    ANSWER,
    TOKEN_BYTES,
    Head,
    Malformed,
    decoded,
    encoded,
    one_line,
    read_head,
    sized,
)
from benchmark.isolation.watch import TOO_LARGE, TOO_MANY
from benchmark.records import Arrays, Call, CallFailed, Status

START_SECONDS = 20.0
"""How long the fork for a case may take."""
END_SECONDS = 1.0
"""How long the news of a process's end may take."""
ENDED_FOR = {
    TOO_MANY: "was ended for running too many processes and threads",
    TOO_LARGE: "was ended, with all that it had started, for holding too much memory",
}
"""The words for what the supervisor ends a case for."""


class Case:
    """A fresh fork of a loaded entry, serving the calls of one case.

    It owns its line, the host's ends of pipes that were made in the case's room. Raises TimeoutError, Gone or
    Malformed when the fork cannot be had.
    """

    def __init__(self, control: socket.socket, line: Line, call_seconds: float) -> None:
        self._call_seconds = call_seconds
        self.seconds = 0.0
        """Wall time of the calls so far."""
        self.broken = False
        """Whether the worker can no longer be trusted to keep to the protocol or to its deadline."""
        self._channel = Channel(control, line.output, line)
        try:
            control.sendall(b"C")
        except OSError:
            self.close()
            raise Gone from None
        self._await_start()

    @property
    def ended(self) -> bool:
        """Whether its process is known to have ended."""
        return self._channel.ended

    @property
    def output(self) -> str:
        """What the entry has printed, as a log may show it."""
        self._channel.output.drain()
        return self._channel.output.text

    def call(self, call: Call) -> Arrays:
        """The checked fields of the entry's answer, each of the exact dtype and shape that `call` asks for.

        Raises CallFailed with what went wrong, and ValueError for a call that no track may make.
        """
        started = time.monotonic()
        try:
            return self._answer(call, started + self._call_seconds)
        except TimeoutError:
            self.broken = True
            reason = f"{call.function}: expected an answer within {self._call_seconds:g} s, got none"
            raise CallFailed(Status.TIMED_OUT, reason) from None
        except Malformed as error:
            self.broken = True
            raise CallFailed(Status.BAD_OUTPUT, f"{call.function}: {error}") from None
        except Ended as error:
            raise _ended(call, error.args[0]) from None
        except Gone:
            raise self._gone(call) from None
        finally:
            self.seconds += time.monotonic() - started
            self.broken |= self._channel.image_gone

    def close(self) -> None:
        """Closes the host's ends; the fork ends by itself or is ended with the case."""
        self._channel.close()

    def _await_start(self) -> None:
        try:
            if self._channel.receive(1, time.monotonic() + START_SECONDS) != b"H":
                raise Malformed("a greeting was expected, got another byte")
        except BaseException as error:
            self.close()
            if isinstance(error, Ended):
                raise Gone from None
            raise

    def _answer(self, call: Call, deadline: float) -> Arrays:
        """Sends a call and reads its answer."""
        token = secrets.token_bytes(TOKEN_BYTES)
        channel = self._channel
        channel.send(encoded(call, token), deadline)
        head = read_head(bytes(channel.receive(ANSWER.size, deadline)), call, token)
        head = sized(head, bytes(channel.receive(head.sizes_bytes, deadline)))
        body = channel.receive(head.size, deadline)
        if head.status is not Status.OK:
            raise CallFailed(head.status, _reason(head, body))
        return decoded(head.fields, body)

    def _gone(self, call: Call) -> CallFailed:
        """What to say when the fork closed its line: how its process ended, if it did."""
        try:
            return _ended(call, self._channel.end_status(time.monotonic() + END_SECONDS))
        except (TimeoutError, Gone, Malformed):
            self.broken = True
            reason = f"{call.function}: expected an answer, got a closed line"
            return CallFailed(Status.BAD_OUTPUT, reason)


def _reason(head: Head, body: bytearray) -> str:
    return one_line(body.decode(errors="replace")) or f"{head.status} without a reason"


def _ended(call: Call, status: int) -> CallFailed:
    """What to say when the process ended before it answered."""
    kind = Status.OUT_OF_MEMORY if status == TOO_LARGE else Status.CRASHED
    return CallFailed(kind, f"{call.function}: its process {ending(status)} before it answered")


def ending(status: int) -> str:
    """How a process ended, from its wait status: `ended with exit code 3`, `was ended by SIGSEGV`."""
    if status < 0 or not (os.WIFEXITED(status) or os.WIFSIGNALED(status)):
        return ENDED_FOR.get(status, "was ended")
    if os.WIFEXITED(status):
        return f"ended with exit code {os.waitstatus_to_exitcode(status)}"
    number = os.WTERMSIG(status)
    known = {s.value: s.name for s in signal.Signals}
    hint = " (perhaps because the machine ran out of memory)" if number == signal.SIGKILL else ""
    return f"was ended by {known.get(number, f'signal {number}')}{hint}"
