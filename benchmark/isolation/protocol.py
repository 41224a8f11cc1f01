"""The frames in which calls and answers cross, as the host writes and reads them.

A call is a length (u32), that many bytes of JSON naming the function, its arguments and the fields that must
come back, and the bytes of the array arguments in order. An answer is a fixed head (the call's token, a
status, a bit mask of the fields present, the length of a reason), the size (u32) of the free axis of each
field present that has one, the reason, and the bytes of the fields present in order. The host knows each
field's dtype, shape and byte count before it reads it. Nothing is ever unpickled or evaluated. `calls.py`
holds the other half, as it must stand alone.
"""

import json
import math
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmark.records import Arrays, Call, Field, Made, Status
from benchmark.text import is_plain

REQUEST = struct.Struct("<I")
ANSWER = struct.Struct("<8sBIH")
SIZE = struct.Struct("<I")
MOST_SIZE = (1 << 32) - 1
"""The largest size of a free axis that its bytes can tell."""
TOKEN_BYTES = 8
REASON_BYTES = 2048
"""The longest reason a worker may give."""
STATUSES = (Status.OK, Status.CRASHED, Status.OUT_OF_MEMORY, Status.BAD_OUTPUT)
"""What the status byte of an answer stands for."""
DTYPES = ("float64", "float32", "int64", "bool")
"""The dtypes that cross."""
MAX_FIELDS = 32
"""How many fields a call may ask for: one bit each."""


class Malformed(Exception):
    """What came is no frame of the protocol; the message says what was expected and what came."""


@dataclass(frozen=True)
class Head:
    """The fixed head of an answer, checked."""

    status: Status
    """`ok`, or how the call failed inside."""
    fields: tuple[Field, ...]
    """The fields whose bytes follow, in order; empty for a failure."""
    reason_bytes: int
    """The length of the reason that follows, in bytes; 0 for `ok`."""

    @property
    def sizes_bytes(self) -> int:
        """How many bytes between the head and the reason tell the sizes of free axes."""
        return SIZE.size * sum(None in field.shape for field in self.fields)

    @property
    def size(self) -> int:
        """How many bytes follow the head and the sizes; while a size is not known, the most there can be."""
        return self.reason_bytes + sum(size(field) for field in self.fields)


def shape(field: Field) -> tuple[int, ...]:
    """The shape of a field's array; with a free axis, the largest it may have."""
    return tuple(field.most if length is None else length for length in field.shape)


def size(field: Field) -> int:
    """The byte count of a field's array; with a free axis, of the largest."""
    return math.prod(shape(field)) * np.dtype(field.dtype).itemsize


def encoded(call: Call, token: bytes) -> Iterator[memoryview]:
    """The bytes of a call, in parts. Raises ValueError for a call that no track may make."""
    if len(call.returns) > MAX_FIELDS:
        raise ValueError(f"{call.function}: expected up to {MAX_FIELDS} fields, got {len(call.returns)}")
    arrays: list[npt.NDArray[np.generic]] = []
    head = json.dumps(
        {
            "token": token.hex(),
            "function": call.function,
            "arguments": _described(call.arguments, arrays),
            "returns": [_described_field(field) for field in call.returns],
            "bare": call.bare,
        }
    ).encode()
    yield memoryview(REQUEST.pack(len(head)) + head)
    for array in arrays:
        yield array.reshape(-1).view(np.uint8).data


def _described(
    arguments: Mapping[str, npt.NDArray[Any] | int | Made], arrays: list[npt.NDArray[np.generic]]
) -> list[tuple[str, str | None, object]]:
    """The arguments as JSON: name, dtype, shape of an array, which joins `arrays`; else name, None, value."""
    described: list[tuple[str, str | None, object]] = []
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            described.append((name, _checked(value.dtype.name), value.shape))
            arrays.append(np.asarray(value, order="C"))
        elif isinstance(value, Made):
            made = {"maker": _checked_maker(value.maker), "arrays": _described(value.arrays, arrays)}
            described.append((name, None, made))
        else:
            described.append((name, None, int(value)))
    return described


