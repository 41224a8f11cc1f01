import subprocess
import sys
from pathlib import Path

import pytest

from benchmark import fresh, stored
from benchmark.commands import ROOT, run
from benchmark.entries import read_entry
from benchmark.fresh import Commitments
from benchmark.results import Result, save
from scripts import check
from tests.builders import result
from tests.entry_folders import METHOD, make_entry


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with empty contrib/ and results/, where the command runs."""
    for name in ("contrib", "results"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(check, "ROOT", tmp_path)
    return tmp_path


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, list[str], list[str]]:
    """The exit code and the lines on standard output and on standard error."""
    with pytest.raises(SystemExit) as stop:
        run(check.main, arguments)
    told = capsys.readouterr()
    return stop.value.code, told.out.splitlines(), told.err.splitlines()


def committed(here: Path, saved: Result, place: Path | None = None) -> Path:
    path = here / "results" / (place or saved.place)
    save(saved, path)
    return path


def test_all_is_valid(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_entry(here / "contrib", "some_entry")
    committed(here, result("some_entry"))
    (here / "results" / ".gitkeep").write_text("")
    code, out, err = checked(capsys)
    assert (code, out[-1], err) == (0, "checked 1 entry and 1 result: no faults", [])


def test_nothing_there_is_valid(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(capsys) == (0, ["checked 0 entries and 0 results: no faults"], [])


def test_all_faults_of_all_files_come_at_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_entry(here / "contrib", "one", title=1)
    make_entry(here / "contrib", "two", method="def detect(:")
    committed(here, result("one"))
    committed(here, result("two")).write_text("{")
    code, out, err = checked(capsys)
    assert (code, out) == (1, ["checked 2 entries and 2 results: 3 faults"])
    assert [line.split(":")[0] for line in err] == [
        "contrib/one/entry.toml",
        "contrib/two/method.py",
        "results/embedding-detection/1.2/two/results.json",
    ]


def test_a_result_in_another_place_than_its_own(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_entry(here / "contrib", "one")
    make_entry(here / "contrib", "two")
    committed(here, result("one"), result("two").place)
    code, _, err = checked(capsys)
    assert code == 1 and len(err) == 1
    assert err[0].startswith("results/embedding-detection/1.2/two/results.json: entry, track and version say")


def test_only_full_results_are_committed_but_any_may_be_checked(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_entry(here / "contrib", "some_entry")
    quick = result(suite="quick")
    path = committed(here, quick)
    assert "expected the full public suite" in checked(capsys)[2][0]
    save(quick, here / "scores" / quick.place)
    assert checked(capsys, "scores")[0] == 0
    assert checked(capsys, str(path))[0] == 1


def test_a_result_without_its_entry(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    committed(here, result("gone"))
    code, _, err = checked(capsys)
    assert code == 1 and "expected its entry gone in contrib/, got none" in err[0]
    assert checked(capsys, "results")[0] == 0


def test_files_that_no_one_would_read(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_entry(here / "contrib", "some_entry")
    path = committed(here, result("some_entry"))
    path.with_name("gallery.npz").write_bytes(b"")
    path.with_name("result.json").write_text("")
    (here / "results" / "embedding-detection" / "README.md").write_text("")
    (here / "results" / "note.txt").write_text("")
    code, _, err = checked(capsys)
    assert code == 1 and [line.split(":")[0] for line in err] == [
        "results/embedding-detection/1.2/some_entry/result.json",
        "results/embedding-detection/README.md",
        "results/note.txt",
        "results/embedding-detection/1.2/some_entry/gallery.npz",
    ]


def test_an_entry_that_changed_is_a_note_and_no_fault(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digest = read_entry(make_entry(here / "contrib", "some_entry")).digest
    scored = result("some_entry")
    path = committed(here, scored)
    note = f"note: {path.relative_to(here)}: the entry has changed since it was scored"
    assert checked(capsys)[:2] == (0, [note, "checked 1 entry and 1 result: no faults"])
    digests = scored.digests.model_copy(update={"entry": digest})
    committed(here, scored.model_copy(update={"digests": digests}))
    assert checked(capsys)[:2] == (0, ["checked 1 entry and 1 result: no faults"])


def test_an_import_of_the_generators_is_a_warning_and_no_fault(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    method = "from benchmark.seeds import generator\n\n\n" + METHOD
    folder = make_entry(here / "contrib", "some_entry", method=method)
    (folder / "helper.py").write_text("import benchmark.tracks\n")
    (folder / "broken.py").write_text("def f(:\n")
    code, out, err = checked(capsys)
    assert (code, out) == (0, ["checked 1 entry and 0 results: no faults"])
    assert [line.split(";")[0] for line in err] == [
        "warning: contrib/some_entry/helper.py:1: imports benchmark.tracks",
        "warning: contrib/some_entry/method.py:1: imports benchmark.seeds.generator",
    ]


def test_keys_of_fresh_seeds_are_checked_too(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = Commitments(
        schema=1, track="embedding-detection", version="1.2", keys=[fresh.secret("1" * 64, "a label")]
    )
    place = fresh.place_of(here / "results", "embedding-detection", "1.2")
    stored.write(found, place)
    assert checked(capsys)[0] == 0
    place.write_text(place.read_text().replace('"1.2"', '"1.0"'))
    code, _, err = checked(capsys)
    assert code == 1 and "fresh.json: expected the keys of embedding-detection 1.2" in err[0]


def test_a_fresh_score_of_an_older_key_is_a_note(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = fresh.secret("1" * 64, "a label"), fresh.secret("2" * 64, "a label")
    held = result("some_entry")
    environment = held.environment.model_copy(update={"fingerprint": "d" * 64})
    found = fresh.fresh_of(held.model_copy(update={"environment": environment}), "1" * 64)
    digest = read_entry(make_entry(here / "contrib", "some_entry")).digest
    digests = held.digests.model_copy(update={"entry": digest})
    path = committed(here, held.model_copy(update={"digests": digests, "fresh": found}))
    place = fresh.place_of(here / "results", "embedding-detection", "1.2")
    note = f"note: {path.relative_to(here)}: its fresh score is of an older key; use score.py --fresh"
    for keys, notes in (([old], []), ([old, new], [note]), ([new, old], [])):
        stored.write(Commitments(schema=1, track="embedding-detection", version="1.2", keys=keys), place)
        code, out, err = checked(capsys)
        assert (code, out[:-1], err) == (0, notes, [])


@pytest.mark.parametrize("path", ["elsewhere/one", "elsewhere", "contrib"])
def test_entries_may_be_anywhere(here: Path, capsys: pytest.CaptureFixture[str], path: str) -> None:
    make_entry(here / "elsewhere", "one")
    make_entry(here / "contrib", "one")
    assert checked(capsys, path)[:2] == (0, ["checked 1 entry and 0 results: no faults"])


def test_a_folder_without_descriptor_is_an_entry_at_fault(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "contrib" / "one").mkdir()
    for path in ("contrib/one", "contrib"):
        code, _, err = checked(capsys, path)
        assert code == 1 and err[0].startswith("contrib/one/entry.toml: expected a file, got nothing there")


def test_paths_that_do_not_exist_are_wrong_use(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = checked(capsys, "gone", "a\u202eb", "contrib")
    assert (code, out) == (2, [])
    assert err == [
        "gone: expected a path that exists, got none; check it",
        "a\\u202eb: expected a path that exists, got none; check it",
    ]


def test_it_starts_without_torch() -> None:
    code = "import sys, scripts.check; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_what_new_entry_wrote_is_a_warning_until_it_is_replaced(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_entry(
        here / "contrib", "one", summary="What the method does, in one sentence.", authors=["Your name"]
    )
    code, _, err = checked(capsys)
    assert code == 0 and err == [
        f"warning: contrib/one/entry.toml: {key}: still what new_entry.py wrote; say it in your own words"
        for key in ("summary", "authors")
    ]


def test_a_pin_against_what_every_entry_has_is_a_fault(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_entry(here / "contrib", "one")
    (folder / "requirements.txt").write_text("numpy==0.1\n")
    code, _, err = checked(capsys)
    assert code == 1
    assert err[0].startswith("contrib/one/requirements.txt:1: expected numpy ")
