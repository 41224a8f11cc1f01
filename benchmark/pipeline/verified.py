"""What verifying committed results found, as a record that outlives the run."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from benchmark.stored import Moment, Record, Sha256
from benchmark.text import is_plain


def _one_line(text: str) -> str:
    if not all(map(is_plain, text)):
        raise ValueError("text on one line, of characters that show")
    return text


class Verified(Record):
    """What scoring one committed result again gave."""

    entry: Annotated[str, Field(pattern=r"^[a-z0-9_]{2,40}$")]
    """The entry's id."""
    track: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
    """The track's key."""
    version: Annotated[str, Field(pattern=r"^[0-9]{1,4}(\.[0-9]{1,4}){0,3}$")]
    """The track's version."""
    verified_at: Annotated[Moment, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,15}(\+00:00|Z)$")]
    """When it was scored again, ISO 8601 in UTC."""
    fingerprint: Sha256
    """What the machine that did so makes of a fixed small computation."""
    same_fingerprint: bool
    """Whether the committed result has the same one, so that every number had to be the same."""
    largest: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None
    """The largest difference; null where the two could not be compared."""
    stands: bool
    """Whether the committed result reproduces."""
    said: Annotated[str, Field(max_length=2000), AfterValidator(_one_line)]
    """What was found, in one line."""


class Log(Record):
    """What one run of verifying found."""

    schema_: Literal[1] = Field(alias="schema")
    """The layout's version."""
    commit: Annotated[str, Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})\+?$")] | None
    """The commit that was verified, `+` behind it when files differed from it; null when unknown."""
    results: list[Verified]
    """One for each result that was scored again."""
