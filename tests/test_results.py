import contextlib
import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.errors import ResultError
from benchmark.records import Judgement
from benchmark.results import canonical, differences, parse, save
from tests.builders import failure, oracle, outcome, outcomes, result

TEXT = canonical(result(suite="quick"))


def test_what_is_written_reads_back_the_same() -> None:
    whole = result()
    text = canonical(whole)
    assert parse(text.encode(), "here") == whole
    assert canonical(parse(text.encode(), "here")) == text


def test_the_text_is_canonical() -> None:
    content = json.loads(TEXT)
    assert json.dumps(content, sort_keys=True, indent=1, ensure_ascii=False) + "\n" == TEXT
    assert set(content) == {
        "schema", "entry", "track", "version", "suite", "seed_offset", "status", "metrics", "reasons",
        "intervals", "details", "digests", "timing", "environment", "fresh",
    }  # fmt: skip


def test_saving_replaces_the_old_text_in_one_step(tmp_path: Path) -> None:
    place = tmp_path / "a" / "results.json"
    save(result("one_entry"), place)
    save(result("other_entry"), place)
    assert parse(place.read_bytes(), "here").entry == "other_entry"
    assert [path.name for path in place.parent.iterdir()] == ["results.json"]


def test_a_failed_save_leaves_the_old_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "results.json"
    save(result(), place)
    before = place.read_bytes()

    def full_disk(descriptor: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OSError, match="no space"):
        save(result("other_entry"), place)
    assert place.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "empty file"),
        (b"  \n", "empty file"),
        (TEXT.encode()[:-200], "expected canonical JSON"),
        (b"\xff\xfe{}", "UTF-8"),
        (b"\xef\xbb\xbf" + TEXT.encode(), "JSON"),
        (b"[1, 2]", "object"),
        (b'{"schema": 1}', "entry: expected a value, got nothing"),
        (TEXT.replace('"fpr": 0.0', '"fpr": NaN', 1).encode(), "the number NaN"),
        (TEXT.replace('"fpr": 0.0', '"fpr": -Infinity', 1).encode(), "the number -Infinity"),
        (TEXT.replace('"fpr": 0.0', '"fpr": 1e999', 1).encode(), "metrics.fpr"),
        (TEXT.replace('"fpr": 0.0', '"fpr": "0.0"', 1).encode(), "metrics.fpr"),
        (TEXT.replace('"entry":', '"entry": "twice", "entry":', 1).encode(), '"entry" twice'),
        (TEXT.replace('"schema": 1', '"schema": 2', 1).encode(), "schema"),
        (
            TEXT.replace('"fresh":', '"stale": 1, "fresh":', 1).encode(),
            "stale: expected only the fields",
        ),
        (b"[" * 100_000, "JSON"),
        (TEXT.replace("a cpu", "a\u202e cpu", 1).encode(), "expected text on one line"),
        (TEXT.replace("a cpu", "a\\ncpu", 1).encode(), '"a\\ncpu"'),
        (TEXT.replace('"fpr":', '"f\\u0007pr":', 1).encode(), "of characters that show"),
    ],
)
def test_a_file_that_is_no_result_is_refused_with_its_name_and_fault(text: bytes, said: str) -> None:
    with pytest.raises(ResultError) as refused:
        parse(text, "some/results.json")
    assert all(
        fault.startswith("some/results.json: ") and "\n" not in fault for fault in refused.value.faults
    )
    assert said in str(refused.value)


def test_all_faults_are_told_at_once() -> None:
    text = TEXT.replace('"schema": 1', '"schema": 2').replace('"suite": "quick"', '"suite": "tiny"')
    with pytest.raises(ResultError) as refused:
        parse(text.encode(), "here")
    assert len(refused.value.faults) == 2


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(TEXT) - 1), st.binary(max_size=3))
def test_no_mutation_of_the_text_crashes_the_reader(place: int, junk: bytes) -> None:
    raw = TEXT.encode()
    with contextlib.suppress(ResultError):
        mutated = parse(raw[:place] + junk + raw[place + 1 :], "here")
        assert parse(canonical(mutated).encode(), "there") == mutated


def test_two_equal_results_do_not_differ_whatever_their_timing() -> None:
    other = result().model_copy(update={"timing": result().timing.model_copy(update={"seconds": 99.0})})
    assert list(differences(result(), other)) == []


def test_differences_name_the_case_and_the_size() -> None:
    rows = outcomes()
    nudged = Judgement(score=1.25, flag=True)
    place = next(i for i, row in enumerate(rows) if row.key.id == "linear/0.3/0")
    rows[place] = outcome(rows[place].key, nudged)
    assert ("linear/0.3/0 score", 0.25) in list(differences(result(), result(rows=rows)))


def test_another_flag_or_a_failure_is_an_infinite_difference() -> None:
    rows = outcomes()
    rows[0] = outcome(rows[0].key, Judgement(oracle(rows[0].key).score, flag=True))
    rows[1] = failure(rows[1].key)
    found = dict(differences(result(), result(rows=rows)))
    assert found["linear/0.0/0 flag"] == math.inf
    assert found["linear/0.0/1 status"] == math.inf
    assert found["metrics auroc"] == math.inf


@pytest.mark.parametrize("score", [1.1e12, -1.1e12, 1.797e308])
def test_a_score_too_large_to_be_shown_is_refused(score: float) -> None:
    content = json.loads(TEXT)
    content["details"]["per_dataset"][0]["score"] = score
    with pytest.raises(ResultError, match=r"per_dataset\.0\.score: expected (less|greater) than or equal to"):
        parse(json.dumps(content).encode(), "here")
