"""An artifact with anything wrong in it is refused whole, with the reason, while its neighbor lands."""

import json
import os
import re
import socket
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmark import gallery
from benchmark.pipeline.artifact import MOST, MOST_FAULTS, examined
from benchmark.pipeline.merge import merge
from benchmark.pipeline.plan import Places, Plan
from benchmark.results import FILE_NAME, canonical, save
from tests.builders import failure, image_gallery
from tests.pipelines import (
    FOLDER,
    KEY,
    OTHER_KEY,
    bring,
    commit_keys,
    commit_result,
    content,
    plan_of,
    repository,
    scored,
    with_fresh,
)
from tests.small_suite import with_small_track

BAD, ALSO_BAD, GOOD = "bad_one", "bad_two", "good_one"
PLACE = FOLDER / BAD
Content = dict[str, Any]
Poison = Callable[[Path, Places], object]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """A repository of three entries with a key, on a track of few cases."""
    with_small_track(monkeypatch)
    places = repository(tmp_path, BAD, ALSO_BAD, GOOD)
    commit_keys(places, OTHER_KEY, KEY)
    return places


def sharded(places: Places) -> Plan:
    """A plan whose first shard has the two bad entries, and whose second has the good one."""
    plan = plan_of(places)
    shards = {BAD: 1, ALSO_BAD: 1, GOOD: 2}
    jobs = [job.model_copy(update={"shard": shards[job.entry]}) for job in plan.jobs]
    return plan.model_copy(update={"shards": 2, "jobs": jobs})


def edit(change: Callable[[Content], object]) -> Poison:
    """Changes the JSON of the bad one's result."""

    def poison(folder: Path, places: Places) -> None:
        path = folder / PLACE / FILE_NAME
        held = json.loads(path.read_text())
        change(held)
        path.write_text(json.dumps(held))

    return poison


def put(place: Path | str, text: str = "x") -> Poison:
    """Adds a file."""

    def poison(folder: Path, places: Places) -> None:
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)

    return poison


def link(place: Path, target: str) -> Poison:
    """Puts a link to `target` where `place` is."""

    def poison(folder: Path, places: Places) -> None:
        there = folder / place
        if there.is_dir():
            there.rename(folder.with_name("moved"))
        else:
            there.unlink(missing_ok=True)
        there.symlink_to(target)

    return poison


def sparse(place: Path) -> Poison:
    """Has a file of 100 MB that takes no room."""

    def poison(folder: Path, places: Places) -> None:
        with (folder / place).open("ab") as file:
            file.truncate(100 * 10**6)

    return poison


def pipe(folder: Path, places: Places) -> None:
    """A file that never ends in place of the result."""
    (folder / PLACE / FILE_NAME).unlink()
    os.mkfifo(folder / PLACE / FILE_NAME)


def listening(folder: Path, places: Places) -> None:
    """A socket among the files."""
    here = os.getcwd()
    os.chdir(folder / PLACE)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("socket")
    finally:
        os.chdir(here)


def without_result(folder: Path, places: Places) -> None:
    (folder / PLACE / FILE_NAME).unlink()


def of_another_key(folder: Path, places: Places) -> None:
    save(with_fresh(scored(places, BAD), OTHER_KEY), folder / PLACE / FILE_NAME)


def of_an_unknown_key(folder: Path, places: Places) -> None:
    save(with_fresh(scored(places, BAD), "3" * 64), folder / PLACE / FILE_NAME)


def failed_and_fresh(folder: Path, places: Places) -> None:
    rows = [failure(row.key) for row in scored(places, BAD).outcomes]
    fresh = with_fresh(scored(places, BAD)).fresh
    save(scored(places, BAD, rows).model_copy(update={"fresh": fresh}), folder / PLACE / FILE_NAME)


def with_another_gallery(folder: Path, places: Places) -> None:
    made = scored(places, BAD)
    digests = made.digests.model_copy(update={"gallery": gallery.digest(image_gallery())})
    save(made.model_copy(update={"digests": digests}), folder / PLACE / FILE_NAME)
    np.savez_compressed(folder / PLACE / gallery.FILE_NAME, **dict(image_gallery(seed=1)))


def without_its_gallery(folder: Path, places: Places) -> None:
    edit(lambda c: c["digests"].update(gallery="a" * 64))(folder, places)


