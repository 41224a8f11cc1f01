"""The results.json schema; reading, writing and comparing results."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from benchmark import stored
from benchmark.records import LARGEST, CaseKey, Judgement, Kind, Outcome, Status
from benchmark.stored import Finite, Moment, Record, Seconds, Sha256

Suite = Literal["full", "quick"]
"""Which cases were run: all, or a few."""
FILE_NAME = "results.json"
AGAIN = "score the entry again"
"""What mends a result that is not valid."""


class Row(Record):
    """One case; per-case figures beyond score and flag stand beside them under their own names."""

    model_config = ConfigDict(frozen=True, strict=True, extra="allow")
    __pydantic_extra__: dict[str, Finite]

    case: str
    """The case's id: variant, strength and seed."""
    variant: str
    """How the shortcut is carried."""
    strength: Finite
    """Delta or rho."""
    seed: int
    """The dataset's seed."""
    kind: Kind
    """What the case is in truth."""
    status: Status
    """`ok`, or how the case failed."""
    reason: str | None
    """Why it failed, in one line."""
    score: Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)] | None
    """The entry's score, where the track has scores."""
    flag: bool | None
    """The entry's flag, where it gives one."""


class Details(Record):
    """What the metrics are made of."""

    per_dataset: list[Row]
    """One row for each case, in suite order."""
    by_strength: dict[str, dict[str, dict[str, Finite]]]
    """Metric -> variant -> strength -> value."""


class Digests(Record):
    """What a result rests on."""

    entry: Sha256
    """All of the entry that can change a score."""
    suite: Sha256
    """The data of the cases that were run."""
    scorer: Sha256
    """The behavior of the metrics."""
    gallery: Sha256 | None = None
    """The pictures beside the result; absent where there are none."""


class Timing(Record):
    """How long it took; differs from run to run."""

    seconds: Seconds
    """Wall time of the whole run."""
    per_case: dict[str, Seconds]
    """Wall seconds of the entry's calls, by case id."""
    scored_at: Moment
    """When the run ended, ISO 8601 in UTC."""


class Environment(Record):
    """Where it was made; differs from machine to machine."""

    commit: str | None
    """The repository's commit, with `+` behind it when files differed from it."""
    python: str
    """The interpreter's version."""
    packages: dict[str, str]
    """The versions of the packages entries compute with."""
    cpu: str
    """The processor's model."""
    isa: str
    """The vector instruction set that numbers were computed with."""
    isolation: Literal["bwrap", "process"]
    """How the entry was kept apart; `process` does not protect."""
    fingerprint: Sha256 | None = None
    """What the machine makes of a fixed small computation; absent from results older than it."""


class Fresh(Record):
    """Metrics on seeds that only a key makes: no rows, and nothing that tells the seeds."""

    key_sha256: Sha256
    """Which key, as the version's fresh.json names it."""
    metrics: dict[str, Finite | None]
    """As in the result."""
    reasons: dict[str, str]
    """As in the result."""
    intervals: dict[str, tuple[Finite, Finite]]
    """As in the result."""
    fingerprint: Sha256
    """What the machine that made them makes of a fixed small computation."""


class Determinism(Record):
    """What came of running a few cases, drawn by lot, a second time."""

    cases: Annotated[int, Field(ge=1)]
    """How many."""
    differing: Annotated[int, Field(ge=0)]
    """How many of them were answered differently."""
    largest: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None
    """The largest difference of two answers, relative to their size where that is above 1; null where one
    run failed, or gave another flag."""


