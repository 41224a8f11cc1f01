import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmark.audit import faults, is_stale, load, load_all
from benchmark.errors import ResultError
from benchmark.results import save
from tests.builders import CURRENT, failure, outcomes, result

Content = dict[str, Any]


def write(tmp_path: Path, change: Callable[[Content], object]) -> Path:
    place = tmp_path / "results.json"
    save(result(), place)
    content = json.loads(place.read_text())
    change(content)
    place.write_text(json.dumps(content))
    return place


def test_a_right_result_loads(tmp_path: Path) -> None:
    assert load(write(tmp_path, lambda content: None)) == result()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c: c.update(track="embedding-detecton"), 'did you mean "embedding-detection"'),
        (lambda c: c.update(version="9.9"), "version: expected one of 1.0, 1.1, 1.2"),
        (lambda c: c.update(status="incomplete"), "expected 'complete' by its rows"),
        (lambda c: c["metrics"].update(auroc=0.99), "metrics.auroc: expected 1.0 by its rows, got 0.99"),
        (lambda c: c["metrics"].update(auroc=None), "metrics.auroc: expected 1.0 by its rows, got None"),
        (lambda c: c["metrics"].update(mood=1.0), "metrics.mood: unknown"),
        (lambda c: c["metrics"].pop("fpr"), "metrics.fpr: missing"),
        (lambda c: c["reasons"].update(fpr="because"), "reasons: expected one for each of none, got fpr"),
        (
            lambda c: c["intervals"].update(auroc=[0.9, 1.1]),
            "intervals.auroc: expected low <= high within [0, 1]",
        ),
        (lambda c: c["intervals"].pop("auroc"), "intervals: expected one for each of"),
        (lambda c: c["details"]["per_dataset"].pop(), "got 179 rows"),
        (lambda c: c["details"]["per_dataset"][0].update(score=7.0), "metrics.auroc"),
        (
            lambda c: c["details"]["per_dataset"][0].update(kind="shortcut"),
            "kind: expected 'null', got 'shortcut'",
        ),
        (lambda c: c["details"]["per_dataset"][0].update(kind="ambiguous"), "got 'ambiguous'"),
        (lambda c: c["details"]["per_dataset"][0].update(seed=5), "differ from the case id"),
        (
            lambda c: c["details"]["per_dataset"][0].update(flag=None),
            "flag: expected for every case or for none",
        ),
        (
            lambda c: c["details"]["per_dataset"][0].update(mood=1.0),
            "expected nothing but score, flag, got mood",
        ),
        (lambda c: c["details"]["per_dataset"][0].update(reason="x"), "reason: expected one exactly when"),
        (lambda c: c["details"]["per_dataset"][0].update(status="crashed", reason="x"), "expected no score"),
        (
            lambda c: c["details"]["by_strength"]["auroc"]["xor"].update({"0.3": 0.2}),
            "by_strength.auroc.xor.0.3",
        ),
        (lambda c: c["timing"]["per_case"].update(elsewhere=1.0), "timing.per_case"),
        (lambda c: c["timing"]["per_case"].update({"linear/0.0/0": 1e308}), "timing.per_case.linear/0.0/0"),
        (lambda c: c["timing"].update(seconds=-1.0), "timing.seconds"),
        (lambda c: c["timing"].update(scored_at="9999-99-99"), "timing.scored_at"),
        (
            lambda c: c.update(determinism={"cases": 3, "differing": 4, "largest": 0.5}),
            "determinism: expected no more cases than there are, got 4 of 3 differing",
        ),
        (
            lambda c: c.update(determinism={"cases": 3, "differing": 0, "largest": 0.5}),
            "determinism.largest: expected 0 exactly when none differs",
        ),
        (
            lambda c: c.update(determinism={"cases": 3, "differing": 1, "largest": 0.0}),
            "determinism.largest: expected 0 exactly when none differs",
        ),
        (lambda c: c.update(fresh={"metrics": {}, "intervals": {}}), "fresh.key_sha256: expected a value"),
    ],
)
def test_a_number_that_its_rows_do_not_bear_out_is_refused(
    tmp_path: Path, change: Callable[[Content], object], said: str
) -> None:
    place = write(tmp_path, change)
    with pytest.raises(ResultError) as refused:
        load(place)
    assert said in str(refused.value)
    assert all(fault.startswith(f"{place}: ") for fault in refused.value.faults)


def test_a_stale_result_is_read_as_it_is_and_marked() -> None:
    old = result()
    stale = old.model_copy(
        update={
            "metrics": {**old.metrics, "auroc": 0.25},
            "digests": old.digests.model_copy(update={"scorer": "e" * 64}),
        }
    )
    assert is_stale(CURRENT, stale)
    assert list(faults(stale)) == []


def test_a_forged_interval_is_found_by_the_full_check() -> None:
    forged = result().model_copy(update={"intervals": {**result().intervals, "fpr": (0.0, 0.5)}})
    assert any("fpr" in fault and "0.5" in fault for fault in faults(forged))


def test_an_incomplete_result_loads_with_its_reasons(tmp_path: Path) -> None:
    rows = outcomes()
    rows[3] = failure(rows[3].key)
    save(result(rows=rows), tmp_path / "results.json")
    loaded = load(tmp_path / "results.json")
    assert loaded.status == "incomplete"
    assert loaded.details.per_dataset[3].reason == "ValueError: no"


def test_a_missing_file_is_told() -> None:
    with pytest.raises(ResultError, match="expected a readable file"):
        load(Path("nowhere/results.json"))


def test_all_results_below_a_folder_with_all_their_faults(tmp_path: Path) -> None:
    good = result("good_entry")
    save(good, tmp_path / good.place)
    assert load_all(tmp_path) == [good]
    save(result("moved_entry"), tmp_path / "embedding-detection/1.2/other_entry/results.json")
    (tmp_path / "embedding-detection/1.2/empty_entry").mkdir()
    (tmp_path / "embedding-detection/1.2/empty_entry/results.json").touch()
    quick = result("quick_entry", suite="quick")
    save(quick, tmp_path / quick.place)
    with pytest.raises(ResultError) as refused:
        load_all(tmp_path)
    bare = result("bare_entry")
    bare = bare.model_copy(
        update={"environment": bare.environment.model_copy(update={"isolation": "process"})}
    )
    save(bare, tmp_path / bare.place)
    with pytest.raises(ResultError) as refused:
        load_all(tmp_path)
    text = str(refused.value)
    assert "expected isolation bwrap, got process" in text
    assert "moved_entry" in text and "empty file" in text and "full public suite" in text
    assert len(refused.value.faults) == 4
