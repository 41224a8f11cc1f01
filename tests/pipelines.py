"""Builders for tests of plans and of what becomes of them: a small repository, keys, results as if scored."""

from collections.abc import Sequence
from pathlib import Path

from benchmark import fresh, stored
from benchmark.choose import selections
from benchmark.entries import read_entry
from benchmark.pipeline.plan import Job, Places, Plan, What
from benchmark.pipeline.planning import Wanted, planned
from benchmark.records import Outcome
from benchmark.results import FILE_NAME, Fresh, Result, save
from benchmark.storage import write
from benchmark.tracks import TRACKS
from tests.builders import outcomes, result
from tests.test_scorer import HONEST, write_entry

FOLDER = Path("embedding-detection", "1.1")
"""Where results of the small track are, below a results folder."""
KEY = "1" * 64
OTHER_KEY = "2" * 64


def repository(root: Path, *names: str) -> Places:
    """A repository of honest entries with these names and no results."""
    for name in names:
        write_entry(root / "contrib", HONEST, name)
    (root / "results").mkdir(parents=True)
    return Places(root / "results", root / "contrib")


def add_entry(places: Places, name: str, key: str) -> None:
    """Adds an entry on the track `key`."""
    signature = TRACKS[key].signature
    source = f"def {signature.name}({', '.join(signature.arguments)}):\n    return 0.5\n"
    toml = write_entry(places.contrib, source, name) / "entry.toml"
    toml.write_text(toml.read_text().replace(FOLDER.parts[0], key))


def commit_keys(places: Places, *keys: str, revealed: bool = False) -> None:
    """Writes the hashes of keys, the last one current, and the keys themselves when they are revealed."""
    held = [fresh.secret(key, "a label") for key in keys]
    if revealed:
        held = [fresh.revealed(one, key) for one, key in zip(held, keys, strict=True)]
    commitments = fresh.Commitments(schema=1, track=FOLDER.parts[0], version=FOLDER.parts[1], keys=held)
    stored.write(commitments, places.results / FOLDER / fresh.FILE_NAME)


def plan_of(places: Places, what: What = "missing", shards: int = 1) -> Plan:
    """The plan for the small track."""
    return planned(Wanted(what, selections([FOLDER.parts[0]], TRACKS), shards), places).plan


def scored(places: Places, name: str = "some_entry", rows: list[Outcome] | None = None) -> Result:
    """A result of an entry as it is now on the small track, as if it had been scored."""
    version = TRACKS[FOLDER.parts[0]].current
    return owned(places, result(name, outcomes(version=version) if rows is None else rows, version))


def owned(places: Places, made: Result) -> Result:
    """The result with the digest that its entry has now."""
    digests = made.digests.model_copy(update={"entry": read_entry(places.contrib / made.entry).digest})
    return made.model_copy(update={"digests": digests})


def with_fresh(made: Result, key: str = KEY) -> Result:
    """The result with a fresh score of a key, equal to the public one."""
    found = Fresh(
        key_sha256=fresh.sha256_of(key),
        metrics=dict(made.metrics),
        reasons={},
        intervals=dict(made.intervals),
        fingerprint="d" * 64,
    )
    return made.model_copy(update={"fresh": found})


def commit_result(places: Places, made: Result) -> Path:
    """Writes a result into results/."""
    place = places.results / made.place
    save(made, place)
    return place


def bring(folder: Path, places: Places, jobs: Sequence[Job]) -> Path:
    """An artifact folder with what scoring the jobs would give."""
    folder.mkdir(parents=True, exist_ok=True)
    for job in jobs:
        made = scored(places, job.entry)
        write(with_fresh(made) if job.fresh else made, None, folder / made.place)
    return folder


def content(results: Path) -> dict[str, bytes]:
    """The bytes of every file below a results folder, by its place."""
    files = (path for path in results.rglob("*") if path.is_file())
    return {path.relative_to(results).as_posix(): path.read_bytes() for path in files}


def places_in(results: Path) -> list[str]:
    """The entries that have a result of the small track."""
    return sorted(path.parent.name for path in results.glob(f"{FOLDER}/*/{FILE_NAME}"))
