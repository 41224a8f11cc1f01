"""Which committed results were scored again, when, and what came of it."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from benchmark import stored
from benchmark.errors import ResultError
from benchmark.results import Result
from benchmark.stored import Moment, Record, Sha256
from benchmark.text import fault

FILE_NAME = "verified.json"
"""The file of the last verifications, in `results/`."""
MOST_BYTES = 4 << 20
"""How large such a file may be."""
MOST_SAID = 400
"""How many characters what was found may have."""
AGAIN = "make it with verify.py --log"
"""What mends a file that is not valid."""

Name = Annotated[str, Field(min_length=1, max_length=60)]


class Verification(Record):
    """One committed result that was scored again."""

    entry: Name
    """The entry's id."""
    track: Name
    """The track's key."""
    version: Name
    """The track's version."""
    scored_at: Moment
    """When the committed result was made: a newer one is not the one that was verified."""
    verified_at: Moment
    """When it was scored again, ISO 8601 in UTC."""
    fingerprint: Sha256
    """What the machine that scored it again makes of a fixed small computation."""
    same_fingerprint: bool
    """Whether the result was made on a machine with the same fingerprint."""
    largest: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None
    """The largest difference of two numbers, 0 where none differs; null where it could not be told."""
    stands: bool
    """Whether the committed result reproduces."""
    said: Annotated[str, Field(min_length=1, max_length=MOST_SAID)]
    """What was found, in one line."""

    @property
    def place(self) -> tuple[str, str, str]:
        """Whose result it is: track, version and entry."""
        return self.track, self.version, self.entry


class Log(Record):
    """Verifications: those of one run, or in `results/verified.json` the last one of each result."""

    schema_: Literal[1] = Field(alias="schema")
    """The layout's version."""
    results: list[Verification]
    """One for each result, by track, version and entry."""


def log_of(found: Iterable[Verification]) -> Log:
    """A log of verifications, in order."""
    return Log(schema=1, results=sorted(found, key=lambda one: one.place))


def load(path: Path) -> Log:
    """The log in the file at `path`. Raises ResultError with all faults of the file and its fields."""
    wanted = f"a log of verifications of up to {MOST_BYTES} bytes"
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise ResultError(fault(path, wanted, "another file or none", AGAIN))
        content = path.read_bytes()
    except OSError as error:
        raise ResultError(fault(path, wanted, error.strerror or "an error", AGAIN)) from None
    found = stored.read(Log, content, str(path), AGAIN)
    if len({one.place for one in found.results}) < len(found.results):
        raise ResultError(fault(f"{path}: results", "each result once", "one twice", AGAIN))
    return found


def last(results: Path) -> Log:
    """What `results/verified.json` holds; an empty log where there is none."""
    path = results / FILE_NAME
    return load(path) if path.exists() else log_of(())


def kept(old: Log, new: Log, results: Iterable[Result]) -> Log:
    """The last verification of each of `results`, `new` before `old`; those of other results are dropped."""
    scored = _scored(results)
    both = (one for log in (old, new) for one in log.results)
    return log_of({one.place: one for one in both if one.scored_at == scored.get(one.place)}.values())


def outdated(log: Log, results: Iterable[Result]) -> Iterator[Verification]:
    """The verifications of results that were made anew meanwhile, which say nothing of those there are."""
    scored = _scored(results)
    return (one for one in log.results if one.place in scored and _is_older(one, scored[one.place]))


def _is_older(one: Verification, scored_at: str) -> bool:
    return datetime.fromisoformat(one.scored_at) < datetime.fromisoformat(scored_at)


def faults(log: Log, results: Iterable[Result]) -> Iterator[str]:
    """What is wrong with the log of a run: verifications of results that were not committed."""
    scored = _scored(results)
    for one in log.results:
        name = f"{one.entry} on {one.track} {one.version}"
        if one.place not in scored:
            yield fault(name, "a committed result", "none", "verify what is committed")
        elif one.scored_at != scored[one.place] and not _is_older(one, scored[one.place]):
            yield fault(
                name, f"the result of {scored[one.place]}", f"one of {one.scored_at}", "verify it again"
            )


def _scored(results: Iterable[Result]) -> Mapping[tuple[str, str, str], str]:
    return {(r.track, r.version, r.entry): r.timing.scored_at for r in results}
