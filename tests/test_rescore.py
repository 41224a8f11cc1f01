"""Jobs are scored for real, in the sandbox, on a track of few cases."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from benchmark import fresh
from benchmark.audit import load
from benchmark.commands import ROOT, run
from benchmark.errors import IsolationError, LaboratoryError, PackageIndexError
from benchmark.pipeline import rescore as rescoring
from benchmark.pipeline.plan import Places
from benchmark.records import Status
from benchmark.results import FILE_NAME, Result, canonical
from benchmark.scorer import Request, Scored, score
from benchmark.stored import write
from scripts import merge as merging
from scripts import rescore as command
from tests.builders import result
from tests.pipelines import (
    FOLDER,
    KEY,
    bring,
    commit_keys,
    commit_result,
    content,
    places_in,
    plan_of,
    repository,
    scored,
    with_fresh,
)
from tests.small_suite import with_small_track
from tests.test_scorer import HONEST, write_entry

pytestmark = pytest.mark.bwrap
Capture = pytest.CaptureFixture[str]
BROKEN = "def detect(embeddings, attribute, task_labels, seed):\n    return 1 / 0\n"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The track of few cases, and no key in the environment."""
    monkeypatch.delenv(fresh.VARIABLE, raising=False)
    with_small_track(monkeypatch)


def play(main: Callable[..., None], places: Places, *words: object) -> object:
    """The exit code of a script's command on a repository."""
    folders = ("--results", places.results, "--contrib", places.contrib)
    with pytest.raises(SystemExit) as stop:
        run(main, list(map(str, (*words, *folders))))
    return stop.value.code


def rescore(places: Places, output: Path, *words: object) -> object:
    track = () if "--plan" in words else ("--track", "embedding-detection")
    return play(command.main, places, "--output", output, "--jobs", 1, *track, *words)


def in_(folder: Path, name: str) -> Result:
    return load(folder / FOLDER / name / FILE_NAME)


def real_ones(root: Path) -> Places:
    """A repository with an entry of this one, an honest one, one that crashes, and a key that anyone has."""
    places = repository(root, "honest")
    shutil.copytree(ROOT / "contrib" / "random_score", places.contrib / "random_score")
    write_entry(places.contrib, BROKEN, "broken")
    commit_keys(places, KEY, revealed=True)
    return places


def steady(results: Path) -> dict[str, str]:
    """The text of every result, less what differs from run to run: its times and its machine."""
    timing, environment = result().timing, result().environment
    return {
        path.parent.name: canonical(
            load(path).model_copy(update={"timing": timing, "environment": environment})
        )
        for path in results.glob(f"{FOLDER}/*/{FILE_NAME}")
    }


def test_shards_and_one_run_give_the_same_results(tmp_path: Path, capsys: Capture) -> None:
    found = []
    for count in (1, 2, 3):
        places = real_ones(tmp_path / str(count))
        shards = [tmp_path / str(count) / f"shard-{number}" for number in range(1, count + 1)]
        parts = [("--shard", f"{n}/{count}") if count > 1 else () for n in range(1, count + 1)]
        assert [rescore(places, *both) for both in ((s, *p) for s, p in zip(shards, parts, strict=True))] == (
            [0] * count
        )
        assert [len(places_in(shard)) for shard in shards] == {1: [3], 2: [2, 1], 3: [1, 1, 1]}[count]
        assert play(merging.main, places, *shards) == 0
        assert plan_of(places).jobs == []
        found.append(steady(places.results))
    assert found[0] == found[1] == found[2]
    assert sorted(found[0]) == ["broken", "honest", "random_score"]
    told = capsys.readouterr().out
    assert "broken on embedding-detection 1.2: incomplete in " in told
    assert "random_score on embedding-detection 1.2: All 12 cases on fresh seeds went well." in told
    held = load(tmp_path / "1/results" / FOLDER / "random_score" / FILE_NAME)
    assert held.status == "complete" and held.fresh is not None and held.environment.isolation == "bwrap"
    assert load(tmp_path / "1/results" / FOLDER / "broken" / FILE_NAME).fresh is None


def test_an_entry_whose_packages_cannot_be_had_is_a_result_and_holds_nothing_up(
    tmp_path: Path, capsys: Capture
) -> None:
    places = repository(tmp_path, "a_first", "b_second")
    (places.contrib / "a_first/requirements.txt").write_text("numpy==1.0\n")
    assert rescore(places, tmp_path / "out") == 0
    failed = in_(tmp_path / "out", "a_first")
    assert failed.status == "incomplete"
    assert {row.status for row in failed.details.per_dataset} == {Status.CRASHED}
    reason = failed.details.per_dataset[0].reason or ""
    assert (
        reason.startswith("not started: requirements.txt:1: expected numpy ") and str(tmp_path) not in reason
    )
    assert in_(tmp_path / "out", "b_second").status == "complete"
    assert "2 jobs, 1 of entries that failed, 0 that could not be done" in capsys.readouterr().out
    assert play(merging.main, places, tmp_path / "out") == 0
    assert plan_of(places).jobs == []


