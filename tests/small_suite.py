"""A track with a suite of few cases, for whole runs that would else take minutes."""

from dataclasses import replace

import pytest

from benchmark.digests import suite_digest
from benchmark.records import Kind
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Cell, Track, Version
from tests.builders import CURRENT, TRACK


def small_version(seeds: int = 2) -> Version:
    """The current version with the strongest shortcuts and the nulls only, `seeds` of each per variant."""
    cells = tuple(
        Cell(variant, strength, kind, seeds)
        for variant in CURRENT.variants
        for strength, kind in ((0.0, Kind.NULL), (1.0, Kind.SHORTCUT))
    )
    version = replace(CURRENT, cells=cells, metrics=("auroc", "fpr"), secondary=(), breakdown=())
    return replace(version, suite_digest=suite_digest(version, version.keys()))


def with_small_track(monkeypatch: pytest.MonkeyPatch, seeds: int = 2) -> Track:
    """The track with that version alone, standing in `TRACKS` for the test."""
    track = replace(TRACK, versions=(small_version(seeds),))
    monkeypatch.setitem(TRACKS, track.key, track)  # type: ignore[misc]
    return track
