from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchmark import gallery
from benchmark.audit import load, load_all
from benchmark.commands import run
from benchmark.pipeline.merge import Merged, merge
from benchmark.pipeline.plan import Places, Plan
from benchmark.pipeline.planning import Wanted, planned
from benchmark.records import Judgement
from benchmark.results import FILE_NAME, Result, save
from benchmark.storage import write
from benchmark.stored import write as write_record
from benchmark.tracks import TRACKS
from scripts import merge as merging
from tests.builders import failure, outcomes, result
from tests.pipelines import (
    FOLDER,
    KEY,
    OTHER_KEY,
    add_entry,
    bring,
    commit_keys,
    commit_result,
    content,
    owned,
    places_in,
    plan_of,
    repository,
    scored,
    with_fresh,
)
from tests.small_suite import with_small_track
from tests.test_scorer import HONEST
from tests.test_storage import pictured

EARLIER = "2025-12-31T00:00:00+00:00"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """A repository of three entries on a track of few cases."""
    with_small_track(monkeypatch)
    return repository(tmp_path, "one", "three", "two")


def merged(places: Places, plan: Plan, *folders: Path) -> Merged:
    return merge(folders, plan, places, places.results.parent / "scores")


def committed(places: Places, name: str) -> Result:
    return load(places.results / FOLDER / name / FILE_NAME)


def test_each_shard_lands_whatever_the_order(here: Places, tmp_path: Path) -> None:
    plan = plan_of(here, shards=2)
    shards = [bring(tmp_path / f"shard-{number}", here, plan.of(number)) for number in (1, 2)]
    found = merged(here, plan, *reversed(shards))
    assert [(one.job.entry, one.said) for one in found.landed] == [
        ("one", "public, complete"),
        ("three", "public, complete"),
        ("two", "public, complete"),
    ]
    assert (dict(found.refused), found.notes) == ({}, ())
    assert plan_of(here).jobs == []
    before = content(here.results)
    merged(here, plan, *shards)
    assert content(here.results) == before


def test_what_a_stopped_shard_did_not_bring_is_named_and_planned_again(here: Places, tmp_path: Path) -> None:
    plan = plan_of(here)
    found = merged(here, plan, bring(tmp_path / "shard", here, plan.jobs[:2]))
    assert found.notes == ("two on embedding-detection 1.2: not brought; the next plan has it again",)
    assert not found.refused
    assert [job.entry for job in plan_of(here).jobs] == ["two"]


def test_a_fresh_score_that_was_not_brought_is_named_and_planned_again(here: Places, tmp_path: Path) -> None:
    commit_keys(here, KEY)
    plan = plan_of(here)
    folder = bring(tmp_path / "shard", here, plan.jobs)
    save(scored(here, "one"), folder / FOLDER / "one" / FILE_NAME)
    found = merged(here, plan, folder)
    assert found.notes == (
        "one on embedding-detection 1.2: brought without its fresh score; the next plan has it again",
    )
    (job,) = plan_of(here).jobs
    assert (job.entry, job.public) == ("one", False)


def test_a_fresh_score_is_kept_or_replaced_but_never_lost(here: Places, tmp_path: Path) -> None:
    commit_keys(here, OTHER_KEY, KEY)
    commit_result(here, with_fresh(scored(here, "one"), OTHER_KEY))
    plan = plan_of(here, "all")
    folder = bring(tmp_path / "shard", here, plan.jobs)
    assert not merged(here, plan, folder).refused
    assert committed(here, "one") == with_fresh(scored(here, "one"))
    save(scored(here, "one"), folder / FOLDER / "one" / FILE_NAME)
    assert not merged(here, plan, folder).refused
    assert committed(here, "one") == with_fresh(scored(here, "one"))


def edit_entry(places: Places) -> None:
    (places.contrib / "one/method.py").write_text(HONEST + "\n")


def break_entry(places: Places) -> None:
    (places.contrib / "one/method.py").write_text("def detect(:\n")


def move_entry(places: Places) -> None:
    path = places.contrib / "one/entry.toml"
    path.write_text(path.read_text().replace("embedding-detection", "embedding-mitigation"))


def remove_entry(places: Places) -> None:
    (places.contrib / "one").rename(places.contrib.parent / "one")


@pytest.mark.parametrize("change", [edit_entry, break_entry, move_entry, remove_entry])
def test_a_job_whose_entry_has_changed_is_dropped_and_the_others_land(
    here: Places, tmp_path: Path, change: Callable[[Places], None]
) -> None:
    plan = plan_of(here)
    folder = bring(tmp_path / "shard", here, plan.jobs)
    change(here)
    found = merged(here, plan, folder)
    (note,) = found.notes
    assert note.startswith("one on embedding-detection 1.2: dropped, as its entry has changed since: ")
    assert not found.refused and places_in(here.results) == ["three", "two"]


