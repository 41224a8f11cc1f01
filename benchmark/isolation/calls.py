"""Serves the calls of one case inside the entry's own process, which the entry's objects never leave.

It stands alone beside `worker.py`, which loads it from its file. What an entry returns becomes arrays of the
dtypes and shapes that were asked for; what it raises becomes a status and one line.
"""

import contextlib
import importlib
import json
import os
import struct
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

REQUEST = struct.Struct("<I")
"""Before a call's description: its length."""
ANSWER = struct.Struct("<8sBIH")
"""Before an answer: the call's token, a status, a bit mask of the fields present, the reason's length."""
SIZE = struct.Struct("<I")
"""Behind it, for each field present that has a free axis: the size of that."""
OK, CRASHED, OUT_OF_MEMORY, BAD_OUTPUT = range(4)
"""The status of an answer."""
REASON_BYTES = 2048
"""The longest reason that is sent."""
PLACE_BYTES = 200
"""The room kept at its end for the line of the entry's code."""

Array = npt.NDArray[Any]
FieldDict = dict[str, Any]
"""A field a call asks for: the items of `records.Field`."""


class Unusable(Exception):
    """What the entry gave is not what it was asked for; says what it is, what was expected, and what came."""


class Line:
    """The case's ends of its line: a pipe to read calls from, and one to write answers to."""

    def __init__(self, calls: int, answers: int) -> None:
        self._calls = calls
        self._answers = answers

    def fill(self, buffer: Any) -> Any:
        """`buffer`, filled with what comes. Raises EOFError when the host has closed its end."""
        view = memoryview(buffer)
        while view:
            count = os.readv(self._calls, [view])
            if count == 0:
                raise EOFError
            view = view[count:]
        return buffer

    def send(self, data: bytes) -> None:
        """Sends all of it."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._answers, view) :]


class Served:
    """An entry as its calls reach it: its function, and the object that a call returned to be kept."""

    def __init__(self, signature: str, folder: str) -> None:
        self._function: Callable[..., object] | None = None
        self._fault: BaseException | None = None
        self._signature = signature
        self._folder = folder
        self._kept: object = None

    def load(self, load: Callable[[], Callable[..., object]]) -> None:
        """Has the function loaded; an error waits for the calls, each of which then fails with it."""
        try:
            self._function = load()
        except BaseException as error:  # noqa: BLE001 - an entry may raise anything
            self._fault = error

    def serve(self, line: Line) -> None:
        """Answers calls until the host closes its end of the line."""
        while (request := received_request(line)) is not None:
            self._reply(line, request)

    def _reply(self, line: Line, request: dict[str, Any]) -> None:
        """Sends the answer to one call, or the reason why there is none."""
        token = bytes.fromhex(request["token"])
        try:
            mask, parts = self._answer(line, request)
            head = ANSWER.pack(token, OK, mask, 0) + free_sizes(request["returns"], mask, parts)
        except BaseException as error:  # noqa: BLE001 - an entry may raise anything
            status, reason = describe(error, self._folder)
            head, parts = ANSWER.pack(token, status, 0, len(reason)) + reason, []
            if status != BAD_OUTPUT:
                with contextlib.suppress(Exception):
                    traceback.print_exc()
        line.send(b"".join([head, *(part.tobytes() for part in parts)]))

    def _answer(self, line: Line, request: dict[str, Any]) -> tuple[int, list[Array]]:
        """The bit mask and the arrays of the answer to one call; raises whatever the entry may."""
        arguments = made_arguments(received_arguments(line, request["arguments"]))
        if self._fault is not None:
            raise self._fault
        name, returns = request["function"], request["returns"]
        target: Any = self._function if name == self._signature else getattr(self._kept, name, None)
        if target is self._function and target is not None:
            value = target(**arguments)
        elif target is not None:
            value = target(*arguments.values())
        elif returns and all(field["optional"] for field in returns):
            value = {}
        else:
            raise Unusable(
                f"{name}: expected a method of the returned object, got {named(self._kept)} without it"
            )
        if returns:
            return converted(returns, request["bare"], value)
        if value is None:
            raise Unusable(f"{name}: expected an object, got None")
        self._kept = value
        return 0, []


def received_request(line: Line) -> dict[str, Any] | None:
    """The next call's description; None when the host has closed its end."""
    try:
        (length,) = REQUEST.unpack(line.fill(bytearray(REQUEST.size)))
        request: dict[str, Any] = json.loads(line.fill(bytearray(length)))
    except EOFError:
        return None
    return request


def received_arguments(line: Line, described: list[list[Any]]) -> dict[str, Any]:
    """The arguments by name: whole numbers, and arrays in memory of their own, writable and C-contiguous.

    One that is still to be made is a dict of its maker and its arrays.
    """
    arguments: dict[str, Any] = {}
    for name, dtype, value in described:
        if dtype is not None:
            arguments[name] = np.empty(value, dtype)
            line.fill(arguments[name].reshape(-1).view(np.uint8).data)
        elif isinstance(value, dict):
            arguments[name] = {**value, "arrays": received_arguments(line, value["arrays"])}
        else:
            arguments[name] = value
    return arguments


def made_arguments(received: dict[str, Any]) -> dict[str, Any]:
    """The arguments, those made that were still to be; raises whatever their makers may."""
    return {name: made(value) if isinstance(value, dict) else value for name, value in received.items()}