def with_a_pickle(folder: Path, places: Places) -> None:
    edit(lambda c: c["digests"].update(gallery="a" * 64))(folder, places)
    held = {name: np.array([{}], dtype=object) for name in (*gallery.LAYOUT, gallery.CASE)}
    np.savez(folder / PLACE / gallery.FILE_NAME, **held)


def with_a_bomb(folder: Path, places: Places) -> None:
    """A gallery of 100 kB that becomes 100 MB."""
    edit(lambda c: c["digests"].update(gallery="a" * 64))(folder, places)
    with zipfile.ZipFile(folder / PLACE / gallery.FILE_NAME, "w", zipfile.ZIP_DEFLATED) as held:
        held.writestr("image.npy", b"\0" * 100 * 10**6)


def with_a_torn_header(folder: Path, places: Places) -> None:
    """A gallery whose first array ends in the middle of its description."""
    edit(lambda c: c["digests"].update(gallery="a" * 64))(folder, places)
    with zipfile.ZipFile(folder / PLACE / gallery.FILE_NAME, "w") as held:
        held.writestr("image.npy", b"\x93NUMPY\x01\x00\x0c\x00{'descr': (\n")


def many(folder: Path, places: Places) -> None:
    for number in range(30):
        (folder / f"file-{number:02}").touch()


def other_entry(c: Content) -> None:
    c["entry"] = GOOD


def unread(folder: Path, places: Places) -> None:
    (folder / PLACE / FILE_NAME).write_bytes(b"\xff\xfe")