class Result(Record):
    """One entry on one version of one track."""

    schema_: Literal[1] = Field(alias="schema")
    """The layout's version."""
    entry: str
    """The entry's id."""
    track: str
    """The track's key."""
    version: str
    """The track's version."""
    suite: Suite
    """Which cases were run."""
    seed_offset: Annotated[int, Field(ge=0)]
    """How far the seeds were moved; 0 for the public suite."""
    status: Literal["complete", "incomplete"]
    """Whether every case is ok."""
    metrics: dict[str, Finite | None]
    """Every metric of the version; null where it has no value."""
    reasons: dict[str, str]
    """Why, for each null metric."""
    intervals: dict[str, tuple[Finite, Finite]]
    """95% bootstrap interval of each metric that has a value."""
    details: Details
    """Per-case rows and the breakdown."""
    digests: Digests
    """What the result rests on."""
    timing: Timing
    """How long it took."""
    environment: Environment
    """Where it was made."""
    fresh: Fresh | None
    """Metrics on fresh seeds; null until they are scored."""
    determinism: Determinism | None = None
    """Whether cases that were run twice were answered alike; absent where none was."""

    @property
    def place(self) -> Path:
        """Where the file belongs below a results folder."""
        return Path(self.track, self.version, self.entry, FILE_NAME)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The rows as outcomes, with the times of `timing`."""
        seconds = self.timing.per_case
        return tuple(_outcome(row, seconds.get(row.case, 0.0)) for row in self.details.per_dataset)


def row_of(outcome: Outcome) -> Row:
    """The row that an outcome is written as."""
    key, judgement = outcome.key, outcome.judgement
    return Row.model_validate(
        {
            "case": key.id,
            "variant": key.variant,
            "strength": float(key.strength),
            "seed": key.seed,
            "kind": outcome.kind,
            "status": outcome.status,
            "reason": outcome.reason,
            "score": judgement.score,
            "flag": judgement.flag,
            **judgement.figures,
        }
    )


def _outcome(row: Row, seconds: float) -> Outcome:
    return Outcome(
        key=CaseKey(row.variant, row.strength, row.seed, row.kind),
        kind=row.kind,
        status=row.status,
        reason=row.reason,
        judgement=Judgement(row.score, row.flag, dict(row.__pydantic_extra__)),
        seconds=seconds,
    )


def canonical(result: Result) -> str:
    """The text of a results.json: sorted keys, shortest exact floats, a newline at the end."""
    return stored.canonical_text(result)


def save(result: Result, path: Path) -> None:
    """Writes a result in one step: `path` holds the old text or the new one, never a part."""
    stored.write(result, path)


def parse(text: bytes, where: str) -> Result:
    """The result that the bytes of a results.json hold. Raises ResultError with all faults found.

    where: the file's name, for messages.
    """
    return stored.read(Result, text, where, AGAIN)


def differences(old: Result, new: Result) -> Iterator[tuple[str, float]]:
    """What differs between two results of one entry on one version, with the size of each difference.

    Metrics and interval ends count by the absolute difference, scores and figures relative to their
    size where that is above 1; a value that only one of them has, another flag, kind or status counts
    as infinite.
    """
    yield from metric_differences(old, new)
    before = {row.case: row for row in old.details.per_dataset}
    after = {row.case: row for row in new.details.per_dataset}
    for case in sorted(before.keys() | after.keys()):
        yield from row_differences(case, before.get(case), after.get(case))


def metric_differences(old: Result | Fresh, new: Result | Fresh) -> Iterator[tuple[str, float]]:
    """What differs between the metrics and intervals of two results, as in `differences`."""
    yield from _number_differences("metrics", old.metrics, new.metrics)
    for name in sorted(old.intervals.keys() | new.intervals.keys()):
        pair = (old.intervals.get(name, (None, None)), new.intervals.get(name, (None, None)))
        ends = [dict(zip(("low", "high"), interval, strict=True)) for interval in pair]
        yield from _number_differences(f"intervals.{name}", ends[0], ends[1])


def row_differences(case: str, old: Row | None, new: Row | None) -> Iterator[tuple[str, float]]:
    """What differs between two rows of one case, as in `differences`; infinite where one is missing."""
    if old is None or new is None:
        yield case, math.inf
        return
    for name in ("kind", "status", "flag"):
        if getattr(old, name) != getattr(new, name):
            yield f"{case} {name}", math.inf
    yield from _number_differences(
        case,
        {"score": old.score, **old.__pydantic_extra__},
        {"score": new.score, **new.__pydantic_extra__},
    )


def _number_differences(
    where: str, old: Mapping[str, float | None], new: Mapping[str, float | None]
) -> Iterator[tuple[str, float]]:
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name), new.get(name)
        if before == after:
            continue
        if before is None or after is None:
            yield f"{where} {name}", math.inf
        else:
            yield f"{where} {name}", abs(before - after) / max(1.0, abs(before))
