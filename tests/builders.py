"""Small builders with defaults that a test overrides where it matters."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmark import gallery
from benchmark.digests import scorer_digest
from benchmark.entries import Entry
from benchmark.records import Arrays, CaseKey, Judgement, Kind, Outcome, Status
from benchmark.results import Details, Digests, Environment, Result, Timing, row_of
from benchmark.summary import intervals, values
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Track, Version

TRACK = TRACKS["embedding-detection"]
CURRENT = TRACK.current

Answer = Callable[[CaseKey], Judgement]


def track_of(version: Version) -> Track:
    """The track that a version belongs to; `TRACK` for a version made up for a test."""
    return next((track for track in TRACKS.values() if version in track.versions), TRACK)


def oracle(key: CaseKey) -> Judgement:
    """Scores that separate perfectly, all distinct, with a flag that is always right."""
    found = key.kind is Kind.SHORTCUT
    return Judgement(score=float(found) + key.seed / 1000, flag=found)


def outcome(key: CaseKey, judgement: Judgement) -> Outcome:
    """A case that went well."""
    return Outcome(key, key.kind, Status.OK, judgement=judgement)


def failure(key: CaseKey, status: Status = Status.CRASHED, reason: str = "ValueError: no") -> Outcome:
    """A case that did not."""
    return Outcome(key, key.kind, status, reason)


def outcomes(answer: Answer = oracle, version: Version = CURRENT, suite: str = "full") -> list[Outcome]:
    """A whole suite answered by `answer`."""
    return [outcome(key, answer(key)) for key in version.keys(suite)]


def result(
    name: str = "some_entry",
    rows: list[Outcome] | None = None,
    version: Version = CURRENT,
    suite: str = "full",
) -> Result:
    """A result of `rows`, with the digests a fresh one would have."""
    rows = outcomes(version=version, suite=suite) if rows is None else rows
    found = values(version, rows)
    return Result(
        schema=1,
        entry=name,
        track=track_of(version).key,
        version=version.number,
        suite=suite,
        seed_offset=0,
        status="complete" if all(row.status is Status.OK for row in rows) else "incomplete",
        metrics=dict(found.metrics),
        reasons=dict(found.reasons),
        intervals=dict(intervals(version, rows)),
        details=Details(per_dataset=[row_of(row) for row in rows], by_strength=found.by_strength),
        digests=Digests(
            entry="a" * 64, suite=version.suite_digest or "b" * 64, scorer=scorer_digest(version)
        ),
        timing=Timing(
            seconds=1.0, per_case={row.key.id: 0.01 for row in rows}, scored_at="2026-01-01T00:00:00+00:00"
        ),
        environment=Environment(
            commit="c" * 40, python="3.11.7", packages={}, cpu="a cpu", isa="avx2", isolation="bwrap"
        ),
        fresh=None,
    )


def entry(name: str = "some_entry", kind: str = "method", digest: str = "a" * 64) -> Entry:
    """An entry as its folder would be read."""
    return Entry(
        id=name,
        folder=Path("contrib") / name,
        title=name,
        summary="A summary.",
        authors=("Someone",),
        license="MIT",
        tracks=(TRACK.key,),
        kind=kind,
        family="test",
        paper=None,
        code=None,
        bibtex=None,
        functions={},
        digest=digest,
    )


def image_gallery(count: int = 2, seed: int = 0) -> Arrays:
    """A gallery of `count` pictures of noise of one case."""
    rng = np.random.default_rng(seed)
    arrays = {
        name: rng.integers(0, 2, (count, *shape)).astype(dtype)
        for name, (dtype, shape) in gallery.LAYOUT.items()
    }
    return {**arrays, gallery.CASE: np.array(["patch/1.0/0"] * count)}
