import py_compile
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.audit import faults
from benchmark.digests import suite_digest
from benchmark.entries import read_entry
from benchmark.errors import EntryError
from benchmark.isolation.launchers import choose
from benchmark.records import Outcome, Status
from benchmark.results import canonical, differences, parse
from benchmark.scorer import MOST_HANGS, Request, Scored, score
from tests.builders import CURRENT, TRACK

HONEST = """\
def detect(embeddings, attribute, task_labels, seed):
    return {"score": float(embeddings.std()), "flag": bool(seed % 2)}
"""


def write_entry(root: Path, source: str, name: str = "some_entry") -> Path:
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "method.py").write_text(source)
    (folder / "entry.toml").write_text(
        'title = "Some entry"\nsummary = "It is made for a test."\nauthors = ["Someone"]\nlicense = "MIT"\n'
        'tracks = ["embedding-detection"]\nkind = "method"\nfamily = "test"\n'
    )
    return folder


def run(folder: Path, jobs: int = 1, isolation: str = "process", offset: int = 0) -> Scored:
    track = replace(TRACK, call_seconds=3.0)
    entry = read_entry(folder)
    return score(Request(entry, track, CURRENT, choose(isolation), "quick", offset, jobs))


def test_an_honest_entry_gets_a_complete_result(tmp_path: Path) -> None:
    scored = run(write_entry(tmp_path, HONEST))
    result = scored.result
    assert result.status == "complete"
    assert list(faults(result)) == []
    assert [row.case for row in result.details.per_dataset] == [key.id for key in CURRENT.keys("quick")]
    key = CURRENT.keys("quick")[5]
    expected = float(CURRENT.generate(key).seen["embeddings"].std())
    assert result.details.per_dataset[5].score == pytest.approx(expected, abs=1e-12)
    assert result.digests.suite == suite_digest(CURRENT, CURRENT.keys("quick"))
    assert set(result.timing.per_case) == {key.id for key in CURRENT.keys("quick")}
    assert result.environment.isolation == "process"


def test_two_runs_differ_only_in_timing_and_environment(tmp_path: Path) -> None:
    folder = write_entry(tmp_path, HONEST)
    first, second = run(folder).result, run(folder, jobs=2, isolation="bwrap").result
    same = {"timing": first.timing, "environment": first.environment}
    assert canonical(second.model_copy(update=same)) == canonical(first)
    assert list(differences(first, second)) == []


UNSTEADY = """\
import os


def detect(embeddings, attribute, task_labels, seed):
    return float(int.from_bytes(os.urandom(2), "big"))
"""


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(("source", "differing"), [(HONEST, 0), (UNSTEADY, 3)])
def test_an_entry_that_answers_differently_when_asked_again_is_found(
    tmp_path: Path, source: str, differing: int, jobs: int
) -> None:
    entry = read_entry(write_entry(tmp_path, source))
    scored = score(Request(entry, TRACK, CURRENT, choose("process"), "quick", jobs=jobs, repeats=3))
    found = scored.result.determinism
    assert found is not None and (found.cases, found.differing) == (3, differing)
    assert (found.largest == 0.0) is (differing == 0)
    assert [repeat.difference > 0 for repeat in scored.repeats] == [differing > 0] * 3
    assert list(faults(scored.result)) == []
    again = parse(canonical(scored.result).encode(), "here")
    assert again == scored.result


def test_a_case_is_run_again_in_another_process_and_a_failed_one_not_at_all(tmp_path: Path) -> None:
    keys = CURRENT.keys("quick")
    firsts = [float(CURRENT.generate(key).seen["embeddings"][0, 0]) for key in keys[1:]]
    source = f"""
import os

FAILS = {firsts!r}


def detect(embeddings, attribute, task_labels, seed):
    assert embeddings[0, 0] not in FAILS
    return float(os.getpid())
"""
    entry = read_entry(write_entry(tmp_path, source))
    scored = score(Request(entry, TRACK, CURRENT, choose("process"), "quick", jobs=2, repeats=3))
    (repeat,) = scored.repeats
    assert repeat.first.key == keys[0]
    assert repeat.first.judgement.score != repeat.second.judgement.score
    assert scored.result.determinism is not None and scored.result.determinism.cases == 1


def test_an_offset_moves_every_case(tmp_path: Path) -> None:
    folder = write_entry(tmp_path, HONEST)
    public, moved = run(folder).result, run(folder, offset=3).result
    assert not {row.score for row in public.details.per_dataset} & {
        row.score for row in moved.details.per_dataset
    }
    assert list(faults(moved)) == []


