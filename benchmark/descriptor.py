"""The schema of entry.toml, and reading it with a message for every fault."""

import json
import keyword
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import ErrorDetails

from benchmark.errors import EntryError
from benchmark.text import SHOWN, did_you_mean, fault, is_plain, printable, shown
from benchmark.tracks import TRACKS

PLACEHOLDERS: Mapping[str, object] = {
    "summary": "What the method does, in one sentence.",
    "authors": ["Your name"],
}
"""What a new entry says until its author does."""
BOM = b"\xef\xbb\xbf"
MOST_BYTES = 16 << 10
"""How large an entry.toml may be: all its keys at their longest fit in."""
MOST_FAULTS = 30
"""How many faults of one entry.toml are told, before the rest is counted."""


def _plain(text: str) -> str:
    for character in text:
        if not is_plain(character):
            raise ValueError(f"take out the character U+{ord(character):04X}")
    if text != text.strip():
        raise ValueError("take out the spaces at its ends")
    return text


def _link(text: str) -> str:
    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError as error:
        raise ValueError(f"mend the address: {error}") from None
    if not host or "@" in parts.netloc or not re.fullmatch(r"[!#-&(-;=?-\[\]_a-z~]+", text):
        raise ValueError("give a plain address with a host, without user names, spaces or quotes")
    return text


def _bibtex(text: str) -> str:
    if not text.lstrip().startswith("@"):
        raise ValueError("begin it with @, as in @article{...}")
    for line in text.replace("\t", " ").splitlines():
        _plain(line.strip())
    return text


def _track(key: str) -> str:
    if key not in TRACKS:
        raise ValueError(did_you_mean(key, TRACKS))
    return key


def _once(values: list[str]) -> list[str]:
    twice = sorted({value for value in values if values.count(value) > 1})
    if twice:
        raise ValueError(f"give {shown(twice[0])} once")
    return values


def _function(name: str) -> str:
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError("give a name that method.py can define")
    return name


Link = Annotated[str, Field(max_length=300, pattern="^https://"), AfterValidator(_link)]
Author = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_plain)]
TrackKey = Annotated[str, AfterValidator(_track)]
FunctionName = Annotated[str, Field(max_length=80), AfterValidator(_function)]


