"""From a new key to a fresh score that anyone checks, by the commands."""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark import fresh
from benchmark.audit import load
from benchmark.commands import ROOT, run, run_one_of
from benchmark.entries import read_entry
from benchmark.isolation.launchers import choose
from benchmark.records import Kind
from benchmark.results import Result, save
from benchmark.scorer import Request, score
from scripts import fresh as keys
from scripts import score as scoring
from scripts import verify as verifying
from tests.builders import result
from tests.small_suite import small_version, with_small_track
from tests.test_scorer import HONEST, write_entry

PLACE = Path("embedding-detection", "1.2", fresh.FILE_NAME)
Capture = pytest.CaptureFixture[str]


def command(root: Path, *arguments: object) -> object:
    """The exit code of scripts/fresh.py on the results below `root`."""
    words = [str(argument) for argument in arguments]
    with pytest.raises(SystemExit) as stop:
        run_one_of((keys.new, keys.reveal, keys.check), [*words, "--results", str(root / "results")])
    return stop.value.code


def made(root: Path, capsys: Capture, *arguments: object) -> str:
    """The master key that `new` printed."""
    assert command(root, "new", *arguments) == 0
    (master,) = re.findall(r"^[0-9a-f]{64}$", capsys.readouterr().out, re.MULTILINE)
    return str(master)


def test_a_new_key_is_shown_once_and_only_its_hashes_are_written(tmp_path: Path, capsys: Capture) -> None:
    master = made(tmp_path, capsys)
    found = sorted((tmp_path / "results").glob("*/*/*"))
    assert [path.parts[-3:] for path in found] == [
        ("embedding-detection", "1.2", "fresh.json"),
        ("embedding-mitigation", "1.1", "fresh.json"),
        ("image-detection", "1.0", "fresh.json"),
        ("image-mitigation", "1.0", "fresh.json"),
    ]
    assert all(master not in path.read_text() for path in found)
    held = json.loads(found[0].read_text())["keys"]
    key = fresh.key_of(master, "embedding-detection", "1.2")
    assert [one["key_sha256"] for one in held] == [hashlib.sha256(bytes.fromhex(key)).hexdigest()]
    assert held[0]["key"] is None
    assert command(tmp_path, "check") == 0
    assert "0 revealed and 4 secret keys and 0 fresh scores: no faults" in capsys.readouterr().out


def test_a_public_key_is_revealed_from_the_start_and_says_so(tmp_path: Path, capsys: Capture) -> None:
    assert command(tmp_path, "new", "embedding-detection", "--public") == 0
    (one,) = fresh.load(tmp_path / "results" / PLACE).keys
    assert one.key is not None and one.label.startswith("revealed from the start")
    assert one.key not in capsys.readouterr().out


