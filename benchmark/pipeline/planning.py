"""Makes plans: compares what is committed with the entries, the versions and the keys that there are."""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from benchmark import fresh
from benchmark.audit import is_stale, misplaced
from benchmark.audit import load as load_result
from benchmark.choose import Selection
from benchmark.entries import Entry, entry_folders, read_entry
from benchmark.errors import LeaderboardError, ResultError, raise_all
from benchmark.pipeline.plan import MOST_SHARDS, Job, Places, Plan, What, digests
from benchmark.pipeline.shards import assigned, seconds
from benchmark.results import FILE_NAME, Result, canonical
from benchmark.tracks.spec import Version

T = TypeVar("T")


@dataclass(frozen=True)
class Wanted:
    """What a plan is asked for."""

    what: What
    """Which results are made."""
    versions: Sequence[Selection]
    """The versions of tracks they are made under."""
    shards: int = 1
    """How many shards the jobs are cut into, up to `MOST_SHARDS`."""


@dataclass(frozen=True)
class Planned:
    """A plan, and what it could not count on."""

    plan: Plan
    """The plan."""
    faults: tuple[str, ...]
    """The faults of entries that are left out, of results that count as none, of keys that nobody can use."""


@dataclass(frozen=True)
class Found:
    """Committed results that are valid, and the faults of the others."""

    results: Mapping[Path, Result]
    """By their place below the results folder."""
    faults: tuple[str, ...]
    """What is wrong with those that are not."""


def planned(wanted: Wanted, places: Places) -> Planned:
    """The jobs of all valid entries on their tracks among the versions that are wanted.

    The same folders give the same plan on every machine. Raises EntryError when there is no folder of
    entries at all.
    """
    assert 1 <= wanted.shards <= MOST_SHARDS
    faults: list[str] = []
    read = [kept(faults, partial(read_entry, folder)) for folder in entry_folders(places.contrib)]
    entries = [entry for entry in read if entry is not None]
    found = committed(places.results, {track.key for track, _ in wanted.versions})
    faults.extend(found.faults)
    jobs = []
    for track, version in wanted.versions:
        key = _current_key(places.results / track.key / version.number, faults)
        for entry in entries:
            if track.key in entry.tracks:
                place = Path(track.key, version.number, entry.id)
                state = _State(entry, version, place, found.results.get(place / FILE_NAME))
                jobs.append(_job(state, wanted.what, key, found.results))
    wanted_jobs = sorted((job for job in jobs if job is not None), key=lambda job: job.place)
    shards = assigned([job.cost for job in wanted_jobs], wanted.shards)
    numbered = [job.model_copy(update={"shard": n}) for job, n in zip(wanted_jobs, shards, strict=True)]
    return Planned(Plan(schema=1, what=wanted.what, shards=wanted.shards, jobs=numbered), tuple(faults))


def committed(results: Path, tracks: Collection[str]) -> Found:
    """The valid results of the tracks, of all their versions."""
    faults: list[str] = []
    found = {}
    for path in sorted(path for track in sorted(tracks) for path in results.glob(f"{track}/*/*/{FILE_NAME}")):
        result = kept(faults, partial(_placed, path, results))
        if result is not None:
            found[result.place] = result
    return Found(found, tuple(faults))


def kept(faults: list[str], step: Callable[[], T]) -> T | None:
    """What `step` gives; when it raises a LeaderboardError, None, with its faults added to `faults`."""
    try:
        return step()
    except LeaderboardError as error:
        faults.extend(error.faults)
        return None


def basis_of(result: Result) -> str:
    """The SHA-256, in hex, of a result's text without its fresh score."""
    return hashlib.sha256(canonical(result.model_copy(update={"fresh": None})).encode()).hexdigest()


def _placed(path: Path, results: Path) -> Result:
    result = load_result(path)
    raise_all(ResultError, misplaced(result, path, results))
    return result


def _current_key(folder: Path, faults: list[str]) -> str | None:
    """The hash of the key that new fresh scores of a version are made with; None where it has none."""
    path = folder / fresh.FILE_NAME
    keys = kept(faults, partial(fresh.load, path)) if path.exists() else None
    return keys.current.key_sha256 if keys else None


@dataclass(frozen=True)
class _State:
    """An entry under a version, and what is committed of it."""

    entry: Entry
    """The entry."""
    version: Version
    """The version."""
    place: Path
    """Its folder below results/."""
    result: Result | None
    """The valid result that is committed there, if there is one."""


def _job(state: _State, what: What, key: str | None, results: Mapping[Path, Result]) -> Job | None:
    """What is to be done about an entry under a version; None where all is there.

    An incomplete result of the entry as it is counts as there: it would fail again, also on fresh seeds.
    """
    entry, version, result = state.entry, state.version, state.result
    there = result is not None and result.digests.entry == entry.digest
    stale = result is not None and is_stale(version, result)
    public = what == "all" or not there or (what == "stale" and stale)
    if not public:
        assert result is not None
        scored = result.fresh is not None and result.fresh.key_sha256 == key
        if key is None or scored or stale or result.status == "incomplete":
            return None
    suite, scorer = digests(version)
    once = seconds(state.place, len(version.keys()), results)
    return Job(
        entry=entry.id,
        entry_digest=entry.digest,
        track=state.place.parts[0],
        version=version.number,
        suite_digest=suite,
        scorer_digest=scorer,
        public=public,
        fresh=key,
        basis=None if public or result is None else basis_of(result),
        cost=once * (public + (key is not None)),
        shard=1,
    )