def test_a_fresh_score_of_a_result_that_has_changed_is_dropped(here: Places, tmp_path: Path) -> None:
    commit_keys(here, KEY)
    for name in ("one", "three", "two"):
        commit_result(here, scored(here, name))
    plan = plan_of(here)
    folder = bring(tmp_path / "shard", here, plan.jobs)
    newer = scored(here, "one")
    newer = newer.model_copy(update={"timing": newer.timing.model_copy(update={"seconds": 2.0})})
    commit_result(here, newer)
    found = merged(here, plan, folder)
    assert found.notes == (
        "one on embedding-detection 1.2: dropped, as its committed result has changed since; "
        "the next plan has it again",
    )
    assert committed(here, "one") == newer
    assert committed(here, "two") == with_fresh(scored(here, "two"))
    assert [job.entry for job in plan_of(here).jobs] == ["one"]


def at(made: Result, moment: str) -> Result:
    return made.model_copy(update={"timing": made.timing.model_copy(update={"scored_at": moment})})


@pytest.mark.parametrize(("moment", "stays"), [("2026-01-02T00:00:00+00:00", True), (EARLIER, False)])
def test_what_is_brought_late_takes_no_newer_results_place(
    here: Places, tmp_path: Path, moment: str, stays: bool
) -> None:
    commit_keys(here, KEY)
    plan = plan_of(here)
    folder = bring(tmp_path / "shard", here, plan.jobs)
    held = at(with_fresh(scored(here, "one")), moment)
    commit_result(here, held)
    found = merged(here, plan, folder)
    assert committed(here, "one") == (held if stays else with_fresh(scored(here, "one")))
    notes = ("one on embedding-detection 1.2: dropped, as a newer score is committed",) if stays else ()
    assert found.notes == notes and not found.refused
    assert places_in(here.results) == ["one", "three", "two"]


def test_a_newer_result_that_failed_or_is_of_other_files_gives_way(here: Places, tmp_path: Path) -> None:
    plan = plan_of(here)
    folder = bring(tmp_path / "shard", here, plan.jobs)
    version = TRACKS[FOLDER.parts[0]].current
    later = "2026-01-02T00:00:00+00:00"
    commit_result(here, at(scored(here, "one", [failure(key) for key in version.keys()]), later))
    other = scored(here, "two")
    digests = other.digests.model_copy(update={"entry": "e" * 64})
    commit_result(here, at(other.model_copy(update={"digests": digests}), later))
    assert merged(here, plan, folder).notes == ()
    assert committed(here, "one") == scored(here, "one") and committed(here, "two") == scored(here, "two")


def test_a_fresh_score_of_an_older_key_takes_no_newer_ones_place(here: Places, tmp_path: Path) -> None:
    commit_keys(here, KEY)
    commit_result(here, scored(here, "one"))
    plan = plan_of(here)
    folder = bring(tmp_path / "shard", here, [job for job in plan.jobs if job.entry == "one"])
    commit_keys(here, KEY, OTHER_KEY)
    held = with_fresh(scored(here, "one"), OTHER_KEY)
    commit_result(here, held)
    found = merged(here, plan, folder)
    assert found.landed == () and not found.refused
    assert found.notes[0] == "one on embedding-detection 1.2: dropped, as a newer score is committed"
    assert committed(here, "one") == held


def test_a_failed_run_lands_where_no_complete_result_of_the_entry_is(here: Places, tmp_path: Path) -> None:
    commit_result(here, scored(here, "one"))
    plan = plan_of(here, "all")
    folder = bring(tmp_path / "shard", here, plan.jobs)
    for name in ("one", "two"):
        rows = [failure(row.key) for row in scored(here, name).outcomes]
        save(scored(here, name, rows), folder / FOLDER / name / FILE_NAME)
    found = merged(here, plan, folder)
    assert [(one.job.entry, one.said) for one in found.landed] == [
        ("three", "public, complete"),
        ("two", "public, incomplete"),
    ]
    assert "one on embedding-detection 1.2: its complete result stays, as this run failed" in found.notes[0]
    assert committed(here, "one").status == "complete" and committed(here, "two").status == "incomplete"
    assert load(tmp_path / "scores" / FOLDER / "one" / FILE_NAME).status == "incomplete"


