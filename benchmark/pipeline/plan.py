"""The plan of a scoring run: what is to be scored, on which shard, and what its results must be."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from benchmark import stored
from benchmark.digests import scorer_digest
from benchmark.entries import ID, Entry, read_entry
from benchmark.errors import ResultError, UsageError, raise_all
from benchmark.stored import Record, Sha256
from benchmark.text import fault
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Version

What = Literal["missing", "stale", "all"]
"""Which results are made: those that are not there, those too that data or metrics left behind, or all."""
MOST_SHARDS = 256
"""Into how many shards a plan may be cut."""
AGAIN = "make the plan again"
"""What mends a plan that is not valid."""


@dataclass(frozen=True)
class Places:
    """The folders that a plan is made from and that its results go to."""

    results: Path
    """The committed results."""
    contrib: Path
    """The entries."""


class Job(Record):
    """One entry on one version of one track."""

    entry: Annotated[str, Field(pattern=f"^{ID.pattern}$")]
    """The entry's id."""
    entry_digest: Sha256
    """All of the entry that can change a score; its files must still have it when it is scored and merged."""
    track: str
    """The track's key."""
    version: str
    """The track's version."""
    suite_digest: Sha256
    """The data of the public suite."""
    scorer_digest: Sha256
    """The behavior of the metrics."""
    public: bool
    """Whether it is scored on the public suite; if not, the committed result stays as it is."""
    fresh: Sha256 | None
    """The hash of the key whose seeds it is scored on; null for no fresh score."""
    basis: Sha256 | None
    """The committed result, less its fresh score, that a fresh score alone is added to; else null."""
    cost: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """About how long it takes, in seconds: only its ratio to the others counts."""
    shard: Annotated[int, Field(ge=1, le=MOST_SHARDS)]
    """Which shard scores it, from 1."""

    @property
    def place(self) -> Path:
        """Its folder below a results folder; of a valid plan it never leads out of there."""
        return Path(self.track, self.version, self.entry)

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.entry} on {self.track} {self.version}"


class Plan(Record):
    """All jobs of a run, in the order of their places."""

    schema_: Literal[1] = Field(alias="schema")
    """The layout's version."""
    what: What
    """Which results are made."""
    shards: Annotated[int, Field(ge=1, le=MOST_SHARDS)]
    """How many shards there are; some may have no job."""
    jobs: list[Job]
    """The jobs."""

    def of(self, shard: int) -> list[Job]:
        """The jobs of a shard, in order."""
        return [job for job in self.jobs if job.shard == shard]


def load(path: Path) -> Plan:
    """The plan in the file at `path`. Raises UsageError with all faults.

    A plan of other data or metrics than those of this checkout is a fault, too.
    """
    try:
        plan = stored.read(Plan, path.read_bytes(), str(path), AGAIN)
    except OSError as error:
        raise UsageError(fault(path, "a readable plan", error.strerror or "an error", AGAIN)) from None
    except ResultError as error:
        raise UsageError(*error.faults) from None
    raise_all(UsageError, _faults(plan, path))
    return plan


def _faults(plan: Plan, path: Path) -> Iterator[str]:
    seen: set[Path] = set()
    for number, job in enumerate(plan.jobs):
        where = f"{path}: jobs.{number}"
        if job.place in seen:
            yield fault(where, "each job once", f"{job.name} twice", AGAIN)
        seen.add(job.place)
        if job.shard > plan.shards:
            yield fault(f"{where}.shard", f"1 to {plan.shards}", str(job.shard), AGAIN)
        if not job.public and job.fresh is None:
            yield fault(where, "a public or a fresh score to make", "neither", AGAIN)
        if job.public != (job.basis is None):
            yield fault(f"{where}.basis", "a digest exactly for a fresh score alone", "another", AGAIN)
        yield from (fault(where, *wrong, AGAIN) for wrong in _version_faults(job))


def _version_faults(job: Job) -> Iterator[tuple[str, str]]:
    versions = TRACKS[job.track].versions if job.track in TRACKS else ()
    version = next((version for version in versions if version.number == job.version), None)
    if version is None:
        yield "a version of a track", f"{job.track} {job.version}"
    elif (job.suite_digest, job.scorer_digest) != digests(version):
        yield f"the data and metrics of {job.track} {job.version} in this checkout", "others"


def digests(version: Version) -> tuple[str, str]:
    """The suite and the scorer digest that results of a version must have."""
    return version.suite_digest, scorer_digest(version)


def as_planned(job: Job, contrib: Path) -> Entry:
    """The job's entry. Raises EntryError when it is not valid, UsageError when it has changed since."""
    entry = read_entry(contrib / job.entry)
    if entry.digest != job.entry_digest or job.track not in entry.tracks:
        raise UsageError(fault(job.name, "the entry as it was planned", "a changed one", AGAIN))
    return entry