POISONS: dict[str, tuple[Poison, str]] = {
    "an extra file": (put(PLACE / "notes.txt"), f'"{PLACE}/notes.txt": expected only regular files'),
    "an extra file at the top": (put("fresh.json"), '"fresh.json": expected only regular files'),
    "other keys": (put(FOLDER / "fresh.json"), f'"{FOLDER}/fresh.json": expected only regular files'),
    "a hidden file": (put(PLACE / ".git"), f'"{PLACE}/.git": expected only regular files'),
    "a temporary file": (put(PLACE / ".results-a.tmp"), "got a file; score its jobs again"),
    "an extra folder": (put(FOLDER / "nobody" / FILE_NAME), f'"{FOLDER}/nobody": expected only regular'),
    "an old version": (put("embedding-detection/1.0/bad_one/results.json"), '"embedding-detection/1.0": exp'),
    "a folder for a file": (put(PLACE / "gallery.npz/x"), "got a folder; score its jobs again"),
    "dots in a name": (put(FOLDER / "..%2f..%2fx" / FILE_NAME), f'"{FOLDER}/..%2f..%2fx": expected only'),
    "a path in a name": (put(FOLDER / "..\\..\\results" / FILE_NAME), '..\\\\results": expected only'),
    "a line in a name": (put("a\n::error::b"), '"a\\n::error::b": expected only regular files'),
    "many files": (many, "expected nothing but files of the plan's jobs, got 10 further ones"),
    "a link to a file": (link(PLACE / FILE_NAME, "/etc/passwd"), "got a link; score its jobs again"),
    "a link as gallery": (link(PLACE / "gallery.npz", "/dev/zero"), "got a link; score its jobs again"),
    "a link to a folder": (link(PLACE, "../../../moved"), "got a link; score its jobs again"),
    "a link at the top": (link(Path("embedding-detection"), "../moved"), "got a link; score its jobs again"),
    "a pipe": (pipe, "got a special file; score its jobs again"),
    "a socket": (listening, "got a special file; score its jobs again"),
    "a result of 100 MB": (sparse(PLACE / FILE_NAME), f"expected up to {2**20} bytes, got 100000000 bytes"),
    "a gallery of 100 MB": (
        sparse(PLACE / "gallery.npz"),
        "expected up to 200000 bytes, got 100000000 bytes",
    ),
    "no result": (without_result, f"{PLACE}/results.json: expected a readable file, got No such file"),
    "no text": (unread, "expected UTF-8 text"),
    "no JSON": (put(PLACE / FILE_NAME, "[" * 100_000), "expected canonical JSON"),
    "a forged metric": (
        edit(lambda c: c["metrics"].update(auroc=0.99)),
        "metrics.auroc: expected 1.0 by its",
    ),
    "a forged interval": (edit(lambda c: c["intervals"].update(fpr=[0.0, 0.9])), "intervals (high).fpr: exp"),
    "NaN": (edit(lambda c: c["metrics"].update(auroc=float("nan"))), "the number NaN, which is not JSON"),
    "infinity": (
        edit(lambda c: c["timing"].update(seconds=float("inf"))),
        "the number Infinity, which is no",
    ),
    "an unknown field": (edit(lambda c: c.update(mood=1)), "mood: expected only the fields of its schema"),
    "another entry's name": (edit(other_entry), f"entry, track and version say {FOLDER}/{GOOD}/results.json"),
    "a path as its entry": (edit(lambda c: c.update(entry="../../x")), "entry, track and version say"),
    "another entry": (
        edit(lambda c: c["digests"].update(entry="e" * 64)),
        "expected the planned entry digest",
    ),
    "other data": (edit(lambda c: c["digests"].update(suite="e" * 64)), "expected the planned suite digest"),
    "other metrics": (edit(lambda c: c["digests"].update(scorer="e" * 64)), "the planned scorer digest"),
    "moved seeds": (
        edit(lambda c: c.update(seed_offset=1)),
        "expected the full public suite, got suite 'full'",
    ),
    "a quick run": (
        edit(lambda c: c.update(suite="quick")),
        "expected the full public suite, got suite 'qui",
    ),
    "no sandbox": (edit(lambda c: c["environment"].update(isolation="process")), "expected isolation bwrap"),
    "a fresh score of an older key": (of_another_key, "expected a fresh score as planned"),
    "a fresh score of no key": (of_an_unknown_key, "fresh.key_sha256: expected"),
    "a fresh score beside a failure": (failed_and_fresh, "no fresh score beside an incomplete result"),
    "a result of the future": (
        edit(lambda c: c["timing"].update(scored_at="9999-12-31T00:00:00+00:00")),
        "expected a result that has been made already, got one of 9999-12-31T00:00:00+00:00",
    ),
    "a time in an odd form": (
        edit(lambda c: c["timing"].update(scored_at="2026-W01-1|00:00:00Z")),
        "timing.scored_at: expected value error, a time in UTC, such as",
    ),
    "another gallery": (with_another_gallery, "expected the gallery whose digest its result holds"),
    "no gallery": (without_its_gallery, "gallery.npz: expected the gallery of a result, got FileNotFound"),
    "an unnamed gallery": (
        put(PLACE / "gallery.npz"),
        "gallery.npz: expected no file, as results.json names",
    ),
    "a pickle": (with_a_pickle, "gallery.npz: expected the gallery of a result, got ValueError"),
    "a torn header": (with_a_torn_header, "gallery.npz: expected the gallery of a result, got TokenError"),
    "a bomb": (with_a_bomb, "gallery.npz: expected the gallery of a result, got"),
}


@pytest.mark.parametrize("kind", POISONS)
def test_a_poisoned_artifact_is_refused_whole_and_a_good_neighbor_lands(
    here: Places, tmp_path: Path, kind: str
) -> None:
    poison, said = POISONS[kind]
    plan = sharded(here)
    bad, good = (bring(tmp_path / f"shard-{n}", here, plan.of(n)) for n in (1, 2))
    poison(bad, here)
    keys = content(here.results)
    merged = merge([bad, good], plan, here, tmp_path / "scores")
    assert list(merged.refused) == [bad]
    assert any(said in line for line in merged.refused[bad]), merged.refused[bad]
    assert all("\n" not in line and "/artifact-" not in line for line in merged.refused[bad])
    assert [one.job.entry for one in merged.landed] == [GOOD]
    landed = f"{FOLDER}/{GOOD}/results.json"
    expected = canonical(with_fresh(scored(here, GOOD))).encode()
    assert content(here.results) == {**keys, landed: expected}
    assert not (tmp_path / "scores").exists()


def test_every_reason_is_told_at_once(here: Places, tmp_path: Path) -> None:
    folder = bring(tmp_path / "one", here, plan_of(here).jobs)
    edit(lambda c: c["metrics"].update(auroc=0.5))(folder, here)
    edit(lambda c: c["digests"].update(entry="e" * 64))(folder, here)
    put("stray")(folder, here)
    (folder / FOLDER / GOOD / FILE_NAME).write_text("{}")
    told = "\n".join(examined(folder, plan_of(here), here.results).faults)
    for said in ("metrics.auroc", '"stray"', f"{GOOD}/results.json: metrics: expected a value"):
        assert said in told


