import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmark import fresh
from benchmark.commands import run
from benchmark.errors import UsageError
from benchmark.pipeline.plan import Places, What, load
from benchmark.pipeline.planning import Wanted, basis_of, planned
from benchmark.results import Result
from benchmark.stored import canonical_text, write
from benchmark.tracks import TRACKS
from scripts import plan as planning
from tests.builders import failure
from tests.pipelines import (
    FOLDER,
    KEY,
    OTHER_KEY,
    commit_keys,
    commit_result,
    plan_of,
    repository,
    scored,
    with_fresh,
)
from tests.small_suite import with_small_track
from tests.test_scorer import HONEST, write_entry

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """A repository with one entry, on a track of few cases."""
    with_small_track(monkeypatch)
    return repository(tmp_path, "some_entry")


def nothing(places: Places) -> None:
    """Leaves the entry without a result."""


def complete(places: Places) -> None:
    commit_result(places, scored(places))


def incomplete(places: Places) -> None:
    rows = list(scored(places).outcomes)
    rows[0] = failure(rows[0].key)
    commit_result(places, scored(places, rows=rows))


def edited(places: Places) -> None:
    complete(places)
    (places.contrib / "some_entry/method.py").write_text(HONEST + "\n")


def described_anew(places: Places) -> None:
    complete(places)
    path = places.contrib / "some_entry/entry.toml"
    path.write_text(path.read_text().replace("It is made", "It was made"))


def with_digest(made: Result, name: str) -> Result:
    return made.model_copy(update={"digests": made.digests.model_copy(update={name: "e" * 64})})


def of_other_data(places: Places) -> None:
    commit_result(places, with_digest(scored(places), "suite"))


def of_other_metrics(places: Places) -> None:
    commit_result(places, with_digest(scored(places), "scorer"))


def forged(places: Places) -> None:
    path = commit_result(places, scored(places))
    path.write_text(path.read_text().replace('"auroc": 1.0', '"auroc": 0.9', 1))


@pytest.mark.parametrize(
    ("committed", "in_modes"),
    [
        (nothing, ("missing", "stale", "all")),
        (complete, ("all",)),
        (incomplete, ("all",)),
        (edited, ("missing", "stale", "all")),
        (described_anew, ("all",)),
        (of_other_data, ("stale", "all")),
        (of_other_metrics, ("stale", "all")),
        (forged, ("missing", "stale", "all")),
    ],
)
@pytest.mark.parametrize("what", ["missing", "stale", "all"])
@pytest.mark.parametrize("keyed", [False, True])
def test_a_public_score_is_planned_where_there_is_none_of_what_is_there_now(
    here: Places, committed: Callable[[Places], None], in_modes: tuple[str, ...], what: What, keyed: bool
) -> None:
    committed(here)
    if keyed:
        commit_keys(here, KEY)
    public = [job for job in plan_of(here, what).jobs if job.public]
    assert len(public) == (what in in_modes)
    for job in public:
        assert job.fresh == (fresh.sha256_of(KEY) if keyed else None)
        assert job.basis is None
        assert job.entry_digest == scored(here).digests.entry
        assert (job.suite_digest, job.scorer_digest) == (
            scored(here).digests.suite,
            scored(here).digests.scorer,
        )


@pytest.mark.parametrize("what", ["missing", "stale"])
def test_a_fresh_score_alone_is_planned_beside_a_complete_result_of_what_is_there_now(
    here: Places, what: What
) -> None:
    commit_keys(here, OTHER_KEY, KEY)
    for committed in (incomplete, of_other_data):
        committed(here)
        assert not [job for job in plan_of(here, what).jobs if not job.public]
    complete(here)
    (job,) = plan_of(here, what).jobs
    assert (job.public, job.fresh) == (False, fresh.sha256_of(KEY))
    assert job.basis == basis_of(scored(here))
    commit_result(here, with_fresh(scored(here), OTHER_KEY))
    assert plan_of(here, what).jobs == [job]
    commit_result(here, with_fresh(scored(here)))
    assert plan_of(here, what).jobs == []


def test_two_runs_cost_twice_what_one_does(here: Places) -> None:
    (job,) = plan_of(here).jobs
    assert job.cost == 12.0
    commit_keys(here, KEY)
    (job,) = plan_of(here).jobs
    assert job.cost == 24.0
    complete(here)
    (job,) = plan_of(here).jobs
    assert job.cost == 1.0


def test_an_entry_that_is_not_valid_is_named_and_left_out(here: Places) -> None:
    write_entry(here.contrib, "def detect(:\n", "broken_one")
    write_entry(here.contrib, HONEST, "Loud")
    found = planned(Wanted("all", [(track := TRACKS[FOLDER.parts[0]], track.current)]), here)
    assert [job.entry for job in found.plan.jobs] == ["some_entry"]
    assert [Path(line.split(":")[0]).name for line in found.faults] == ["Loud", "method.py"]


