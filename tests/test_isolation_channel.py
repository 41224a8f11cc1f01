import os
import socket
import struct
import threading
import time
from collections.abc import Iterator

import pytest

from benchmark.isolation.channel import OUTPUT_BYTES, Channel, Ended, Gone, Output
from benchmark.isolation.protocol import Malformed
from tests.isolated import Ends


class Lines:
    """A channel and the other ends of its lines."""

    def __init__(self) -> None:
        self.control, control = socket.socketpair()
        self.line = Ends()
        self.channel = Channel(control, self.line.host.output, self.line.host)
        self._control = control

    def close(self) -> None:
        for end in (self.control, self._control, self.line, self.channel):
            end.close()


@pytest.fixture
def ends() -> Iterator[Lines]:
    ends = Lines()
    yield ends
    ends.close()


def soon(seconds: float = 5.0) -> float:
    return time.monotonic() + seconds


def test_bytes_come_whole_however_they_are_sent(ends: Lines) -> None:
    ends.line.answers.write(b"abc")
    ends.line.answers.write(b"def")
    assert ends.channel.receive(6, soon()) == b"abcdef"


def test_a_drip_does_not_move_the_deadline(ends: Lines) -> None:
    stop = threading.Event()

    def drip() -> None:
        while not stop.wait(0.02):
            ends.line.answers.write(b"x")

    dripping = threading.Thread(target=drip)
    dripping.start()
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        ends.channel.receive(1000, soon(0.2))
    stop.set()
    dripping.join()
    assert time.monotonic() - started < 1


def test_a_reader_that_never_reads_does_not_hold_the_sender(ends: Lines) -> None:
    with pytest.raises(TimeoutError):
        ends.channel.send([memoryview(bytes(1 << 24))], soon(0.2))


def test_a_flood_of_output_does_not_move_the_deadline(ends: Lines) -> None:
    stop = threading.Event()
    os.set_blocking(ends.line.printing.fileno(), False)

    def flood() -> None:
        while not stop.is_set():
            if ends.line.printing.write(b"x" * 65536) is None:
                time.sleep(0.001)

    flooding = threading.Thread(target=flood)
    flooding.start()
    with pytest.raises(TimeoutError):
        ends.channel.receive(1, soon(0.2))
    stop.set()
    flooding.join()
    assert len(ends.channel.output.text) < OUTPUT_BYTES + 100


def test_closed_line_is_told_from_an_ended_process(ends: Lines) -> None:
    ends.line.close()
    with pytest.raises(Gone):
        ends.channel.receive(1, soon())
    ends.control.sendall(b"X" + struct.pack("<Hi", 4, 9))
    assert ends.channel.end_status(soon()) == 9


def test_an_answer_sent_before_the_end_still_counts(ends: Lines) -> None:
    ends.control.sendall(b"X" + struct.pack("<Hi", 4, 256))
    ends.line.answers.write(b"ok")
    assert ends.channel.receive(2, soon()) == b"ok"
    with pytest.raises(Ended):
        ends.channel.receive(1, soon())
    assert ends.channel.ended and not ends.channel.image_gone


@pytest.mark.parametrize(
    "data", [b"Z" + struct.pack("<H", 0), b"X" + struct.pack("<H", 0), b"X" + struct.pack("<H", 5000)]
)
def test_message_out_of_turn_or_too_long_is_malformed(ends: Lines, data: bytes) -> None:
    ends.control.sendall(data)
    with pytest.raises(Malformed):
        ends.channel.receive(1, soon())


def test_line_comes_with_its_message_and_is_not_inherited(ends: Lines) -> None:
    sent = Ends()
    numbers = [sent.host.calls.fileno(), sent.host.answers.fileno(), sent.host.output.fileno()]
    socket.send_fds(ends.control, [b"K" + struct.pack("<H", 0)], numbers)
    sent.host.close()
    message = ends.channel.message(soon())
    assert message.kind == b"K" and message.line is not None
    sent.answers.write(b"x")
    sent.printing.write(b"said")
    assert message.line.answers.read(9) == b"x" and message.line.calls.write(b"call") == 4
    assert sent.calls.read(9) == b"call"
    message.line.output.drain()
    assert message.line.output.text == "said"
    assert not any(map(os.get_inheritable, (message.line.calls.fileno(), message.line.answers.fileno())))
    message.line.close()
    sent.close()
    ends.control.sendall(b"K" + struct.pack("<H", 0))
    assert ends.channel.message(soon()).line is None


def test_line_that_nobody_took_is_closed(ends: Lines) -> None:
    sent = Ends()
    numbers = [sent.host.calls.fileno(), sent.host.answers.fileno(), sent.host.output.fileno()]
    socket.send_fds(ends.control, [b"K" + struct.pack("<H", 9)], numbers)
    sent.host.close()
    with pytest.raises(TimeoutError):
        ends.channel.message(soon(0.05))
    ends.channel.close()
    assert sent.calls.read(1) == b""
    with pytest.raises(BrokenPipeError):
        sent.answers.write(b"x")
    sent.close()


@pytest.mark.parametrize("count", [1, 2])
def test_part_of_a_line_is_no_line(ends: Lines, count: int) -> None:
    sent = Ends()
    numbers = [sent.host.calls.fileno(), sent.host.answers.fileno()]
    socket.send_fds(ends.control, [b"K" + struct.pack("<H", 0)], numbers[:count])
    sent.host.close()
    assert ends.channel.message(soon()).line is None
    assert sent.calls.read(1) == b""
    sent.close()


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
