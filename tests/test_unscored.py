from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.audit import faults
from benchmark.entries import read_entry
from benchmark.errors import EntryError
from benchmark.isolation.launchers import choose
from benchmark.pipeline.unscored import MOST_CHARACTERS, unscored
from benchmark.records import Status
from benchmark.results import canonical, parse
from benchmark.scorer import Request
from benchmark.tracks import TRACKS
from tests.builders import TRACK
from tests.pipelines import add_entry, repository
from tests.small_suite import small_version
from tests.test_scorer import HONEST, write_entry


def request(root: Path) -> Request:
    entry = read_entry(write_entry(root, HONEST))
    return Request(entry, TRACK, small_version(), choose("process"))


def test_an_entry_that_cannot_start_has_a_row_with_the_reason_for_each_case(tmp_path: Path) -> None:
    asked = request(tmp_path)
    where = (asked.entry.folder / "requirements.txt").as_posix()
    made = unscored(asked, EntryError(f"{where}:1: expected this, got that", f"{where}:2: and\u202emore"))
    assert (made.status, made.suite, made.seed_offset) == ("incomplete", "full", 0)
    reason = "not started: requirements.txt:1: expected this, got that | requirements.txt:2: and\\u202emore"
    rows = made.details.per_dataset
    assert [(row.status, row.reason) for row in rows] == [(Status.CRASHED, reason)] * 12
    assert [row.case for row in rows] == [key.id for key in asked.keys]
    assert set(made.metrics.values()) == {None} and made.intervals == {} and made.determinism is None
    assert set(made.reasons.values()) == {"12 of 12 cases failed"}
    assert (made.digests.entry, made.digests.suite) == (asked.entry.digest, asked.version.suite_digest)
    assert parse(canonical(made).encode(), "here") == made


def test_its_reason_is_no_longer_than_needed(tmp_path: Path) -> None:
    made = unscored(request(tmp_path), EntryError("x" * 5000))
    assert {len(row.reason or "") for row in made.details.per_dataset} == {MOST_CHARACTERS}


@pytest.mark.parametrize("key", TRACKS)
def test_it_is_a_valid_result_of_every_track(tmp_path: Path, key: str) -> None:
    places = repository(tmp_path)
    add_entry(places, "some_entry", key)
    entry = read_entry(places.contrib / "some_entry")
    asked = Request(entry, TRACKS[key], TRACKS[key].current, choose("process"), suite="quick")
    assert list(faults(unscored(asked, EntryError("no")))) == []


def test_it_may_be_on_other_seeds(tmp_path: Path) -> None:
    asked = replace(request(tmp_path), version=TRACK.current, suite="quick", offset=3)
    moved = unscored(asked, EntryError("no"))
    assert moved.seed_offset == 3 and list(faults(moved)) == []
