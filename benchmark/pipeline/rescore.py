"""Carries out the jobs of a plan, one after another: each becomes files laid out as in results/."""

import os
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from benchmark import gallery
from benchmark.audit import load as load_result
from benchmark.determinism import REPEATS, unsteady
from benchmark.errors import EntryError, PackageIndexError, UsageError
from benchmark.fresh import current_key, place_of, sha256_of
from benchmark.fresh import load as load_keys
from benchmark.fresh_run import FreshRun, fresh_run, on_key, told_of
from benchmark.isolation.launchers import Launcher
from benchmark.machine import CACHE
from benchmark.pipeline.plan import AGAIN, Job, Places, as_planned
from benchmark.pipeline.planning import basis_of
from benchmark.pipeline.unscored import unscored
from benchmark.records import Arrays
from benchmark.report import failures, progress
from benchmark.results import FILE_NAME, Result
from benchmark.scorer import Request, Scored, score
from benchmark.storage import write
from benchmark.text import fault
from benchmark.tracks import TRACKS


@dataclass(frozen=True)
class Setting:
    """What jobs are carried out with."""

    places: Places
    """Where entries, committed results and the hashes of keys are."""
    output: Path
    """The folder that results are written below."""
    launcher: Launcher
    """How entries are kept apart."""
    jobs: int = 1
    """How many cases run at a time."""
    master: str | None = None
    """The master key of fresh seeds, where there is one."""
    cache: Path = CACHE
    """The folder that keeps what takes long to make."""


@dataclass(frozen=True)
class Rescored:
    """What came of a job."""

    complete: bool
    """Whether all went well; if not, it is a result all the same."""
    lines: tuple[str, ...]
    """What is to be said of it."""


def rescore(job: Job, setting: Setting) -> Rescored:
    """Scores one job and writes what came of it below the output, the public part as soon as it is there.

    An entry that fails, even before its first case, gets a result that says so. Raises a LeaderboardError
    when it is not the entry that fell short: isolation, laboratory, key, network, or a plan that is too old.
    """
    track = TRACKS[job.track]
    version = next(version for version in track.versions if version.number == job.version)
    entry = as_planned(job, setting.places.contrib)
    request = Request(
        entry, track, version, setting.launcher, "full", 0, setting.jobs, REPEATS["full"], setting.cache
    )
    made = _public(job, request, setting) if job.public else _committed(job, setting.places.results)
    if job.fresh is None or made.result.status == "incomplete":
        return Rescored(made.result.status == "complete", made.lines)
    run = _fresh(job, request, setting)
    put(made.result.model_copy(update={"fresh": run.fresh}), made.pictures, setting.output)
    return Rescored(not run.failed, (*made.lines, f"{job.name}: {run.line}"))


def put(result: Result, pictures: Arrays | None, output: Path) -> None:
    """Writes a result with its gallery below `output`, in place of all that its folder held.

    Stopped at any moment, it leaves a whole folder or none, since a part of one would be refused.
    """
    folder = output / result.place.parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{output.name}-", dir=output.parent) as beside:
        made = write(result, pictures, Path(beside) / folder.name / FILE_NAME)
        if os.path.lexists(folder):
            os.rename(folder, Path(beside) / ".before")
        os.rename(made.parent, folder)


@dataclass(frozen=True)
class _Made:
    """A result on the public suite."""

    result: Result
    """The result."""
    pictures: Arrays | None
    """Its gallery."""
    lines: tuple[str, ...]
    """What is to be said of it."""


def _public(job: Job, request: Request, setting: Setting) -> _Made:
    """The job's result on the public suite, written already."""
    with progress(Console(stderr=True), job.name) as told:
        try:
            scored = score(request, told)
        except PackageIndexError:
            raise
        except EntryError as error:
            as_planned(job, setting.places.contrib)
            result = unscored(request, error)
            scored = Scored(result, None, result.outcomes)
    put(scored.result, scored.gallery, setting.output)
    told_first = f"{job.name}: {scored.result.status} in {scored.result.timing.seconds:.1f} s"
    return _Made(
        scored.result,
        scored.gallery,
        (told_first, *failures(scored.outcomes), *unsteady(scored.repeats)),
    )


def _committed(job: Job, results: Path) -> _Made:
    """The committed result that a fresh score is added to. Raises UsageError when it is another by now."""
    path = results / job.place / FILE_NAME
    result = load_result(path)
    if basis_of(result) != job.basis:
        raise UsageError(fault(job.name, "the committed result as it was planned", "another", AGAIN))
    named = result.digests.gallery
    pictures = None if named is None else gallery.load(gallery.place_of(path), named)
    return _Made(result, pictures, ())


def _fresh(job: Job, request: Request, setting: Setting) -> FreshRun:
    """The job's run on fresh seeds. Raises UsageError when the key that was planned cannot be had."""
    key = current_key(load_keys(place_of(setting.places.results, job.track, job.version)), setting.master)
    if sha256_of(key) != job.fresh:
        raise UsageError(fault(job.name, f"the key with hash {job.fresh}", "a newer one", AGAIN))
    with progress(Console(stderr=True), f"{job.name}, fresh seeds") as told:
        try:
            return fresh_run(request, key, told)
        except PackageIndexError:
            raise
        except EntryError as error:
            as_planned(job, setting.places.contrib)
            return told_of(unscored(on_key(request, key), error), key)