def test_an_entry_is_planned_on_its_own_tracks_and_the_versions_that_are_asked_for(
    tmp_path: Path,
) -> None:
    places = repository(tmp_path, "some_entry")
    track, other = TRACKS["embedding-detection"], TRACKS["embedding-mitigation"]
    pairs = [(other, other.current), *((track, version) for version in track.versions)]
    jobs = planned(Wanted("missing", pairs), places).plan.jobs
    assert [job.place.parts for job in jobs] == [
        ("embedding-detection", "1.0", "some_entry"),
        ("embedding-detection", "1.1", "some_entry"),
        ("embedding-detection", "1.2", "some_entry"),
    ]
    assert [job.cost for job in jobs] == [120.0, 180.0, 180.0]


def test_keys_that_cannot_be_read_are_named_and_none(here: Places) -> None:
    place = here.results / FOLDER / fresh.FILE_NAME
    place.parent.mkdir(parents=True)
    place.write_text("{")
    found = planned(Wanted("missing", [(track := TRACKS[FOLDER.parts[0]], track.current)]), here)
    (job,) = found.plan.jobs
    assert job.fresh is None
    assert len(found.faults) == 1 and found.faults[0].startswith(f"{place}: expected canonical JSON")


def command(*words: object) -> object:
    with pytest.raises(SystemExit) as stop:
        run(planning.main, list(map(str, words)))
    return stop.value.code


def test_the_command_writes_the_same_plan_each_time_and_tells_a_workflow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    with_small_track(monkeypatch)
    names = ["one", "two", "three"]
    places = repository(tmp_path, *names)
    folders = ("--results", places.results, "--contrib", places.contrib)
    told = tmp_path / "told"
    told.write_text("before=1\n")
    for name in ("first", "second"):
        words = ("--track", "embedding-detection", "--shards", 5, "--output", tmp_path / name)
        assert command(*words, *folders, "--github-output", told) == 0
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    assert told.read_text() == "before=1\n" + 2 * "count=3\nshards=[1,2,3]\n"
    found = load(tmp_path / "first")
    assert [(job.entry, job.shard) for job in found.jobs] == [("one", 1), ("three", 2), ("two", 3)]
    assert found.shards == 5 and found.of(2)[0].name == "three on embedding-detection 1.2"
    assert "shard 2, about 12 s:\n  three on embedding-detection 1.2: public\n" in capsys.readouterr().out


def test_nothing_to_do_is_a_plan_too(here: Places, tmp_path: Path, capsys: Capture) -> None:
    complete(here)
    words = ("--track", "embedding-detection", "--results", here.results, "--contrib", here.contrib)
    told = tmp_path / "told"
    assert command(*words, "--output", tmp_path / "plan.json", "--github-output", told) == 0
    assert told.read_text() == "count=0\nshards=[]\n"
    assert capsys.readouterr().out == "no jobs to do\n"
    assert load(tmp_path / "plan.json").jobs == []


@pytest.mark.parametrize(
    "words", [("--what", "some"), ("--shards", "0"), ("--shards", "257"), ("--track", "nowhere")]
)
def test_wrong_use_is_told(here: Places, tmp_path: Path, words: tuple[str, ...]) -> None:
    assert command("--output", tmp_path / "plan.json", *words) == 2
    assert not (tmp_path / "plan.json").exists()


Content = dict[str, Any]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: p["jobs"].append(p["jobs"][0]), "expected each job once, got some_entry on embedding-det"),
        (lambda p: p["jobs"][0].update(shard=2), "shard: expected 1 to 1, got 2"),
        (lambda p: p["jobs"][0].update(public=False), "a public or a fresh score to make, got neither"),
        (lambda p: p["jobs"][0].update(basis="a" * 64), "basis: expected a digest exactly for a fresh score"),
        (lambda p: p["jobs"][0].update(entry="../../etc"), "jobs.0.entry"),
        (lambda p: p["jobs"][0].update(track=".."), "expected a version of a track, got .. 1.2"),
        (lambda p: p["jobs"][0].update(version="../1.2"), "expected a version of a track"),
        (lambda p: p["jobs"][0].update(suite_digest="a" * 64), "in this checkout, got others"),
        (lambda p: p["jobs"][0].update(scorer_digest="a" * 64), "in this checkout, got others"),
        (lambda p: p["jobs"][0].update(cost=-1.0), "jobs.0.cost"),
        (lambda p: p["jobs"][0].update(mood=1), "mood"),
        (lambda p: p.update(shards=1000), "shards"),
        (lambda p: p.pop("what"), "what"),
    ],
)
def test_a_plan_that_is_not_valid_is_refused(
    here: Places, tmp_path: Path, change: Callable[[Content], object], said: str
) -> None:
    place = tmp_path / "plan.json"
    write(plan_of(here), place)
    assert load(place) == plan_of(here)
    held = json.loads(canonical_text(plan_of(here)))
    change(held)
    place.write_text(json.dumps(held))
    with pytest.raises(UsageError) as error:
        load(place)
    assert any(said in line for line in error.value.faults), error.value.faults


def test_a_plan_that_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a readable plan, got No such file or directory"):
        load(tmp_path / "plan.json")