class Descriptor(BaseModel):
    """What entry.toml says of an entry."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", title="entry.toml")

    title: Annotated[str, AfterValidator(_plain)] = Field(
        min_length=1,
        max_length=80,
        description="one line of 1 to 80 characters",
        examples=["Conditional linear probe"],
    )
    """The method's name, as tables show it."""
    summary: Annotated[str, AfterValidator(_plain)] = Field(
        min_length=1,
        max_length=300,
        description="one line of 1 to 300 characters",
        examples=["Predicts the attribute within each task label by a linear probe."],
    )
    """What it does, in one sentence."""
    authors: Annotated[list[Author], AfterValidator(_once)] = Field(
        min_length=1,
        max_length=50,
        description="a list of 1 to 50 names of up to 100 characters",
        examples=[["Your Name"]],
    )
    """Who wrote the entry."""
    license: Annotated[str, AfterValidator(_plain)] = Field(
        min_length=1,
        max_length=60,
        description="the license's name in 1 to 60 characters",
        examples=["MIT"],
    )
    """The license of the folder's files, best by its SPDX name."""
    tracks: Annotated[list[TrackKey], AfterValidator(_once)] = Field(
        min_length=1,
        description="a list of tracks, at least one",
        examples=[["embedding-detection"]],
    )
    """The tracks it takes part in."""
    kind: Literal["method", "control"] = Field(description='"method" or "control"', examples=["method"])
    """`control` for an oracle-like ceiling or an uninformed floor: shown, not ranked."""
    family: str = Field(
        pattern="^[a-z0-9][a-z0-9-]{0,29}$",
        description="1 to 30 lowercase letters, digits or hyphens",
        examples=["probe"],
    )
    """The kind of method, shown beside its name."""
    paper: Link | None = Field(
        default=None,
        description="an https address of up to 300 characters",
        examples=["https://arxiv.org/abs/1610.01644"],
    )
    """Where the method is published."""
    code: Link | None = Field(
        default=None,
        description="an https address of up to 300 characters",
        examples=["https://example.org/probe"],
    )
    """Where the method's own code lives."""
    bibtex: Annotated[str, AfterValidator(_bibtex)] | None = Field(
        default=None,
        max_length=3000,
        description="a BibTeX record of up to 3000 characters",
        examples=["@article{key2026, title = {A title}}"],
    )
    """How to cite the method."""
    functions: dict[str, FunctionName] = Field(
        default_factory=dict,
        description="a table of an entry's track to the name of a function in method.py",
        examples=[{"embedding-detection": "detect_embeddings"}],
    )
    """The function for a track, where it has another name than the track gives it."""

    @field_validator("functions")
    @classmethod
    def _of_own_tracks(cls, functions: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        tracks = info.data.get("tracks", functions)
        for key in functions:
            if key not in tracks:
                raise ValueError(f"{shown(key)} is not among the entry's tracks; {did_you_mean(key, tracks)}")
        return functions


def parse_toml(content: bytes, where: str) -> dict[str, Any]:
    """The table that the bytes of an entry.toml hold. Raises EntryError naming the line of the fault.

    where: the file's name, for messages.
    """
    if len(content) > MOST_BYTES:
        got = f"{len(content)} bytes"
        raise EntryError(fault(where, f"at most {MOST_BYTES} bytes", got, "leave out what no key needs"))
    if content.startswith(BOM):
        raise EntryError(fault(where, "UTF-8 text", "a byte order mark", "save it as UTF-8 without BOM"))
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        got = f"byte 0x{content[error.start]:02x} in line {line}"
        raise EntryError(fault(where, "UTF-8 text", got, "save it as UTF-8")) from None
    except (ValueError, RecursionError) as error:
        got = f"a fault in it: {printable(str(error))[:200]}"
        raise EntryError(fault(where, "TOML", got, "mend that line")) from None


def describe(table: Mapping[str, Any], where: str) -> Descriptor:
    """The descriptor in a parsed entry.toml. Raises EntryError with a line for every key at fault."""
    try:
        return Descriptor.model_validate(table)
    except ValidationError as invalid:
        errors = invalid.errors(include_url=False)
        faults = [_fault(error, where) for error in errors[:MOST_FAULTS]]
        if len(errors) > MOST_FAULTS:
            faults.append(f"{where}: and {len(errors) - MOST_FAULTS} more faults; mend these first")
        raise EntryError(*faults) from None


def wanted_functions(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Pairs of track and function name, as far as a parsed entry.toml, valid or not, tells them."""
    tracks, functions = table.get("tracks"), table.get("functions", {})
    if isinstance(tracks, list) and isinstance(functions, dict):
        for key in (key for key in tracks if isinstance(key, str) and key in TRACKS):
            name = functions.get(key, TRACKS[key].signature.name)
            if isinstance(name, str) and name.isidentifier():
                yield key, name


def toml_value(value: object) -> str:
    """A string, a list or a table of strings, as TOML writes it in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml_value(item)}" for key, item in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def _fault(error: ErrorDetails, where: str) -> str:
    key, *inner = (part for part in error["loc"] if part != "[key]")
    place = f"{where}: {_place(str(key), inner)}"
    if error["type"] == "extra_forbidden":
        step = did_you_mean(str(key), Descriptor.model_fields)
        return fault(place, "only the keys of an entry.toml", "another", step)
    field = Descriptor.model_fields[str(key)]
    example = f"{key} = {toml_value((field.examples or [''])[0])}"
    if error["type"] == "missing":
        return fault(place, f"{field.description}", "nothing", f"add it, as in {example}")
    cause = error.get("ctx", {}).get("error")
    step = f"write it as in {example}" if cause is None else str(cause)
    return fault(place, f"{field.description}", shown(error["input"]), step)


def _place(key: str, inner: list[int | str]) -> str:
    """Such as `title`, `authors[1]` or `functions.image-detection`."""
    steps = (f"[{part}]" if isinstance(part, int) else f".{part[:SHOWN]}" for part in inner)
    return key[:SHOWN] + "".join(steps)
