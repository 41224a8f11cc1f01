"""What a preview run says of an entry, in a small file that those who read it need not trust."""

import os
import stat
from collections import Counter
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from benchmark import stored
from benchmark.errors import ResultError
from benchmark.metrics import METRICS
from benchmark.ranking import RANKED, Group
from benchmark.records import Status
from benchmark.report import Rank
from benchmark.results import Suite
from benchmark.scorer import Scored
from benchmark.stored import Finite, Record
from benchmark.text import did_you_mean, fault
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Track, Version

FILE_NAME = "preview.json"
AGAIN = "run the preview again"
MOST_BYTES = 2**18
"""How large the file may be."""
MOST_LEVEL = 1000
"""How many entries may be named as level with it."""
SLACK = 1e-9
"""How far a value may lie outside of its metric's range, for rounding."""


def _track(key: str) -> str:
    if key not in TRACKS:
        raise ValueError(did_you_mean(key, TRACKS))
    return key


def _metric(name: str) -> str:
    if name not in METRICS:
        raise ValueError(did_you_mean(name, METRICS))
    return name


EntryId = Annotated[str, Field(pattern=r"^[a-z0-9_]{2,40}$")]
TrackKey = Annotated[str, Field(max_length=60), AfterValidator(_track)]
MetricName = Annotated[str, Field(max_length=60), AfterValidator(_metric)]
Number = Annotated[str, Field(pattern=r"^[0-9]{1,4}(\.[0-9]{1,4}){0,3}$")]
Count = Annotated[int, Field(ge=0, le=100_000)]
Place = Annotated[int, Field(ge=1, le=100_000)]


class Standing(Record):
    """Where the entry would stand in the table."""

    group: Group
    """The group it would stand in."""
    low: Place | None
    """The best rank it may have; null when it would not be ranked."""
    high: Place | None
    """The worst rank it may have; null when it would not be ranked."""
    ranked: Count
    """How many rows would be ranked, itself among them."""
    level: Annotated[list[EntryId], Field(max_length=MOST_LEVEL)]
    """The entries of its group it cannot be told apart from."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.group in RANKED:
            if self.low is None or self.high is None or not self.low <= self.high <= self.ranked:
                raise ValueError("a rank from low to high, among those ranked")
        elif self.low is not None or self.high is not None or self.level:
            raise ValueError("no rank and no equals for a group that is not ranked")
        return self


class TrackPreview(Record):
    """The entry on one track."""

    track: TrackKey
    """The track's key."""
    version: Number
    """The track's version."""
    status: Literal["complete", "incomplete", "unscored"]
    """Whether every case is ok; `unscored` where no case was run to its end."""
    cases: Count
    """How many cases were run."""
    failed: Annotated[dict[Status, Place], Field(max_length=len(Status))]
    """How many of them failed, for each status."""
    metrics: Annotated[dict[MetricName, Finite | None], Field(max_length=len(METRICS))]
    """Every metric of the version; null where it has no value."""
    intervals: Annotated[dict[MetricName, tuple[Finite, Finite]], Field(max_length=len(METRICS))]
    """95% bootstrap interval of each metric that has one."""
    rank: Standing | None
    """Where it would stand; null where that cannot be said."""

    @model_validator(mode="after")
    def _of_its_version(self) -> Self:
        versions = {version.number: version for version in TRACKS[self.track].versions}
        if self.version not in versions:
            raise ValueError(f"a version of {self.track}")
        if not self.metrics.keys() | self.intervals.keys() <= set(versions[self.version].metrics):
            raise ValueError(f"metrics of {self.track} {self.version}")
        return self

    @model_validator(mode="after")
    def _in_range(self) -> Self:
        for name, value in self.metrics.items():
            low, high = METRICS[name].low - SLACK, METRICS[name].high + SLACK
            ends = self.intervals.get(name, (low, high))
            if (value is not None and not low <= value <= high) or not low <= ends[0] <= ends[1] <= high:
                raise ValueError(f"{name} and its interval in the metric's range")
            if value is None and name in self.intervals:
                raise ValueError(f"no interval of {name}, which has no value")
        if not self.intervals.keys() <= self.metrics.keys():
            raise ValueError("intervals of the metrics alone")
        return self

    @model_validator(mode="after")
    def _failed_as_it_says(self) -> Self:
        failed = sum(self.failed.values())
        if Status.OK in self.failed or failed > self.cases:
            raise ValueError("at most as many failed cases as cases")
        if (self.status == "incomplete") != (failed > 0) or (self.status == "unscored" and self.cases):
            raise ValueError("failed cases where it is incomplete, and none elsewhere")
        return self


class Preview(Record):
    """What a preview run found."""

    schema_: Literal[1] = Field(alias="schema")
    """The layout's version."""
    entry: EntryId | None
    """The entry's id; null when its folder's name is none."""
    suite: Suite
    """Which cases were run."""
    faults: Count
    """How many faults the static check found; with any, nothing was run."""
    tracks: Annotated[list[TrackPreview], Field(max_length=50)]
    """Its tracks, in its own order, each once."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        keys = [one.track for one in self.tracks]
        if len(set(keys)) < len(keys):
            raise ValueError("each track once")
        if self.faults and keys:
            raise ValueError("no tracks beside faults")
        return self

    @property
    def complete(self) -> bool:
        """Whether the entry is valid and every case of it is ok."""
        return not self.faults and bool(self.tracks) and all(t.status == "complete" for t in self.tracks)


def unscored(track: Track, version: Version) -> TrackPreview:
    """The entry on a track where no case has been run to its end."""
    return TrackPreview(
        track=track.key,
        version=version.number,
        status="unscored",
        cases=0,
        failed={},
        metrics={},
        intervals={},
        rank=None,
    )


def of_scored(scored: Scored, standing: Rank | str) -> TrackPreview:
    """The entry on a track where it was scored.

    standing: where it would stand, or why that cannot be said.
    """
    result = scored.result
    counts = Counter(outcome.status for outcome in scored.outcomes)
    return TrackPreview(
        track=result.track,
        version=result.version,
        status=result.status,
        cases=len(scored.outcomes),
        failed={status: count for status, count in counts.items() if status is not Status.OK},
        metrics=result.metrics,
        intervals=result.intervals,
        rank=None if isinstance(standing, str) else _standing(standing),
    )


def _standing(rank: Rank) -> Standing:
    level = list(rank.level[:MOST_LEVEL])
    return Standing(group=rank.group, low=rank.low, high=rank.high, ranked=rank.ranked, level=level)


def load(folder: Path) -> Preview:
    """The preview in `folder`, whoever wrote it. Raises ResultError when there is none that is valid."""
    path = folder / FILE_NAME
    try:
        with open(path, "rb", opener=_plainly) as file:
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            content = file.read(MOST_BYTES + 1) if regular else b""
    except (OSError, ValueError):
        regular = False
    if not regular:
        raise ResultError(fault(path, "a regular file that can be read", "none", AGAIN))
    if len(content) > MOST_BYTES:
        raise ResultError(fault(path, f"at most {MOST_BYTES} bytes", "more", AGAIN))
    try:
        return stored.read(Preview, content, str(path), AGAIN)
    except RecursionError:
        raise ResultError(fault(path, "a few levels of brackets", "too many", AGAIN)) from None


def _plainly(path: str, flags: int) -> int:
    """Opens a file without following a link or waiting for a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
