"""Records in JSON files: strict types, reading with all faults at once, writing in one step."""

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
)

from benchmark.errors import ResultError, raise_all
from benchmark.text import fault, is_plain, shown


def _moment(text: str) -> str:
    found = datetime.fromisoformat(text)
    if found.utcoffset() != timedelta(0) or found.isoformat() != text:
        raise ValueError("a time in UTC, such as 2026-03-08T12:00:00+00:00")
    return text


MOST_FAULTS = 50
"""How many faults of one file are told; the rest is counted."""

Finite = Annotated[float, Field(allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0, le=1e9)]
Moment = Annotated[str, AfterValidator(_moment)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Record(BaseModel):
    """Base of the files' records: frozen, of strict types, without unknown keys.

    A field that has a default is left out of the file while it is null, so that older files stay as they are.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    @model_serializer(mode="wrap")
    def _without_absent(self, dump: SerializerFunctionWrapHandler) -> dict[str, object]:
        fields = type(self).model_fields
        optional = {name for name, field in fields.items() if not field.is_required()}
        return {n: value for n, value in dump(self).items() if value is not None or n not in optional}


R = TypeVar("R", bound=Record)


def canonical_text(record: Record) -> str:
    """The text of a record's file: sorted keys, shortest exact floats, a newline at the end."""
    content = record.model_dump(mode="json", by_alias=True)
    return json.dumps(content, sort_keys=True, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def write(record: Record, path: Path) -> None:
    """Writes a record in one step: `path` holds the old text or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(canonical_text(record))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read(model: type[R], text: bytes, where: str, step: str) -> R:
    """The record of class `model` that the bytes of a file hold. Raises ResultError with the faults found.

    where: the file's name, for messages. step: what mends a file that is not valid.
    """
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ResultError(
            f"{where}: expected UTF-8 text, got byte 0x{text[error.start]:02x} at {error.start}; {step}"
        ) from None
    if not decoded.strip():
        raise ResultError(f"{where}: expected a JSON object, got an empty file; {step}")
    try:
        content = json.loads(decoded, object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{where}: expected canonical JSON, got {error}; {step}") from None
    wanted = "text on one line, of characters that show"
    hiding = () if _hides_nothing(decoded) else _hiding(content)
    raise_all(ResultError, _first(where, [fault(where, wanted, got, step) for got in hiding]))
    try:
        return model.model_validate_json(decoded, by_alias=True)
    except ValidationError as invalid:
        faults = [_fault(where, error, step) for error in invalid.errors(include_url=False)]
        raise ResultError(*_first(where, faults)) from None


def _first(where: str, faults: Sequence[str]) -> Sequence[str]:
    """The first faults of a file, and how many more there are."""
    more = len(faults) - MOST_FAULTS
    return (*faults[:MOST_FAULTS], f"{where}: and {more} more like these") if more > 0 else faults


def _without_duplicates(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise ValueError(f"the key {shown(twice)} twice in one object")
    return found


def _hides_nothing(document: str) -> bool:
    """Whether no text in a JSON document can hide anything: without escapes, every character shows.

    A quick answer for nearly all documents; after False each text must be looked at.
    """
    return "\\" not in document and document.replace("\n", "").isprintable()


def _hiding(value: object) -> Iterator[str]:
    """The texts in a JSON document that hold line ends, or characters that do not show as themselves."""
    if isinstance(value, str):
        if not all(map(is_plain, value)):
            yield shown(value)
    elif isinstance(value, list):
        for item in value:
            yield from _hiding(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _hiding(key)
            yield from _hiding(item)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"the number {name}, which is not JSON")


def _fault(where: str, error: Mapping[str, Any], step: str) -> str:
    field = ".".join(str(part) for part in error["loc"]) or "the file"
    if error["type"] == "missing":
        return fault(f"{where}: {field}", "a value", "nothing", step)
    if error["type"] == "extra_forbidden":
        return fault(f"{where}: {field}", "only the fields of its schema", "another", step)
    wanted = error["msg"].removeprefix("Input should be ")
    return fault(f"{where}: {field}", wanted[:1].lower() + wanted[1:], shown(error["input"]), step)
