"""A folder of results that another machine made: believed only when nothing at all is wrong with it."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmark import gallery
from benchmark.audit import load, misplaced
from benchmark.errors import ResultError, raise_all
from benchmark.fresh import FILE_NAME as KEYS
from benchmark.pipeline.plan import Job, Plan
from benchmark.pipeline.planning import basis_of, kept
from benchmark.records import Arrays
from benchmark.results import FILE_NAME, Result, parse
from benchmark.text import fault, shown

MOST = {FILE_NAME: 2**20, gallery.FILE_NAME: gallery.MOST_BYTES}
"""How many bytes each file of a job may have.

The largest committed results.json has 46 kB; with the longest reason for failure in every one of 180 rows it
would have 0.8 MB.
"""
MOST_STRAYS = 20
"""How many files that do not belong there are named."""
MOST_FAULTS = 100
"""How many of an artifact's faults are told; the rest is counted."""
MOST_AHEAD = timedelta(hours=1)
"""How far another machine's clock may be ahead of this one's."""
AGAIN = "score its jobs again"
"""What mends an artifact that is not valid."""


@dataclass(frozen=True)
class Brought:
    """A valid result that an artifact holds."""

    job: Job
    """The job it is of."""
    result: Result
    """The result."""
    pictures: Arrays | None
    """Its gallery."""


@dataclass(frozen=True)
class Artifact:
    """A folder that was examined."""

    folder: Path
    """The folder."""
    brought: tuple[Brought, ...]
    """Its valid results; they count only where there are no faults."""
    faults: tuple[str, ...]
    """What is wrong with it, one line each, up to a number of them."""


def examined(folder: Path, plan: Plan, results: Path) -> Artifact:
    """What the folder holds of the plan's jobs, and every reason not to believe it.

    It may hold some jobs of one shard or all of them, and nothing else. Paths are built from the plan; files
    are read as far as they may be long and never through links. results: the folder with the hashes of keys.
    """
    if os.path.islink(folder) or not os.path.isdir(folder):
        got = "a link" if os.path.islink(folder) else "a file" if os.path.exists(folder) else "nothing there"
        return Artifact(folder, (), (fault(folder, "a folder of results", got, "check the path"),))
    faults = list(_strays(folder, plan.jobs))
    jobs = [job for job in plan.jobs if _holds(folder, job.place)]
    if len(shards := sorted({job.shard for job in jobs})) > 1:
        numbers = ", ".join(map(str, shards))
        faults.append(fault(folder, "jobs of one shard", f"jobs of shards {numbers}", AGAIN))
    found = [kept(faults, partial(_brought, job, folder, results)) for job in jobs]
    if (more := len(faults) - MOST_FAULTS) > 0:
        faults[MOST_FAULTS:] = [fault(folder, "no faults", f"{more} further ones", AGAIN)]
    return Artifact(folder, tuple(one for one in found if one is not None), tuple(faults))


def moment(result: Result) -> datetime:
    """When a result was made."""
    return datetime.fromisoformat(result.timing.scored_at)


def _holds(folder: Path, place: Path) -> bool:
    """Whether a folder has a folder at `place` that is reached without a link."""
    way = [folder / part for part in (place, *place.parents)]
    return os.path.isdir(way[0]) and not any(map(os.path.islink, way))


def _strays(folder: Path, jobs: Sequence[Job]) -> Iterator[str]:
    """The faults of all that is in a folder beside the regular files of the jobs, up to a number of them."""
    strays = _unexpected(folder, jobs)
    yield from islice(strays, MOST_STRAYS)
    if more := sum(1 for _ in strays):
        yield fault(folder, "nothing but files of the plan's jobs", f"{more} further ones", AGAIN)


def _unexpected(folder: Path, jobs: Sequence[Job]) -> Iterator[str]:
    files = {job.place / name for job in jobs for name in MOST}
    folders = {above for file in files for above in file.parents}
    waiting = [Path()]
    while waiting:
        here = waiting.pop()
        try:
            items = sorted(os.scandir(folder / here), key=lambda item: item.name)
        except OSError as error:
            yield fault(folder / here, "a folder that can be read", error.strerror or "an error", AGAIN)
            continue
        for item in items:
            place, kind = here / item.name, _kind(item)
            if kind == "a folder" and place in folders:
                waiting.append(place)
            elif kind != "a file" or place not in files:
                where = f"{folder.as_posix()}: {shown(place.as_posix())}"
                yield fault(where, "only regular files of the plan's jobs", kind, AGAIN)


def _kind(item: "os.DirEntry[str]") -> str:
    if item.is_symlink():
        return "a link"
    if item.is_dir(follow_symlinks=False):
        return "a folder"
    return "a file" if item.is_file(follow_symlinks=False) else "a special file"


def _brought(job: Job, folder: Path, results: Path) -> Brought:
    """The job's result in an artifact's folder. Raises ResultError with all faults.

    Its files are copied first, so that what is examined is what is kept, whatever the folder becomes.
    """
    with TemporaryDirectory(prefix="artifact-") as name:
        copy = Path(name)
        try:
            return _examined_copy(job, folder, results, copy)
        except ResultError as error:
            before, after = copy.as_posix(), folder.as_posix()
            raise ResultError(*(line.replace(before, after) for line in error.faults)) from None


def _examined_copy(job: Job, folder: Path, results: Path, copy: Path) -> Brought:
    place = copy / job.place / FILE_NAME
    place.parent.mkdir(parents=True)
    for name, most in MOST.items():
        original = folder / job.place / name
        if name == FILE_NAME or os.path.lexists(original):
            place.with_name(name).write_bytes(_content(original, most))
    keys = (results / job.place).with_name(KEYS)
    if keys.exists():
        place.parent.with_name(KEYS).write_bytes(keys.read_bytes())
    result = parse(place.read_bytes(), str(place))
    faults: list[str] = []
    kept(faults, partial(load, place))
    faults.extend(misplaced(result, place, copy))
    faults.extend(fault(place, *wrong, AGAIN) for wrong in _unlike(result, job))
    raise_all(ResultError, faults)
    named = result.digests.gallery
    return Brought(job, result, None if named is None else gallery.load(gallery.place_of(place), named))


def _content(path: Path, most: int) -> bytes:
    """The bytes of a regular file. Raises ResultError when it is another, a larger one, or cannot be read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise ResultError(fault(path, "a readable file", error.strerror or "an error", AGAIN)) from None
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        os.close(handle)
        raise ResultError(fault(path, "a regular file", "another", AGAIN))
    with os.fdopen(handle, "rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ResultError(fault(path, f"up to {most} bytes", f"{found.st_size} bytes", AGAIN))
    return content


def _unlike(result: Result, job: Job) -> Iterator[tuple[str, str]]:
    """What a result is expected to be by its job, and is not: what, and what it is instead."""
    for name in ("entry", "suite", "scorer"):
        wanted, got = getattr(job, f"{name}_digest"), getattr(result.digests, name)
        if got != wanted:
            yield f"the planned {name} digest {wanted}", got
    if moment(result) > datetime.now(UTC) + MOST_AHEAD:
        yield "a result that has been made already", f"one of {result.timing.scored_at}"
    if job.basis is not None and basis_of(result) != job.basis:
        yield "the committed result with nothing but a fresh score added", "another"
    if result.fresh is None:
        return
    if job.fresh != result.fresh.key_sha256:
        wanted = f"one of the key with hash {job.fresh}" if job.fresh else "none"
        yield f"a fresh score as planned, {wanted}", f"one of {result.fresh.key_sha256}"
    if result.status == "incomplete":
        yield "no fresh score beside an incomplete result", "one"