def made(described: dict[str, Any]) -> object:
    """What a maker makes of its arrays: `package.module:function` names it."""
    module, _, function = described["maker"].partition(":")
    return getattr(importlib.import_module(module), function)(**described["arrays"])


def converted(fields: list[FieldDict], bare: str | None, value: object) -> tuple[int, list[Array]]:
    """The bit mask of the fields an answer holds, and their arrays.

    bare: the field that a value other than a dict stands for. Raises Unusable when it is no answer.
    """
    names = [field["name"] for field in fields]
    if not isinstance(value, dict):
        if bare is None:
            raise Unusable(f"answer: expected a dict of {', '.join(names)}, got {named(value)}")
        value = {bare: value}
    if unknown := [key for key in value if key not in names]:
        raise Unusable(f"answer: expected no keys but {', '.join(names)}, got {unknown[0]!r:.60}")
    mask = 0
    parts: list[Array] = []
    for position, field in enumerate(fields):
        if field["name"] in value:
            mask |= 1 << position
            parts.append(converted_field(field, value[field["name"]]))
        elif not field["optional"]:
            raise Unusable(f"{field['name']}: expected {wording(field)}, got no such key in the answer")
    return mask, parts


def converted_field(field: FieldDict, value: Any) -> Array:
    """The C-contiguous array of a field's exact dtype and shape; raises Unusable for any other value."""
    wrong = f"{field['name']}: expected {wording(field)}, got "
    try:
        given = np.asarray(value)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - an object's own conversion may raise anything
        raise Unusable(f"{wrong}{named(value)}, which makes no array: {error}") from None
    if not fits(given.dtype.kind, field["dtype"]):
        got = named(value) if given.shape == () else f"{given.dtype} of shape {given.shape}"
        raise Unusable(wrong + got)
    if not shaped(field, given.shape):
        raise Unusable(f"{wrong}{given.dtype} of shape {given.shape}")
    with np.errstate(all="ignore"):
        array = np.array(given, dtype=field["dtype"], order="C", subok=False)
    if field["finite"] and array.dtype.kind == "f" and not np.isfinite(array).all():
        first = array[~np.isfinite(array)][0]
        raise Unusable(f"{wrong}{first}" + (" among its values" if array.shape else ""))
    if array.dtype.kind == "i" and not (array == given).all():
        raise Unusable(f"{wrong}{given.dtype} values beyond its range")
    return array


def shaped(field: FieldDict, given: tuple[int, ...]) -> bool:
    """Whether a shape is the field's; a free axis, None there, may have any size from 1 to its most."""
    wanted = field["shape"]
    return len(given) == len(wanted) and all(
        1 <= length <= field["most"] if free is None else length == free
        for length, free in zip(given, wanted, strict=True)
    )


def free_sizes(fields: list[FieldDict], mask: int, parts: list[Array]) -> bytes:
    """The sizes of the free axes of the fields present, in order, as an answer tells them."""
    present = [field["shape"] for position, field in enumerate(fields) if mask >> position & 1]
    pairs = zip(present, parts, strict=True)
    return b"".join(SIZE.pack(part.shape[shape.index(None)]) for shape, part in pairs if None in shape)


def fits(kind: str, wanted: str) -> bool:
    """Whether a dtype's kind stands for the wanted dtype.

    Any number does for a float, but no bool; whole numbers and bools do for int64; only bools for bool.
    """
    return kind in {"float64": "fiu", "float32": "fiu", "int64": "iub", "bool": "b"}[wanted]


def wording(field: FieldDict) -> str:
    """A field's type as a reason names it: `one finite float64`, `int64 of shape (600, 1 to 9)`."""
    finite = field["finite"] and field["dtype"].startswith("float")
    kind = ("finite " if finite else "") + field["dtype"]
    if not field["shape"]:
        return f"one {kind}"
    lengths = [f"1 to {field['most']}" if length is None else str(length) for length in field["shape"]]
    return f"{kind} of shape ({', '.join(lengths)}{',' if len(lengths) == 1 else ''})"


def named(value: object) -> str:
    """What a value is, in a word: `None`, `True`, or the name of its type."""
    if value is None or isinstance(value, bool):
        return str(value)
    return type(value).__name__


def describe(error: BaseException, folder: str) -> tuple[int, bytes]:
    """The status of an error, and one line about it in UTF-8: type, message, place in the entry's code."""
    try:
        message = str(error)
    except BaseException:  # noqa: BLE001 - an entry's exception may do anything
        message = "(its message cannot be shown)"
    if isinstance(error, Unusable):
        return BAD_OUTPUT, clipped(message, "")
    name = type(error).__name__
    lacks_memory = isinstance(error, MemoryError) or "can't allocate memory" in message
    line = clipped(f"{name}: {message[:REASON_BYTES]}" if message else name, place(error, folder))
    return (OUT_OF_MEMORY if lacks_memory else CRASHED), line


def place(error: BaseException, folder: str) -> str:
    """`(method.py line 12)`: the last line of the entry's own code that an error passed; empty for none."""
    found = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if name.startswith(folder + os.sep):
            found = f"({os.path.relpath(name, folder)} line {line})"
    return found


def clipped(text: str, end: str) -> bytes:
    """Text and its end on one line, in UTF-8, within the bytes of a reason; the end is kept."""
    head = " ".join(text.split()).encode(errors="replace")[: REASON_BYTES - PLACE_BYTES - 1]
    tail = " ".join(end.split()).encode(errors="replace")[-PLACE_BYTES:]
    return head + (b" " + tail if tail else b"")