@pytest.mark.parametrize("error", [IsolationError, LaboratoryError, PackageIndexError])
def test_a_fault_of_the_machine_is_no_result_and_holds_nothing_up(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def failing(request: Request, progress: object) -> Scored:
        if request.entry.id == "a_first":
            raise error("the machine is on fire")
        return score(request)

    monkeypatch.setattr(rescoring, "score", failing)
    places = repository(tmp_path, "a_first", "b_second")
    assert rescore(places, tmp_path / "out") == 1
    assert places_in(tmp_path / "out") == ["b_second"]
    told = capsys.readouterr().err.splitlines()
    assert told[:2] == [
        "a_first on embedding-detection 1.2: not scored, or not wholly:",
        "  the machine is on fire",
    ]


def test_without_a_sandbox_nothing_is_scored(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise IsolationError(f"no {name} here")

    monkeypatch.setattr(command, "choose", missing)
    assert rescore(repository(tmp_path, "some_entry"), tmp_path / "out") == 1
    assert capsys.readouterr().err.splitlines()[-1] == "no bwrap here"
    assert content(tmp_path / "out") == {}


def test_a_fresh_score_is_added_to_the_committed_result_and_changes_nothing_else(tmp_path: Path) -> None:
    places = repository(tmp_path, "some_entry")
    commit_keys(places, KEY, revealed=True)
    before = scored(places)
    commit_result(places, before)
    assert rescore(places, tmp_path / "out", "--missing") == 0
    made = in_with_keys(tmp_path / "out", places)
    assert made.model_copy(update={"fresh": None}) == before
    assert made.fresh is not None and made.fresh.key_sha256 == fresh.sha256_of(KEY)
    assert play(merging.main, places, tmp_path / "out") == 0
    assert in_(places.results, "some_entry") == made


def in_with_keys(output: Path, places: Places) -> Result:
    """The result in an output folder, which holds no keys of its own."""
    shutil.copy(places.results / FOLDER / fresh.FILE_NAME, output / FOLDER)
    made = in_(output, "some_entry")
    (output / FOLDER / fresh.FILE_NAME).unlink()
    return made


def test_without_the_key_the_public_score_is_made_and_the_rest_is_told(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    places, master = repository(tmp_path, "some_entry"), "7" * 64
    commit_keys(places, fresh.key_of(master, *FOLDER.parts))
    assert rescore(places, tmp_path / "out") == 1
    assert "LEADERBOARD_FRESH_KEY: expected the key behind the hash" in capsys.readouterr().err
    assert play(merging.main, places, tmp_path / "out") == 0
    assert in_(places.results, "some_entry").fresh is None
    monkeypatch.setenv(fresh.VARIABLE, master)
    assert rescore(places, tmp_path / "again") == 0
    assert fresh.VARIABLE not in os.environ
    assert play(merging.main, places, tmp_path / "again") == 0
    assert in_(places.results, "some_entry").fresh is not None
    told = capsys.readouterr()
    assert master not in told.out + told.err


def test_an_entry_that_cannot_start_any_more_fails_on_fresh_seeds_as_well(tmp_path: Path) -> None:
    places = repository(tmp_path, "some_entry")
    (places.contrib / "some_entry/requirements.txt").write_text("numpy==1.0\n")
    commit_keys(places, KEY, revealed=True)
    commit_result(places, scored(places))
    assert rescore(places, tmp_path / "out") == 0
    found = in_with_keys(tmp_path / "out", places).fresh
    assert found is not None and set(found.metrics.values()) == {None}
    assert set(found.reasons.values()) == {"12 of 12 cases failed"}


def test_what_has_changed_since_the_plan_is_not_scored(tmp_path: Path, capsys: Capture) -> None:
    places = repository(tmp_path, "a_first", "b_second", "c_third")
    commit_keys(places, KEY, revealed=True)
    commit_result(places, scored(places, "c_third"))
    write(plan_of(places), tmp_path / "plan.json")
    (places.contrib / "a_first/method.py").write_text(HONEST + "\n")
    newer = scored(places, "c_third")
    timing = newer.timing.model_copy(update={"seconds": 2.0})
    commit_result(places, newer.model_copy(update={"timing": timing}))
    assert rescore(places, tmp_path / "out", "--plan", tmp_path / "plan.json") == 1
    assert places_in(tmp_path / "out") == ["b_second"]
    told = capsys.readouterr().err
    assert "a_first on embedding-detection 1.2: expected the entry as it was planned, got a changed" in told
    assert "c_third on embedding-detection 1.2: expected the committed result as it was planned" in told


def test_a_job_replaces_all_that_its_folder_held(tmp_path: Path) -> None:
    places = repository(tmp_path, "some_entry")
    folder = bring(tmp_path / "out", places, plan_of(places).jobs)
    (folder / FOLDER / "some_entry" / "gallery.npz").touch()
    (folder / FOLDER / "some_entry" / "stray").touch()
    assert rescore(places, folder) == 0
    assert list(content(folder)) == [f"{FOLDER}/some_entry/{FILE_NAME}"]
    assert in_(folder, "some_entry").details != scored(places).details
    assert sorted(path.name for path in tmp_path.iterdir()) == ["contrib", "out", "results"]


@pytest.mark.parametrize("most", [0, 1, 2])
def test_a_job_that_is_stopped_while_it_is_written_leaves_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    places = repository(tmp_path, "some_entry")
    folder = bring(tmp_path / "out", places, plan_of(places).jobs)
    own = folder / FOLDER / "some_entry"
    (own / "gallery.npz").touch()
    before, rename, remove, done = content(folder), os.rename, shutil.rmtree, []
    made = with_fresh(scored(places))

    def renamed(source: Path, target: Path) -> None:
        if len(done) == most:
            raise KeyboardInterrupt
        done.append(rename(source, target))

    def removed(path: Path, *rest: object, **more: object) -> None:
        if Path(path) == own:
            (own / FILE_NAME).unlink()
            raise KeyboardInterrupt
        remove(path, *rest, **more)

    monkeypatch.setattr(os, "rename", renamed)
    monkeypatch.setattr(shutil, "rmtree", removed)
    with suppress(KeyboardInterrupt):
        rescoring.put(made, None, folder)
    assert own.exists() == (most != 1)
    new = {f"{FOLDER}/some_entry/{FILE_NAME}": canonical(made).encode()}
    assert content(folder) == (before, {}, new)[most]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--missing", "--all"), "expected one of --missing, --stale and --all, got --missing, --all"),
        (("--shard", "3/2"), "--shard: expected I/N with 1 <= I <= N <= 256"),
        (("--shard", "0/2"), "--shard: expected I/N with 1 <= I <= N <= 256"),
        (("--shard", "1"), '--shard: expected I/N with 1 <= I <= N <= 256, got "1"'),
        (("--track", "nowhere"), "--track: expected"),
        (("--plan", "PLAN"), "--shard: expected one of the 2 shards of"),
        (("--plan", "PLAN", "--shard", "1/3"), "--shard: expected one of the 2 shards of"),
        (("--plan", "PLAN", "--shard", "1/2", "--all"), "--plan: expected a plan alone"),
    ],
)
def test_wrong_use_is_told_before_anything_runs(
    tmp_path: Path, capsys: Capture, words: tuple[str, ...], said: str
) -> None:
    places = repository(tmp_path, "some_entry")
    write(plan_of(places, shards=2), tmp_path / "plan.json")
    given = [str(tmp_path / "plan.json") if word == "PLAN" else word for word in words]
    assert rescore(places, tmp_path / "out", *given) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


SLOW = "import time\n\n\n" + HONEST.replace("    return", "    time.sleep(30)\n    return", 1)


def test_a_run_that_is_killed_leaves_what_was_done_and_the_next_plan_has_the_rest(tmp_path: Path) -> None:
    places = repository(tmp_path, "a_first", "c_third")
    write_entry(places.contrib, SLOW, "b_second")
    write(plan_of(places), tmp_path / "plan.json")
    words = ["--plan", tmp_path / "plan.json", "--results", places.results, "--contrib", places.contrib]
    line = [sys.executable, "-m", "tests.small_command", "rescore", "--output", tmp_path / "out", *words]
    with subprocess.Popen(list(map(str, line)), cwd=ROOT, stderr=subprocess.DEVNULL) as running:
        done = tmp_path / "out" / FOLDER / "a_first" / FILE_NAME
        until = time.monotonic() + 90
        while not done.exists() and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.5)
        running.send_signal(signal.SIGKILL)
    assert running.returncode == -signal.SIGKILL
    assert list(content(tmp_path / "out")) == [f"{FOLDER}/a_first/{FILE_NAME}"]
    assert play(merging.main, places, tmp_path / "out", "--plan", tmp_path / "plan.json") == 0
    assert [job.entry for job in plan_of(places).jobs] == ["b_second", "c_third"]
    (places.contrib / "b_second/method.py").write_text(HONEST)
    assert rescore(places, tmp_path / "again") == 0
    assert play(merging.main, places, tmp_path / "again") == 0
    assert plan_of(places).jobs == []
    assert places_in(places.results) == ["a_first", "b_second", "c_third"]
