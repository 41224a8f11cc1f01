"""A thousand frames with faults: each is refused, or says what it is taken for; none crashes or hangs."""

import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmark.isolation import case as case_module
from benchmark.isolation.calls import Line
from benchmark.isolation.case import Case
from benchmark.isolation.channel import Gone
from benchmark.isolation.protocol import Malformed
from benchmark.records import Arrays, Call, CallFailed, Field, Status
from tests.isolated import Ends

FIELDS = (
    Field("score", "float64"),
    Field("flag", "bool", optional=True),
    Field("map", "float32", (2, 3), optional=True, finite=False),
    Field("parts", "int64", (2, None), most=4, optional=True),
)
CALL = Call("detect", {"seed": 1}, FIELDS, bare="score")
SECONDS = 0.3

thousand = settings(
    max_examples=1000,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

Mutation = tuple[str, float, bytes]
mutations = st.lists(
    st.tuples(
        st.sampled_from(["change", "insert", "delete", "cut", "repeat"]),
        st.floats(0, 1, exclude_max=True),
        st.binary(min_size=1, max_size=9),
    ),
    min_size=1,
    max_size=4,
)


def mutated(data: bytes, changes: list[Mutation]) -> bytes:
    """Data with each change made at its place, which is a fraction of the length."""
    for kind, place, extra in changes:
        at = int(place * len(data))
        before, after = data[:at], data[at:]
        if kind == "change":
            data = before + extra + after[len(extra) :]
        elif kind == "insert":
            data = before + extra + after
        elif kind == "delete":
            data = before + after[len(extra) :]
        elif kind == "cut":
            data = before
        else:
            data = before + after[: len(extra)] + after
    return data


def frame(token: bytes, status: int, given: Arrays, reason: bytes = b"") -> bytes:
    """An answer, written by hand from the protocol's description."""
    mask = sum(1 << bit for bit, field in enumerate(FIELDS) if field.name in given)
    head = token + bytes([status]) + mask.to_bytes(4, "little") + len(reason).to_bytes(2, "little")
    sizes = given["parts"].shape[1].to_bytes(4, "little") if "parts" in given else b""
    values = b"".join(given[field.name].tobytes() for field in FIELDS if field.name in given)
    return head + sizes + reason + values


FULL: Arrays = {
    "score": np.array(0.5),
    "flag": np.array(True),
    "map": np.arange(6, dtype=np.float32).reshape(2, 3),
    "parts": np.arange(4).reshape(2, 2),
}


class Peer:
    """The other ends of one case: says what it is told to, and closes them."""

    def __init__(self, answer: Callable[[bytes], bytes], message: bytes = b"") -> None:
        self.control, self._theirs = socket.socketpair()
        self._far = Ends()
        self.line = self._far.host
        self._answer = answer
        self._message = message
        self.sent = b""
        self.token = b""
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        assert self._theirs.recv(1) == b"C"
        line = Line(self._far.calls.fileno(), self._far.answers.fileno())
        with suppress(OSError, EOFError), closing(self._far), self._theirs:
            line.send(b"H")
            (length,) = struct.unpack("<I", line.fill(bytearray(4)))
            self.token = bytes.fromhex(json.loads(line.fill(bytearray(length)))["token"])
            self.sent = self._answer(self.token)
            self._theirs.sendall(self._message)
            line.send(self.sent)

    def call(self) -> Arrays:
        """What the host makes of it all."""
        case = Case(self.control, self.line, SECONDS)
        try:
            return case.call(CALL)
        finally:
            case.close()
            self.control.close()
            self._thread.join()


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The news of an end may take no longer than a call here."""
    monkeypatch.setattr(case_module, "END_SECONDS", 0.05)


def test_valid_frames_are_taken_as_they_are() -> None:
    got = Peer(lambda token: frame(token, 0, FULL)).call()
    assert got.keys() == FULL.keys() and all(np.array_equal(got[name], FULL[name]) for name in FULL)
    with pytest.raises(CallFailed, match="why") as raised:
        Peer(lambda token: frame(token, 1, {}, b"why")).call()
    assert raised.value.status is Status.CRASHED


@thousand
@given(changes=mutations, kept=st.sets(st.sampled_from(["flag", "map", "parts"])))
def test_changed_answer_is_refused_or_says_so(changes: list[Mutation], kept: set[str]) -> None:
    given_fields = {name: FULL[name] for name in FULL if name == "score" or name in kept}
    peer = Peer(lambda token: mutated(frame(token, 0, given_fields), changes))
    started = time.monotonic()
    try:
        got = peer.call()
    except CallFailed as failed:
        assert failed.status is not Status.OK and "\n" not in failed.reason  # noqa: PT017
    else:
        assert peer.sent.startswith(frame(peer.token, 0, got))
        assert got["score"].shape == () and np.isfinite(got["score"])
        assert got.get("flag", FULL["flag"]).dtype == np.bool_
        assert got.get("map", FULL["map"]).shape == (2, 3)
        assert 1 <= got.get("parts", FULL["parts"]).shape[1] <= 4
    assert time.monotonic() - started < 5


MESSAGES = (b"X\x04\x00\x00\x00\x00\x00", b"D\x04\x00\x09\x00\x00\x00", b"K\x00\x00", b"R\x00\x00")


@thousand
@given(changes=mutations, message=st.sampled_from(MESSAGES), whole=st.booleans())
def test_changed_message_costs_one_case(changes: list[Mutation], message: bytes, *, whole: bool) -> None:
    peer = Peer(lambda token: frame(token, 0, FULL)[: None if whole else 9], mutated(message, changes))
    started = time.monotonic()
    try:
        got = peer.call()
    except CallFailed as failed:
        assert failed.status in (Status.CRASHED, Status.BAD_OUTPUT, Status.TIMED_OUT)  # noqa: PT017
    else:
        assert whole and all(np.array_equal(got[name], FULL[name]) for name in FULL)
    assert time.monotonic() - started < 5


@given(data=st.binary(max_size=40))
def test_any_bytes_instead_of_a_greeting_give_no_case(data: bytes) -> None:
    control, theirs = socket.socketpair()
    far = Ends()

    def greet() -> None:
        assert theirs.recv(1) == b"C"
        with closing(far), theirs:
            far.answers.write(b"G" + data)

    thread = threading.Thread(target=greet)
    thread.start()
    with control, pytest.raises((Malformed, Gone)):
        Case(control, far.host, SECONDS)
    thread.join()