def test_progress_is_told_of_every_case(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []

    def note(outcome: Outcome, done: int, total: int) -> None:
        told.append((done, total))

    entry = read_entry(write_entry(tmp_path, HONEST))
    score(Request(entry, TRACK, CURRENT, choose("process"), "quick"), note)
    assert told == [(count, 24) for count in range(1, 25)]


def rows(scored: Scored) -> dict[str, tuple[str, str | None]]:
    return {row.case: (row.status.value, row.reason) for row in scored.result.details.per_dataset}


@pytest.mark.parametrize(
    ("does", "status", "said"),
    [
        ("raise ValueError('bad shape')", Status.CRASHED, "ValueError: bad shape"),
        ("import sys; sys.exit(3)", Status.CRASHED, "SystemExit"),
        ("import os; os._exit(0)", Status.CRASHED, "ended"),
        ("import time; time.sleep(60)", Status.TIMED_OUT, "3"),
        ("bytearray(8 * 2**30)", Status.OUT_OF_MEMORY, "MemoryError"),
        ("return float('nan')", Status.BAD_OUTPUT, "finite"),
        ("return None", Status.BAD_OUTPUT, "None"),
        ("return {'score': 1.0}", Status.BAD_OUTPUT, "flag: expected for every case or for none"),
    ],
)
def test_a_failing_case_is_a_row_with_its_status_and_costs_no_other(
    tmp_path: Path, does: str, status: Status, said: str
) -> None:
    key = CURRENT.keys("quick")[9]
    first = float(CURRENT.generate(key).seen["embeddings"][0, 0])
    body = f"    if embeddings[0, 0] == {first!r}:\n        {does}\n"
    source = HONEST.replace("    return", body + "    return", 1)
    scored = run(write_entry(tmp_path, source), isolation="bwrap")
    found = rows(scored)
    assert found[key.id][0] == status.value
    assert said in str(found[key.id][1])
    assert [case for case, row in found.items() if row[0] != "ok"] == [key.id]
    assert scored.result.status == "incomplete"
    assert set(scored.result.metrics.values()) == {None}
    assert list(faults(scored.result)) == []


def test_an_entry_that_cannot_be_imported_fails_every_case_with_one_reason(tmp_path: Path) -> None:
    scored = run(write_entry(tmp_path, "import nothing_of_this_name\n" + HONEST))
    assert {status for status, _ in rows(scored).values()} == {"crashed"}
    assert len({reason for _, reason in rows(scored).values()}) == 1
    assert "nothing_of_this_name" in str(next(iter(rows(scored).values()))[1])


def test_nothing_is_carried_from_case_to_case(tmp_path: Path) -> None:
    source = "seen = []\n" + HONEST.replace(
        "    return", "    seen.append(1)\n    assert len(seen) == 1\n    return", 1
    )
    assert run(write_entry(tmp_path, source)).result.status == "complete"


def test_only_what_the_digest_counts_reaches_the_entry(tmp_path: Path) -> None:
    source = "import helper\n\n\n" + HONEST.replace("embeddings.std()", "helper.VALUE")
    folder = write_entry(tmp_path, source)
    (folder / "helper.py").write_text("import os\n\nVALUE = len(os.listdir(os.path.dirname(__file__)))\n")
    (folder / "notes.md").write_text("notes")
    compiled = folder / "__pycache__" / f"helper.{sys.implementation.cache_tag}.pyc"
    (tmp_path / "other.py").write_text("VALUE = 99\n")
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(tmp_path / "other.py"), cfile=str(compiled), invalidation_mode=mode)
    scored = run(folder)
    assert {row.score for row in scored.result.details.per_dataset} == {2.0}  # method.py and helper.py


def test_an_entry_that_changes_after_it_was_read_is_not_scored(tmp_path: Path) -> None:
    folder = write_entry(tmp_path, HONEST)
    entry = read_entry(folder)
    (folder / "method.py").write_text(HONEST + "\n")
    with pytest.raises(EntryError, match="stay as they are"):
        score(Request(entry, TRACK, CURRENT, choose("process"), "quick"))


def test_the_seed_an_entry_gets_tells_no_case(tmp_path: Path) -> None:
    source = """
import hashlib, json

CELLS = [(kind, delta) for kind in ("linear", "xor", "variance") for delta in (0.0, 0.3, 0.6, 1.0)]
IDS = [f"{kind}/{delta}/{seed}" for kind, delta in CELLS for seed in range(30)]


def seed_of(*key):
    text = json.dumps([[type(part).__name__, part] for part in ("entry seed", *key)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1


TABLE = {seed_of(name): name for name in IDS} | {seed_of(seed): str(seed) for seed in range(30)}


def detect(embeddings, attribute, task_labels, seed):
    return {"score": float(seed in TABLE), "flag": seed in TABLE}
"""
    scored = run(write_entry(tmp_path, source))
    assert {row.score for row in scored.result.details.per_dataset} == {0.0}


def test_after_a_few_hangs_the_rest_is_not_run(tmp_path: Path) -> None:
    source = HONEST.replace("    return", "    while True:\n        pass\n    return", 1)
    entry = read_entry(write_entry(tmp_path, source))
    hasty = replace(TRACK, call_seconds=0.3)
    scored = score(Request(entry, hasty, CURRENT, choose("process"), "quick"))
    reasons = [row.reason for row in scored.result.details.per_dataset]
    assert {row.status for row in scored.result.details.per_dataset} == {Status.TIMED_OUT}
    assert sum("within 0.3 s" in str(reason) for reason in reasons) == MOST_HANGS
    assert sum("not run" in str(reason) for reason in reasons) == 24 - MOST_HANGS


def test_a_deep_tree_in_the_scratch_folder_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    digs = (
        "    import os\n    for _ in range(1500):\n        os.mkdir('d')\n        os.chdir('d')\n    return"
    )
    scored = run(write_entry(tmp_path, HONEST.replace("    return", digs, 1)), isolation="process")
    assert len(scored.result.details.per_dataset) == 24
    assert list((tmp_path / "scratch").iterdir()) == []
