import os
import struct
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.isolation.calls import Line, made_arguments, received_arguments, received_request
from benchmark.isolation.protocol import (
    ANSWER,
    Head,
    Malformed,
    decoded,
    encoded,
    harmless,
    one_line,
    read_head,
    sized,
)
from benchmark.records import Call, Field, Made, Status

SCORE = Field("score", "float64")
FLAG = Field("flag", "bool", optional=True)
MAPS = Field("maps", "float32", (2, 3), optional=True)
CALL = Call("detect", {}, (SCORE, FLAG, MAPS), bare="score")
MOVED = Field("moved", "float64", (3, None), optional=True, most=4)
PARTS = Field("parts", "float32", (None, 2), most=9, finite=False)
FREE = Call("transform", {}, (SCORE, MOVED, PARTS))
TOKEN = b"12345678"


def crossed(call: Call) -> tuple[dict[str, object], dict[str, object]]:
    """The request and the arguments as the worker's half of the protocol reads them."""
    calls, here = os.pipe()
    line = Line(calls, -1)
    with open(calls, "rb", buffering=0), open(here, "wb", buffering=0) as there:
        sender = threading.Thread(target=lambda: [there.write(part) for part in encoded(call, TOKEN)])
        sender.start()
        request = received_request(line)
        assert request is not None
        arguments = received_arguments(line, request["arguments"])
        sender.join()
    return request, arguments


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(20)[::3],
        np.zeros((0, 4), np.float32),
        np.array(7),
        np.array([True, False]),
    ],
)
def test_arrays_cross_unchanged_into_memory_of_their_own(array: np.ndarray) -> None:
    _, arguments = crossed(Call("f", {"x": array, "seed": 2**40}, ()))
    got = arguments["x"]
    assert arguments["seed"] == 2**40 and isinstance(got, np.ndarray)
    np.testing.assert_array_equal(got, array, strict=True)
    assert got.flags.writeable and got.flags.c_contiguous and got.flags.owndata


def test_request_names_what_must_come_back() -> None:
    request, _ = crossed(CALL)
    assert request["function"] == "detect" and request["bare"] == "score"
    plain = {"shape": [], "optional": False, "most": 0, "finite": True}
    assert request["returns"] == [
        {**plain, "name": "score", "dtype": "float64"},
        {**plain, "name": "flag", "dtype": "bool", "optional": True},
        {**plain, "name": "maps", "dtype": "float32", "shape": [2, 3], "optional": True},
    ]


def test_request_names_free_axes_and_what_need_not_be_finite() -> None:
    request, _ = crossed(FREE)
    assert request["returns"] == [
        {"name": "score", "dtype": "float64", "shape": [], "optional": False, "most": 0, "finite": True},
        {
            "name": "moved",
            "dtype": "float64",
            "shape": [3, None],
            "optional": True,
            "most": 4,
            "finite": True,
        },
        {
            "name": "parts",
            "dtype": "float32",
            "shape": [None, 2],
            "optional": False,
            "most": 9,
            "finite": False,
        },
    ]


def test_argument_is_made_from_its_arrays_among_the_others() -> None:
    made = Made("builtins:dict", {"a": np.arange(3), "b": np.eye(2)})
    _, received = crossed(Call("f", {"x": np.ones(2), "model": made, "y": np.zeros(1), "seed": 3}, ()))
    arguments = made_arguments(received)
    assert list(arguments) == ["x", "model", "y", "seed"] and arguments["seed"] == 3
    assert arguments["x"].tolist() == [1, 1] and arguments["y"].tolist() == [0]
    assert arguments["model"]["a"].tolist() == [0, 1, 2]
    assert arguments["model"]["b"].tolist() == [[1, 0], [0, 1]]


def test_only_plain_dtypes_may_cross() -> None:
    with pytest.raises(ValueError, match="got object"):
        list(encoded(Call("f", {"x": np.array([None])}, ()), TOKEN))
    with pytest.raises(ValueError, match="got complex128"):
        list(encoded(Call("f", {}, (Field("x", "complex128"),)), TOKEN))
    with pytest.raises(ValueError, match="got object"):
        list(encoded(Call("f", {"x": Made("a:b", {"x": np.array([None])})}, ()), TOKEN))


@pytest.mark.parametrize(
    "field",
    [
        Field("x", "float64", (None, None), most=3),
        Field("x", "float64", (None,)),
        Field("x", "float64", (None,), most=1 << 32),
    ],
    ids=["two free axes", "no most", "most beyond u32"],
)
def test_shape_that_cannot_be_read_safely_is_refused(field: Field) -> None:
    with pytest.raises(ValueError, match="x: expected up to one free axis"):
        list(encoded(Call("f", {}, (field,)), TOKEN))


@pytest.mark.parametrize("maker", ["os", "os:", ":getpid", "os:path.join", "os:getpid()"])
def test_maker_must_name_a_module_and_a_function(maker: str) -> None:
    with pytest.raises(ValueError, match=r"expected a maker such as package\.module:function, got"):
        list(encoded(Call("f", {"x": Made(maker, {})}, ()), TOKEN))