FLOODS: dict[str, Poison] = {
    "rows": put(PLACE / FILE_NAME, '{"details": {"per_dataset": [' + "{}," * 9999 + "{}]}}"),
    "texts that hide something": put(PLACE / FILE_NAME, "[" + '"\\u202e",' * 9999 + '""]'),
    "metrics": edit(lambda c: c["metrics"].update({f"m{n}": 0.5 for n in range(9999)})),
}


@pytest.mark.parametrize("kind", FLOODS)
def test_a_flood_of_faults_is_counted_and_not_told(here: Places, tmp_path: Path, kind: str) -> None:
    folder = bring(tmp_path / "one", here, plan_of(here).jobs)
    FLOODS[kind](folder, here)
    told = examined(folder, plan_of(here), here.results).faults
    assert 50 < len(told) <= MOST_FAULTS + 1
    assert re.search(r"and \d{4,} more like these|got \d{4,} further ones", told[-1])


def test_a_folder_that_may_not_be_entered_is_a_fault(
    here: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = sharded(here)
    bad, good = (bring(tmp_path / f"shard-{n}", here, plan.of(n)) for n in (1, 2))
    scandir, stat = os.scandir, os.stat

    def closed(path: Path | int) -> None:
        if not isinstance(path, int) and Path(path).is_relative_to(bad / FOLDER.parts[0]):
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", lambda path: closed(path) or scandir(path))
    monkeypatch.setattr(os, "stat", lambda path, **more: closed(path) or stat(path, **more))
    found = merge([bad, good], plan, here, tmp_path / "scores")
    assert "expected a folder that can be read, got Permission denied" in found.refused[bad][0]
    assert [one.job.entry for one in found.landed] == [GOOD]


def test_an_artifact_must_be_a_folder(here: Places, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    real = bring(tmp_path / "real", here, plan_of(here).jobs)
    (tmp_path / "link").symlink_to(real)
    for name, got in (("file", "a file"), ("link", "a link"), ("nowhere", "nothing there")):
        artifact = examined(tmp_path / name, plan_of(here), here.results)
        assert artifact.brought == () and f"expected a folder of results, got {got};" in artifact.faults[0]
    assert examined(real, plan_of(here), here.results).faults == ()


def test_an_artifact_holds_jobs_of_one_shard(here: Places, tmp_path: Path) -> None:
    folder = bring(tmp_path / "one", here, plan_of(here).jobs)
    (line,) = examined(folder, sharded(here), here.results).faults
    assert "expected jobs of one shard, got jobs of shards 1, 2" in line


def test_a_fresh_score_alone_may_change_nothing_else(here: Places, tmp_path: Path) -> None:
    for name in (BAD, ALSO_BAD, GOOD):
        commit_result(here, scored(here, name))
    plan = sharded(here)
    assert not any(job.public for job in plan.jobs)
    bad, good = (bring(tmp_path / f"shard-{n}", here, plan.of(n)) for n in (1, 2))
    edit(lambda c: c["environment"].update(cpu="another"))(bad, here)
    merged = merge([bad, good], plan, here, tmp_path / "scores")
    assert "the committed result with nothing but a fresh score added" in merged.refused[bad][0]
    assert [(one.job.entry, one.said) for one in merged.landed] == [(GOOD, "fresh")]
    assert (here.results / FOLDER / GOOD / FILE_NAME).read_text() == canonical(with_fresh(scored(here, GOOD)))


def test_the_caps_leave_room_above_all_that_is_committed() -> None:
    results = Path(__file__).resolve().parents[1] / "results"
    for name, most in MOST.items():
        sizes = [path.stat().st_size for path in results.glob(f"*/*/*/{name}")]
        assert sizes and 1.5 * max(sizes) < most


def test_the_longest_reasons_in_every_row_fit(here: Places) -> None:
    made = scored(here, GOOD)
    reason = '"' * 2048
    text = canonical(scored(here, GOOD, [failure(row.key, reason=reason) for row in made.outcomes]))
    one_row = len(text) / len(made.outcomes)
    assert 180 * one_row < MOST[FILE_NAME]
