import os
import socket
import struct
import threading
import time
from collections.abc import Iterator

import pytest

from benchmark.isolation.channel import OUTPUT_BYTES, Channel, Ended, Gone, Output
from benchmark.isolation.protocol import Malformed


class Ends:
    """A channel and the other ends of its lines."""

    def __init__(self) -> None:
        self.control, control = socket.socketpair()
        self.line, line = socket.socketpair()
        reading, self.printing = os.pipe()
        self.channel = Channel(control, Output(reading), line)
        self._own = (control, line)

    def close(self) -> None:
        for end in (self.control, self.line, *self._own, self.channel.output):
            end.close()
        os.close(self.printing)


@pytest.fixture
def ends() -> Iterator[Ends]:
    ends = Ends()
    yield ends
    ends.close()


def soon(seconds: float = 5.0) -> float:
    return time.monotonic() + seconds


def test_bytes_come_whole_however_they_are_sent(ends: Ends) -> None:
    ends.line.sendall(b"abc")
    ends.line.sendall(b"def")
    assert ends.channel.receive(6, soon()) == b"abcdef"


def test_a_drip_does_not_move_the_deadline(ends: Ends) -> None:
    stop = threading.Event()

    def drip() -> None:
        while not stop.wait(0.02):
            ends.line.send(b"x")

    dripping = threading.Thread(target=drip)
    dripping.start()
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        ends.channel.receive(1000, soon(0.2))
    stop.set()
    dripping.join()
    assert time.monotonic() - started < 1


def test_a_reader_that_never_reads_does_not_hold_the_sender(ends: Ends) -> None:
    with pytest.raises(TimeoutError):
        ends.channel.send([memoryview(bytes(1 << 24))], soon(0.2))


def test_a_flood_of_output_does_not_move_the_deadline(ends: Ends) -> None:
    stop = threading.Event()
    os.set_blocking(ends.printing, False)

    def flood() -> None:
        while not stop.is_set():
            try:
                os.write(ends.printing, b"x" * 65536)
            except BlockingIOError:
                time.sleep(0.001)

    flooding = threading.Thread(target=flood)
    flooding.start()
    with pytest.raises(TimeoutError):
        ends.channel.receive(1, soon(0.2))
    stop.set()
    flooding.join()
    assert len(ends.channel.output.text) < OUTPUT_BYTES + 100


def test_closed_line_is_told_from_an_ended_process(ends: Ends) -> None:
    ends.line.close()
    with pytest.raises(Gone):
        ends.channel.receive(1, soon())
    ends.control.sendall(b"X" + struct.pack("<Hi", 4, 9))
    assert ends.channel.end_status(soon()) == 9


def test_an_answer_sent_before_the_end_still_counts(ends: Ends) -> None:
    ends.control.sendall(b"X" + struct.pack("<Hi", 4, 256))
    ends.line.sendall(b"ok")
    assert ends.channel.receive(2, soon()) == b"ok"
    with pytest.raises(Ended):
        ends.channel.receive(1, soon())
    assert ends.channel.ended and not ends.channel.image_gone


@pytest.mark.parametrize(
    "data", [b"Z" + struct.pack("<H", 0), b"X" + struct.pack("<H", 0), b"X" + struct.pack("<H", 5000)]
)
def test_message_out_of_turn_or_too_long_is_malformed(ends: Ends, data: bytes) -> None:
    ends.control.sendall(data)
    with pytest.raises(Malformed):
        ends.channel.receive(1, soon())


def test_line_comes_with_its_message_and_is_not_inherited(ends: Ends) -> None:
    near, far = socket.socketpair()
    with near, far:
        socket.send_fds(ends.control, [b"K" + struct.pack("<H", 0)], [near.fileno()])
        message = ends.channel.message(soon())
        assert message.kind == b"K" and message.line is not None
        with message.line as line:
            far.sendall(b"x")
            assert line.recv(1) == b"x" and not line.get_inheritable()
    ends.control.sendall(b"K" + struct.pack("<H", 0))
    assert ends.channel.message(soon()).line is None


def test_line_that_nobody_took_is_closed(ends: Ends) -> None:
    near, far = socket.socketpair()
    with far:
        with near:
            socket.send_fds(ends.control, [b"K" + struct.pack("<H", 9)], [near.fileno()])
        with pytest.raises(TimeoutError):
            ends.channel.message(soon(0.05))
        ends.channel.close()
        assert far.recv(1) == b""


def test_output_keeps_its_beginning_and_its_end() -> None:
    reading, writing = os.pipe()
    output = Output(reading)
    for part in (b"first", b"x" * 50000, b"y" * 50000, b"last"):
        os.write(writing, part)
        output.drain()
    os.close(writing)
    output.drain()
    text = output.text
    output.close()
    assert text.startswith("first") and text.endswith("last")
    assert f"[{100009 - OUTPUT_BYTES} bytes left out]" in text and output.fileno() is None