def test_two_artifacts_that_bring_the_same_job_are_both_refused(here: Places, tmp_path: Path) -> None:
    plan = plan_of(here)
    first = bring(tmp_path / "first", here, plan.jobs[:1])
    second = bring(tmp_path / "second", here, plan.jobs[:2])
    third = bring(tmp_path / "third", here, plan.jobs[2:])
    found = merged(here, plan, first, second, third)
    assert list(found.refused) == [first, second]
    assert (
        "expected one on embedding-detection 1.2 in one artifact only, got it in several"
        in (found.refused[second][0])
    )
    assert places_in(here.results) == ["two"]
    (second / "stray").touch()
    found = merged(here, plan, first, second)
    assert list(found.refused) == [second]
    assert places_in(here.results) == ["one", "two"]


def test_pictures_land_beside_their_result(tmp_path: Path) -> None:
    places = repository(tmp_path)
    add_entry(places, "some_entry", "image-detection")
    made, pictures = pictured()
    made = owned(places, made)
    folder = tmp_path / "shard"
    write(made, pictures, folder / made.place)
    assert command(places, folder) == 0
    place = places.results / made.place
    assert load(place) == made
    held = gallery.load(gallery.place_of(place), str(made.digests.gallery))
    assert all(np.array_equal(held[name], pictures[name]) for name in pictures)


MITIGATION = TRACKS["embedding-mitigation"].current


def mitigated(places: Places, name: str, truth: float) -> Result:
    """A result whose cases have this accuracy without mitigation."""
    figures = {"erm_worst_group_acc": truth, "worst_group_acc": 0.5, "mean_acc": 0.75}
    made = result(name, outcomes(lambda key: Judgement(figures=figures), MITIGATION), MITIGATION)
    return owned(places, made)


def test_results_that_rest_on_another_truth_are_refused(tmp_path: Path) -> None:
    places = repository(tmp_path)
    truths = {"first": 0.3, "near": 0.305, "far": 0.4}
    for name, truth in truths.items():
        add_entry(places, name, "embedding-mitigation")
        save(mitigated(places, name, truth), tmp_path / name / mitigated(places, name, truth).place)
    assert command(places, tmp_path / "first") == 0
    plan = planned(Wanted("all", [(TRACKS["embedding-mitigation"], MITIGATION)]), places).plan
    found = merged(places, plan, tmp_path / "near", tmp_path / "far")
    assert [one.job.entry for one in found.landed] == ["near"]
    (faults,) = found.refused.values()
    assert "expected erm_worst_group_acc as first has it, got another" in faults[0]
    assert len(load_all(places.results)) == 2
    save(mitigated(places, "first", 0.4), tmp_path / "first" / mitigated(places, "first", 0.4).place)
    found = merged(places, plan, tmp_path / "first")
    assert "expected erm_worst_group_acc as near has it" in found.refused[tmp_path / "first"][0]


def command(places: Places, *words: object) -> object:
    folders = ["--results", str(places.results), "--contrib", str(places.contrib)]
    with pytest.raises(SystemExit) as stop:
        run(merging.main, [*map(str, words), *folders])
    return stop.value.code


def test_the_command_says_what_landed_and_what_did_not(here: Places, tmp_path: Path, capsys: Capture) -> None:
    plan = plan_of(here, shards=2)
    write_record(plan, tmp_path / "plan.json")
    good, bad = (bring(tmp_path / f"shard-{number}", here, plan.of(number)) for number in (1, 2))
    (bad / "stray").touch()
    assert command(here, good, bad, "--plan", tmp_path / "plan.json") == 1
    told = capsys.readouterr()
    assert "one on embedding-detection 1.2: public, complete, written to " in told.out
    assert told.err.splitlines()[0] == f"{bad}: refused whole, for 1 reason:"
    assert '"stray": expected only regular files' in told.err
    assert "three on embedding-detection 1.2: not brought; the next plan has it again" in told.err
    assert places_in(here.results) == ["one", "two"]


def test_without_a_plan_anything_valid_of_the_entries_lands(
    here: Places, tmp_path: Path, capsys: Capture
) -> None:
    folder = bring(tmp_path / "scores", here, plan_of(here).jobs[:1])
    assert command(here, folder) == 0
    assert places_in(here.results) == ["one"]
    assert capsys.readouterr().err == ""
    (folder / FOLDER / "nobody").mkdir()
    assert command(here, folder) == 1
    assert len(load_all(here.results)) == 1


def test_another_plan_is_wrong_use(here: Places, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "plan.json").write_text("{}")
    assert command(here, tmp_path, "--plan", tmp_path / "plan.json") == 2
    assert "plan.json: jobs: expected a value, got nothing; make the plan again" in capsys.readouterr().err
