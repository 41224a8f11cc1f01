"""Brings the results of many machines into results/: examines all of them, then writes the good ones."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmark.audit import disagreements
from benchmark.errors import LeaderboardError
from benchmark.fresh import load as load_keys
from benchmark.fresh import place_of
from benchmark.pipeline.artifact import AGAIN, Artifact, Brought, examined, moment
from benchmark.pipeline.plan import Job, Places, Plan, as_planned
from benchmark.pipeline.planning import basis_of, committed
from benchmark.results import FILE_NAME, Result
from benchmark.storage import commit, commit_fresh, rest_on_the_same
from benchmark.text import fault

HEALS = "the next plan has it again"
Committed = Mapping[Path, Result]


@dataclass(frozen=True)
class Landed:
    """A result that was written."""

    job: Job
    """The job it is of."""
    path: Path
    """Where it was written."""
    said: str
    """What of it was written, such as `public and fresh`."""


@dataclass(frozen=True)
class Merged:
    """What came of merging."""

    landed: tuple[Landed, ...]
    """What was written, in the plan's order."""
    refused: Mapping[Path, tuple[str, ...]]
    """The artifacts of which nothing was taken, each with all its faults."""
    notes: tuple[str, ...]
    """Lines on jobs that were dropped, kept elsewhere or not brought; none of them is an artifact's fault."""

    @property
    def lines(self) -> Iterator[str]:
        """What went wrong, or is worth a word."""
        for folder, faults in self.refused.items():
            yield f"{folder}: refused whole, for {len(faults)} reason{'' if len(faults) == 1 else 's'}:"
            yield from (f"  {line}" for line in faults)
        yield from self.notes


def merge(folders: Sequence[Path], plan: Plan, places: Places, lesser: Path) -> Merged:
    """Writes what the artifact folders bring of the plan's jobs into the committed results.

    All folders are examined before the first write, and one with any fault is refused whole. A job that no
    folder brings is no fault: its shard may have been stopped, and the next plan has it again. A job whose
    entry, or whose committed result where only a fresh score is added, has changed since it was planned is
    dropped, and so is one whose place a newer score has taken. lesser: the folder for failed runs that must
    not take a complete result's place.
    """
    there = committed(places.results, {job.track for job in plan.jobs}).results
    artifacts = _without_disputes([examined(folder, plan, places.results) for folder in folders], there)
    good = [artifact for artifact in artifacts if not artifact.faults]
    brought = [one for artifact in good for one in artifact.brought]
    dropped = {one.job.place: why for one in brought if (why := _outdated(one, places, there))}
    useful = [one for one in brought if one.job.place not in dropped and (one.job.public or one.result.fresh)]
    useful.sort(key=lambda one: one.job.place)
    landed = [_land(one, there, places.results, lesser) for one in useful]
    refused = {artifact.folder: artifact.faults for artifact in artifacts if artifact.faults}
    notes = [*dropped.values(), *_elsewhere(landed, places.results), *_not_brought(plan, brought)]
    return Merged(
        tuple(one for one in landed if one.path.is_relative_to(places.results)), refused, tuple(notes)
    )


def _without_disputes(artifacts: Sequence[Artifact], there: Committed) -> list[Artifact]:
    """The artifacts, with the faults that only show beside one another and beside what is committed."""
    good = [artifact for artifact in artifacts if not artifact.faults]
    count = Counter(one.job.place for artifact in good for one in artifact.brought)
    known = dict(there)
    found = []
    for artifact in artifacts:
        twice = [
            fault(artifact.folder, f"{one.job.name} in one artifact only", "it in several", AGAIN)
            for one in artifact.brought
            if count[one.job.place] > 1
        ]
        own = {one.result.place: one.result for one in artifact.brought}
        faults = [*artifact.faults, *twice, *_disagreements(own, known)]
        if not faults:
            known.update(own)
        found.append(replace(artifact, faults=tuple(faults)))
    return found


def _disagreements(own: Committed, known: Committed) -> Iterator[str]:
    """Where results say other things of a case's truth than those known that they do not replace."""
    before = [result for place, result in known.items() if place not in own]
    starts = tuple(f"{place}: " for place in own)
    return (line for line in disagreements([*before, *own.values()]) if line.startswith(starts))


def _outdated(one: Brought, places: Places, there: Committed) -> str | None:
    """Why a valid result is of no use any more; None where it is."""
    try:
        as_planned(one.job, places.contrib)
    except LeaderboardError as error:
        return f"{one.job.name}: dropped, as its entry has changed since: {error.faults[0]}"
    old = there.get(one.job.place / FILE_NAME)
    if one.job.basis is not None and (old is None or basis_of(old) != one.job.basis):
        return f"{one.job.name}: dropped, as its committed result has changed since; {HEALS}"
    if old is not None and _is_newer(old, one.result, places.results):
        return f"{one.job.name}: dropped, as a newer score is committed"
    return None


def _is_newer(old: Result, brought: Result, results: Path) -> bool:
    """Whether a committed result is newer than one that is brought late: as a whole, or by its key."""
    if not rest_on_the_same(old, brought):
        return False
    if old.status == "complete" and moment(old) > moment(brought):
        return True
    if old.fresh is None or brought.fresh is None or old.fresh.key_sha256 == brought.fresh.key_sha256:
        return False
    current = load_keys(place_of(results, old.track, old.version)).current
    return old.fresh.key_sha256 == current.key_sha256


def _land(one: Brought, there: Committed, results: Path, lesser: Path) -> Landed:
    """Writes a valid result. Of a fresh score alone nothing else is taken from the artifact."""
    job, fresh = one.job, one.result.fresh
    if fresh is not None and not job.public:
        return Landed(job, commit_fresh(there[job.place / FILE_NAME], fresh, results), "fresh")
    path = commit(one.result, one.pictures, results, lesser)
    return Landed(job, path, "public and fresh" if fresh else f"public, {one.result.status}")


def _elsewhere(landed: Collection[Landed], results: Path) -> Iterator[str]:
    for one in landed:
        if not one.path.is_relative_to(results):
            yield f"{one.job.name}: its complete result stays, as this run failed; that is in {one.path}"


def _not_brought(plan: Plan, brought: Sequence[Brought]) -> Iterator[str]:
    """Lines on what the plan has and no good artifact brought."""
    found = {one.job.place: one.result for one in brought}
    for job in plan.jobs:
        result = found.get(job.place)
        if result is None:
            yield f"{job.name}: not brought; {HEALS}"
        elif job.fresh and result.fresh is None and result.status == "complete":
            yield f"{job.name}: brought without its fresh score; {HEALS}"
