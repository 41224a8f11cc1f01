"""The log of verifications: what may stand in it, and what becomes of older ones."""

import json
from pathlib import Path

import pytest

from benchmark.errors import ResultError
from benchmark.results import Result
from benchmark.stored import canonical_text
from benchmark.verified import FILE_NAME, Log, Verification, faults, kept, last, load, log_of, outdated
from tests.builders import result

DAYS = ("2026-03-01T00:00:00+00:00", "2026-03-08T00:00:00+00:00")


def scored(entry: str, at: str = DAYS[0]) -> Result:
    found = result(entry)
    return found.model_copy(update={"timing": found.timing.model_copy(update={"scored_at": at})})


def verification(entry: str, at: str = DAYS[1], **changes: object) -> Verification:
    known = scored(entry)
    fields: dict[str, object] = {
        "entry": entry,
        "track": known.track,
        "version": known.version,
        "scored_at": DAYS[0],
        "verified_at": at,
        "fingerprint": "f" * 64,
        "same_fingerprint": True,
        "largest": 0.0,
        "stands": True,
        "said": f"{entry}: exactly the same",
    }
    return Verification.model_validate(fields | changes)


def test_the_newer_verification_of_a_result_is_kept_and_others_stay() -> None:
    old = log_of([verification("a", DAYS[0]), verification("b", DAYS[0])])
    new = log_of([verification("b", DAYS[1], stands=False)])
    found = kept(old, new, [scored("a"), scored("b")])
    assert [(one.entry, one.verified_at, one.stands) for one in found.results] == [
        ("a", DAYS[0], True),
        ("b", DAYS[1], False),
    ]


def test_what_was_verified_before_the_result_was_made_anew_is_dropped() -> None:
    old = log_of([verification("a"), verification("gone")])
    assert kept(old, log_of([]), [scored("a", DAYS[1])]).results == []


def test_a_late_verification_of_an_older_result_takes_no_place() -> None:
    held = verification("a", scored_at=DAYS[1])
    late = log_of([verification("a", scored_at=DAYS[0], stands=False)])
    assert kept(log_of([held]), late, [scored("a", DAYS[1])]).results == [held]
    assert list(outdated(late, [scored("a", DAYS[1])])) == late.results
    assert list(faults(late, [scored("a", DAYS[1])])) == []


def test_a_log_of_other_results_than_those_committed_is_at_fault() -> None:
    log = log_of([verification("a", scored_at=DAYS[1]), verification("new")])
    found = list(faults(log, [scored("a")]))
    assert list(outdated(log, [scored("a")])) == []
    assert len(found) == 2
    assert found[0].startswith("a on embedding-detection 1.2: expected the result of 2026-03-01")
    assert found[1].startswith("new on embedding-detection 1.2: expected a committed result, got none")


def test_a_folder_without_the_file_has_an_empty_log(tmp_path: Path) -> None:
    assert last(tmp_path).results == []


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / FILE_NAME
    path.write_text(text)
    return path


def test_a_log_is_read_as_it_was_written(tmp_path: Path) -> None:
    log = log_of([verification("b"), verification("a", largest=None, stands=False)])
    assert [one.entry for one in log.results] == ["a", "b"]
    assert load(written(tmp_path, canonical_text(log))) == log


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"largest": float("inf")}, "Infinity"),
        ({"largest": -1.0}, "greater than or equal to 0"),
        ({"said": "x" * 401}, "at most 400 characters"),
        ({"said": "a\u202eb"}, "on one line"),
        ({"fingerprint": "f"}, "match pattern"),
        ({"verified_at": "2026-03-01T00:00:00+01:00"}, "a time in UTC"),
        ({"extra": 1}, "only the fields"),
    ],
)
def test_a_log_with_other_fields_or_values_is_refused(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    content = json.loads(canonical_text(log_of([verification("a")])))
    content["results"][0] |= change
    with pytest.raises(ResultError, match=said):
        load(written(tmp_path, json.dumps(content)))


def test_a_log_twice_of_one_result_or_too_large_or_a_link_is_refused(tmp_path: Path) -> None:
    twice = Log(schema=1, results=[verification("a"), verification("a")])
    with pytest.raises(ResultError, match="one twice"):
        load(written(tmp_path, canonical_text(twice)))
    with pytest.raises(ResultError, match="up to 4194304 bytes"):
        load(written(tmp_path, " " * (5 << 20)))
    (tmp_path / "link").symlink_to(tmp_path / FILE_NAME)
    with pytest.raises(ResultError, match="another file or none"):
        load(tmp_path / "link")