def _described_field(field: Field) -> dict[str, object]:
    """A field as JSON. Raises ValueError for a shape that cannot be read safely."""
    free = field.shape.count(None)
    if free > 1 or (free and not 1 <= field.most <= MOST_SIZE):
        raise ValueError(
            f"{field.name}: expected up to one free axis, and `most` from 1 to {MOST_SIZE} with it, "
            f"got shape {field.shape} and {field.most}"
        )
    return {
        "name": field.name,
        "dtype": _checked(field.dtype),
        "shape": field.shape,
        "optional": field.optional,
        "most": field.most,
        "finite": field.finite,
    }


def _checked(dtype: str) -> str:
    if dtype not in DTYPES:
        raise ValueError(f"expected an array of {', '.join(DTYPES)}, got {dtype}")
    return dtype


def _checked_maker(maker: str) -> str:
    module, _, function = maker.partition(":")
    if not module or not function.isidentifier():
        raise ValueError(f"expected a maker such as package.module:function, got {maker}")
    return maker


def read_head(data: bytes, call: Call, token: bytes) -> Head:
    """The head of the answer to `call`, from its 15 bytes. Raises Malformed for anything else."""
    echoed, code, mask, reason_bytes = ANSWER.unpack(data)
    if echoed != token:
        raise Malformed("an answer to this call was expected, got bytes that answer another")
    if code >= len(STATUSES) or reason_bytes > REASON_BYTES or mask >> len(call.returns):
        raise Malformed("the head of an answer was expected, got values out of range")
    status = STATUSES[code]
    fields = tuple(field for bit, field in enumerate(call.returns) if mask >> bit & 1)
    if status is Status.OK:
        missing = [f.name for f in call.returns if not f.optional and f not in fields]
        if missing or reason_bytes:
            raise Malformed(f"an answer with {', '.join(missing) or 'no reason'} was expected, got another")
    elif mask:
        raise Malformed("a failure without fields was expected, got one with fields")
    return Head(status, fields, reason_bytes)


def sized(head: Head, data: bytes) -> Head:
    """The head with the sizes of its free axes filled in, from exactly their bytes.

    Raises Malformed for a size that was not asked for, before anything of that size is read.
    """
    sizes = SIZE.iter_unpack(data)
    return replace(head, fields=tuple(_sized(f, *next(sizes)) if None in f.shape else f for f in head.fields))


def _sized(field: Field, free: int) -> Field:
    if not 1 <= free <= field.most:
        raise Malformed(f"{field.name}: expected a free size from 1 to {field.most}, got {free}")
    return replace(field, shape=tuple(free if length is None else length for length in field.shape))


def decoded(fields: Sequence[Field], data: bytearray) -> Arrays:
    """The arrays of the fields, whose sizes are known, by name, read from exactly their bytes.

    Raises Malformed for values no honest worker sends: NaN or infinity where a field must be finite, or a
    bool other than 0 and 1.
    """
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    offset = 0
    for field in fields:
        count = size(field)
        raw = np.frombuffer(data, np.uint8, count, offset)
        array = raw.copy().view(field.dtype).reshape(shape(field))
        if field.dtype == "bool" and (raw > 1).any():
            raise Malformed(f"{field.name}: expected bools, got other bytes")
        if field.finite and field.dtype.startswith("float") and not np.isfinite(array).all():
            raise Malformed(f"{field.name}: expected finite {field.dtype}, got NaN or infinity")
        arrays[field.name] = array
        offset += count
    return arrays


def one_line(text: str) -> str:
    """Text of others on one line, without characters that do not show as themselves."""
    return harmless(" ".join(text.split()))


def harmless(text: str) -> str:
    """Text of others as a log may show it: no control characters, and no commands to a workflow runner."""
    shown = "".join(c for c in text.replace("\r\n", "\n").replace("\r", "\n") if c in "\n\t" or is_plain(c))
    return re.sub(r":(?=:)", ": ", shown).replace("##[", "## [")
