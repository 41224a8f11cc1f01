"""The frames in which calls and answers cross, as the host writes and reads them.

A call is a length (u32), that many bytes of JSON naming the function, its arguments and the fields that must
come back, and the bytes of the array arguments in order. An answer is a fixed head (the call's token, a
status, a bit mask of the fields present, the length of a reason), the reason, and the bytes of the fields
present in order. The host knows each field's dtype, shape and byte count before it reads it. Nothing is ever
unpickled or evaluated. `calls.py` holds the other half, as it must stand alone.
"""

import json
import math
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmark.records import Arrays, Call, Field, Status
from benchmark.text import is_plain

REQUEST = struct.Struct("<I")
ANSWER = struct.Struct("<8sBIH")
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
    def size(self) -> int:
        """How many bytes follow the head."""
        return self.reason_bytes + sum(size(field) for field in self.fields)


def size(field: Field) -> int:
    """The byte count of a field's array."""
    return math.prod(field.shape) * np.dtype(field.dtype).itemsize


def encoded(call: Call, token: bytes) -> Iterator[memoryview]:
    """The bytes of a call, in parts. Raises ValueError for a call that no track may make."""
    described: list[tuple[str, str | None, int | tuple[int, ...]]] = []
    arrays: list[npt.NDArray[np.generic]] = []
    for name, value in call.arguments.items():
        if isinstance(value, np.ndarray):
            described.append((name, _checked(value.dtype.name), value.shape))
            arrays.append(np.asarray(value, order="C"))
        else:
            described.append((name, None, int(value)))
    if len(call.returns) > MAX_FIELDS:
        raise ValueError(f"{call.function}: expected up to {MAX_FIELDS} fields, got {len(call.returns)}")
    returns = [
        {"name": f.name, "dtype": _checked(f.dtype), "shape": f.shape, "optional": f.optional}
        for f in call.returns
    ]
    head = json.dumps(
        {
            "token": token.hex(),
            "function": call.function,
            "arguments": described,
            "returns": returns,
            "bare": call.bare,
        }
    ).encode()
    yield memoryview(REQUEST.pack(len(head)) + head)
    for array in arrays:
        yield array.reshape(-1).view(np.uint8).data


def _checked(dtype: str) -> str:
    if dtype not in DTYPES:
        raise ValueError(f"expected an array of {', '.join(DTYPES)}, got {dtype}")
    return dtype


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


def decoded(fields: Sequence[Field], data: bytearray) -> Arrays:
    """The arrays of the fields, by name, read from exactly their bytes.

    Raises Malformed for values no honest worker sends: NaN, infinity, or a bool other than 0 and 1.
    """
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    offset = 0
    for field in fields:
        count = size(field)
        raw = np.frombuffer(data, np.uint8, count, offset)
        array = raw.copy().view(field.dtype).reshape(field.shape)
        if field.dtype == "bool" and (raw > 1).any():
            raise Malformed(f"{field.name}: expected bools, got other bytes")
        if field.dtype.startswith("float") and not np.isfinite(array).all():
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