def test_a_key_is_revealed_once_new_scores_have_another(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    master = made(tmp_path, capsys)
    monkeypatch.setenv(fresh.VARIABLE, master)
    assert command(tmp_path, "reveal", "embedding-detection") == 2
    assert "got the key of new scores; make a new one first" in capsys.readouterr().err
    assert fresh.VARIABLE not in os.environ
    newer = made(tmp_path, capsys, "embedding-detection")
    monkeypatch.setenv(fresh.VARIABLE, master)
    assert command(tmp_path, "reveal", "embedding-detection") == 0
    old, new = fresh.load(tmp_path / "results" / PLACE).keys
    assert old.key == fresh.key_of(master, "embedding-detection", "1.2")
    assert new.key is None and new.key_sha256 == fresh.sha256_of(
        fresh.key_of(newer, "embedding-detection", "1.2")
    )
    other = fresh.load(tmp_path / "results/image-detection/1.0" / fresh.FILE_NAME)
    assert other.current.key is None


def test_a_new_version_gets_its_key_of_the_master_there_is(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    master = made(tmp_path, capsys, "image-detection")
    monkeypatch.setenv(fresh.VARIABLE, master)
    assert command(tmp_path, "new", "embedding-detection", "--same") == 0
    assert master not in capsys.readouterr().out
    (one,) = fresh.load(tmp_path / "results" / PLACE).keys
    assert one.key is None
    assert one.key_sha256 == fresh.sha256_of(fresh.key_of(master, "embedding-detection", "1.2"))
    monkeypatch.setenv(fresh.VARIABLE, master)
    assert command(tmp_path, "new", "embedding-detection", "--same") == 2
    assert "expected a version without this key" in capsys.readouterr().err
    assert len(fresh.load(tmp_path / "results" / PLACE).keys) == 1


@pytest.mark.parametrize(("held", "options"), [("", ()), ("5" * 64, ("--public",))])
def test_the_same_key_has_to_be_there_and_stays_a_secret(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, held: str, options: tuple[str, ...]
) -> None:
    monkeypatch.setenv(fresh.VARIABLE, held)
    assert command(tmp_path, "new", "--same", *options) == 2
    assert "--same: expected a secret key in LEADERBOARD_FRESH_KEY" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()


def test_a_retired_version_s_key_is_revealed(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    master = made(tmp_path, capsys, "embedding-detection@1.0")
    monkeypatch.setenv(fresh.VARIABLE, master)
    assert command(tmp_path, "reveal", "embedding-detection@1.0") == 0
    assert command(tmp_path, "check") == 0
    assert "1 revealed and 0 secret keys" in capsys.readouterr().out


@pytest.mark.parametrize("label", ["", "a\nb", "\u202ea", "a" * 201])
def test_a_label_is_one_short_line(tmp_path: Path, capsys: Capture, label: str) -> None:
    assert command(tmp_path, "new", "--label", label) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("--label: expected one line of 1 to 200 characters")
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(("master", "said"), [("f" * 64, "got another; see"), (None, "got nothing; set")])
def test_another_key_reveals_nothing(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, master: str | None, said: str
) -> None:
    made(tmp_path, capsys, "embedding-detection@1.0")
    if master:
        monkeypatch.setenv(fresh.VARIABLE, master)
    assert command(tmp_path, "reveal", "embedding-detection@1.0") == 2
    assert said in capsys.readouterr().err


def test_check_finds_keys_and_scores_that_are_not_right(tmp_path: Path, capsys: Capture) -> None:
    made(tmp_path, capsys)
    strange = tmp_path / "results/image-detection/1.0" / fresh.FILE_NAME
    strange.write_text(strange.read_text().replace('"key": null', f'"key": "{"0" * 64}"'))
    scored = result().model_copy(update={"fresh": fresh_score("e" * 64)})
    save(scored, tmp_path / "results" / scored.place)
    assert command(tmp_path, "check") == 1
    told = capsys.readouterr()
    assert "keys.0.key: expected a key with hash" in told.err
    assert f"fresh.key_sha256: expected {fresh.load(tmp_path / 'results' / PLACE).keys[0].key_sha256}" in (
        told.err
    )
    assert "3 faults" in told.out


def fresh_score(key_sha256: str) -> object:
    environment = result().environment.model_copy(update={"fingerprint": "d" * 64})
    found = fresh.fresh_of(result().model_copy(update={"environment": environment}), "0" * 64)
    return found.model_copy(update={"key_sha256": key_sha256})


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a track of few cases, an entry, and its committed result."""
    monkeypatch.delenv(fresh.VARIABLE, raising=False)
    track = with_small_track(monkeypatch)
    monkeypatch.setattr(scoring, "ROOT", tmp_path)
    entry = read_entry(write_entry(tmp_path / "contrib", HONEST))
    public = score(Request(entry, track, track.current, choose("bwrap"))).result
    save(public, tmp_path / "results" / public.place)
    return tmp_path


def score_fresh(here: Path, *more: str) -> object:
    with pytest.raises(SystemExit) as stop:
        run(scoring.main, [str(here / "contrib/some_entry"), "--fresh", "--jobs", "1", *more])
    return stop.value.code


def verify(here: Path) -> object:
    folders = ["--results", str(here / "results"), "--contrib", str(here / "contrib")]
    with pytest.raises(SystemExit) as stop:
        run(verifying.main, [*folders, "--isolation", "process", "--fresh"])
    return stop.value.code


def committed(here: Path) -> Result:
    return load(here / "results/embedding-detection/1.2/some_entry/results.json")


def auroc_of_spread(offset: int) -> float:
    """The mean over variants of the share of pairs that the spread of the embeddings orders rightly."""
    version = small_version()
    spread = {
        key: float(version.generate(key).seen["embeddings"].std()) for key in version.keys("full", offset)
    }
    found = []
    for variant in version.variants:
        nulls, others = (
            [value for key, value in spread.items() if (key.variant, key.kind) == (variant, kind)]
            for kind in (Kind.NULL, Kind.SHORTCUT)
        )
        found.append(sum(one > null for one in others for null in nulls) / (len(nulls) * len(others)))
    return sum(found) / len(found)


@pytest.mark.bwrap
def test_a_fresh_score_is_added_and_checked_once_its_key_is_revealed(
    here: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    master = made(here, capsys, "embedding-detection")
    before = committed(here)
    monkeypatch.setenv(fresh.VARIABLE, master)
    assert score_fresh(here) == 0
    told = capsys.readouterr()
    assert "All 12 cases on fresh seeds went well." in told.out and "auroc: public " in told.out
    scored = committed(here)
    assert scored.model_copy(update={"fresh": None}) == before
    assert scored.fresh is not None
    key = fresh.key_of(master, "embedding-detection", "1.2")
    assert scored.fresh.metrics["auroc"] == pytest.approx(auroc_of_spread(fresh.offset_of(key)))
    offset, text = str(fresh.offset_of(key)), (here / "results" / scored.place).read_text()
    assert offset not in text + told.out + told.err and key not in text + told.out + told.err
    assert verify(here) == 2
    told = capsys.readouterr()
    assert "its key is still a secret, so its fresh score cannot be checked yet" in told.out
    made(here, capsys, "embedding-detection")
    monkeypatch.setenv(fresh.VARIABLE, master)
    assert command(here, "reveal", "embedding-detection") == 0
    assert verify(here) == 0
    assert "fresh seeds: exactly the same (the same numeric fingerprint)" in capsys.readouterr().out


@pytest.mark.bwrap
def test_a_forged_fresh_score_does_not_reproduce(here: Path, capsys: Capture) -> None:
    assert command(here, "new", "embedding-detection", "--public") == 0
    assert score_fresh(here) == 0
    scored = committed(here)
    assert scored.fresh is not None
    auroc = scored.fresh.metrics["auroc"]
    assert auroc is not None
    forged = {**scored.fresh.metrics, "auroc": auroc + 0.01 if auroc < 0.9 else auroc - 0.01}
    other = scored.fresh.model_copy(update={"metrics": forged})
    save(scored.model_copy(update={"fresh": other}), here / "results" / scored.place)
    assert verify(here) == 1
    assert "where all must be exactly the same" in capsys.readouterr().out


LEAKS = HONEST.replace(
    "    return", "    print(embeddings[0, 0], seed)\n    raise ValueError(embeddings[0, 0])\n    return", 1
)


@pytest.mark.bwrap
def test_what_an_entry_says_of_fresh_data_is_not_told(
    here: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command(here, "new", "embedding-detection", "--public") == 0
    (here / "contrib/some_entry/method.py").write_text(LEAKS)
    digest = read_entry(here / "contrib/some_entry").digest
    old = committed(here)
    digests = old.digests.model_copy(update={"entry": digest})
    save(old.model_copy(update={"digests": digests}), here / "results" / old.place)
    assert score_fresh(here, "--json") == 1
    told = capsys.readouterr()
    assert "12 of 12 cases on fresh seeds failed (12 crashed)" in told.err
    assert "ValueError" not in told.out + told.err
    scored = committed(here)
    assert scored.fresh is not None and set(scored.fresh.metrics.values()) == {None}
    assert set(scored.fresh.reasons.values()) == {"12 of 12 cases failed"}


def without_its_variable(here: Path) -> None:
    del os.environ[fresh.VARIABLE]


def without_hashes(here: Path) -> None:
    (here / "results" / PLACE).unlink()


def changed_since(here: Path) -> None:
    (here / "contrib/some_entry/method.py").write_text(HONEST + "\n")


def without_result(here: Path) -> None:
    place = here / "results/embedding-detection/1.2/some_entry/results.json"
    place.rename(here / "results.json")


@pytest.mark.bwrap
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (without_its_variable, "LEADERBOARD_FRESH_KEY: expected the key behind the hash"),
        (without_hashes, "expected the hashes of the version's keys"),
        (changed_since, "expected a result of what is there now, got an older one; use --commit first"),
        (without_result, "expected a committed result, got none; use --commit first"),
    ],
)
def test_what_is_not_ready_is_not_scored(
    here: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], None], said: str
) -> None:
    monkeypatch.setenv(fresh.VARIABLE, made(here, capsys, "embedding-detection"))
    before = committed(here)
    spoil(here)
    assert score_fresh(here) == 2
    assert said in capsys.readouterr().err
    if spoil is not without_result:
        assert committed(here) == before


LOOKS = """\
import hashlib
import re
from pathlib import Path


def detect(embeddings, attribute, task_labels, seed):
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            held = path.read_bytes()
        except OSError:
            continue
        for found in re.findall(rb"LEADERBOARD_FRESH_KEY=([0-9a-f]{64})", held):
            assert hashlib.sha256(found).hexdigest() != "HASH", path
    return float(embeddings.std())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_not_even_without_a_sandbox_is_the_key_in_any_process(tmp_path: Path) -> None:
    master = "7" * 64
    source = LOOKS.replace("HASH", hashlib.sha256(master.encode()).hexdigest())
    folder = write_entry(tmp_path, source)
    command = [sys.executable, ROOT / "scripts/score.py", folder, "--quick", "--isolation", "process"]
    ran = subprocess.run(
        [*command, "--output", tmp_path / "scores"],
        env={**os.environ, fresh.VARIABLE: master},
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert ran.returncode == 0, ran.stdout
    assert f"warning: {folder}/method.py:7: names /proc;" in ran.stderr
    assert master not in ran.stdout + ran.stderr


def test_a_fresh_run_is_a_full_one_in_the_sandbox_beside_a_committed_result(
    tmp_path: Path, capsys: Capture
) -> None:
    write_entry(tmp_path, HONEST)
    words = [str(tmp_path / "some_entry"), "--fresh", "--quick", "--commit", "--seed-offset", "2"]
    with pytest.raises(SystemExit) as stop:
        run(scoring.main, [*words, "--isolation", "process"])
    assert stop.value.code == 2
    assert [line.split(";")[0] for line in capsys.readouterr().err.splitlines()] == [
        "--fresh: expected the full suite, got --quick",
        "--fresh: expected seeds that are not moved, got --seed-offset 2",
        "--fresh: expected a result that is committed already, got --commit",
        "--fresh: expected isolation bwrap, got process",
        f"--fresh: expected an entry in contrib/, got {tmp_path / 'some_entry'}",
    ]