def test_head_says_how_many_bytes_follow() -> None:
    assert read_head(ANSWER.pack(TOKEN, 0, 0b101, 0), CALL, TOKEN) == Head(Status.OK, (SCORE, MAPS), 0)
    assert read_head(ANSWER.pack(TOKEN, 0, 0b101, 0), CALL, TOKEN).size == 8 + 6 * 4
    assert read_head(ANSWER.pack(TOKEN, 2, 0, 9), CALL, TOKEN) == Head(Status.OUT_OF_MEMORY, (), 9)


def test_sizes_of_free_axes_follow_for_the_fields_present() -> None:
    head = read_head(ANSWER.pack(TOKEN, 0, 0b111, 0), FREE, TOKEN)
    assert head.sizes_bytes == 8 and head.size == 8 + 3 * 4 * 8 + 9 * 2 * 4
    known = sized(head, struct.pack("<II", 2, 5))
    assert [field.shape for field in known.fields] == [(), (3, 2), (5, 2)]
    assert known.size == 8 + 3 * 2 * 8 + 5 * 2 * 4
    without = read_head(ANSWER.pack(TOKEN, 0, 0b101, 0), FREE, TOKEN)
    assert without.sizes_bytes == 4
    assert [field.shape for field in sized(without, struct.pack("<I", 9)).fields] == [(), (9, 2)]
    assert read_head(ANSWER.pack(TOKEN, 1, 0, 5), FREE, TOKEN).sizes_bytes == 0


@pytest.mark.parametrize(
    ("moved", "parts", "name"), [(0, 5, "moved"), (5, 5, "moved"), (4, 2**32 - 1, "parts")]
)
def test_lying_size_is_malformed(moved: int, parts: int, name: str) -> None:
    head = read_head(ANSWER.pack(TOKEN, 0, 0b111, 0), FREE, TOKEN)
    with pytest.raises(Malformed, match=f"{name}: expected a free size from 1 to [49], got "):
        sized(head, struct.pack("<II", moved, parts))


@pytest.mark.parametrize(
    "values",
    [
        (b"another!", 0, 0b001, 0),
        (TOKEN, 4, 0, 0),
        (TOKEN, 0, 0b010, 0),
        (TOKEN, 0, 0b1001, 0),
        (TOKEN, 0, 0b001, 5),
        (TOKEN, 1, 0b001, 5),
        (TOKEN, 1, 0, 2049),
    ],
    ids=["token", "status", "missing score", "unknown field", "reason for ok", "failed with fields", "long"],
)
def test_lying_head_is_malformed(values: tuple[bytes, int, int, int]) -> None:
    with pytest.raises(Malformed):
        read_head(ANSWER.pack(*values), CALL, TOKEN)


@given(st.binary(min_size=ANSWER.size, max_size=ANSWER.size))
def test_no_other_bytes_make_a_head(data: bytes) -> None:
    with pytest.raises(Malformed):
        read_head(data, CALL, TOKEN)


@given(st.integers(0, 255), st.integers(0, 2**32 - 1), st.integers(0, 2**16 - 1))
def test_any_head_is_refused_or_bounded(status: int, mask: int, length: int) -> None:
    try:
        head = read_head(ANSWER.pack(TOKEN, status, mask, length), CALL, TOKEN)
    except Malformed:
        return
    assert head.size <= 2048 and (SCORE in head.fields) == (head.status is Status.OK)


def test_fields_are_read_from_their_bytes() -> None:
    maps = np.arange(6, dtype=np.float32).reshape(2, 3)
    data = bytearray(np.float64(0.5).tobytes() + b"\1" + maps.tobytes())
    arrays = decoded((SCORE, FLAG, MAPS), data)
    assert arrays["score"] == 0.5 and arrays["flag"] and arrays["flag"].dtype == np.bool_
    np.testing.assert_array_equal(arrays["maps"], maps, strict=True)


def test_field_of_a_known_free_size_need_not_be_finite_where_it_says_so() -> None:
    values = np.array([[1, np.nan], [np.inf, 2], [-np.inf, 3]], np.float32)
    arrays = decoded((replace(PARTS, shape=(3, 2)),), bytearray(values.tobytes()))
    np.testing.assert_array_equal(arrays["parts"], values, strict=True)


@pytest.mark.parametrize(
    ("field", "data"),
    [
        (SCORE, np.float64("nan").tobytes()),
        (SCORE, np.float64("inf").tobytes()),
        (FLAG, b"\2"),
        (MAPS, np.array([1, 2, 3, 4, 5, np.nan], np.float32).tobytes()),
    ],
)
def test_values_no_honest_worker_sends_are_malformed(field: Field, data: bytes) -> None:
    with pytest.raises(Malformed, match=field.name):
        decoded((field,), bytearray(data))


def test_text_of_others_is_harmless() -> None:
    assert harmless("a\tb\r\nc\x1b[31m\x00\u202ed") == "a\tb\nc[31md"
    assert "::" not in harmless("::error::x\n:::set-output") and "##[" not in harmless("##[error]x")
    assert one_line("a\n\n b\x07") == "a b"
