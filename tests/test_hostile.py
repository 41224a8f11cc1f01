"""Entries that mean harm: each gets nothing, costs only its own case, and leaves nothing."""

import ast
import json
import os
import secrets
import select
import shutil
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmark.isolation.host import CaseFailed, EntryCode, Worker
from benchmark.isolation.launchers import BWRAP
from benchmark.records import Status
from tests.isolated import detect, processes_naming, worker, written

pytestmark = pytest.mark.bwrap

FOLDER = Path(__file__).parent / "hostile"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
SECRET = "TRUTH" + "-" + secrets.token_hex(16)
"""What only the scorer knows: in its memory, its environment and a file."""
SCRATCH = 64 << 20

OK, CRASHED, TIMED_OUT, MEMORY, BAD = Status
STATUSES = {
    "frame_early": {CRASHED},
    "frame_lying": {BAD},
    "frame_slow": {TIMED_OUT},
    "frame_truncated": {CRASHED},
    "harm_descriptors": {BAD},
    "harm_exit": {CRASHED},
    "harm_fork_bomb": {CRASHED, TIMED_OUT},
    "harm_hang": {TIMED_OUT},
    "harm_hidden_memory": {MEMORY},
    "harm_many_threads": {CRASHED},
    "harm_memory": {MEMORY},
    "harm_memory_together": {MEMORY},
    "harm_output": {TIMED_OUT},
    "harm_page_tables": {MEMORY},
    "harm_signals": {CRASHED},
    "harm_threads": {CRASHED, MEMORY},
    "object_conversion": {BAD},
    "object_error": {CRASHED},
    "object_huge": {BAD},
    "object_mapping": {BAD},
    "patched_json": {TIMED_OUT},
    "patched_numpy": {BAD},
    "patched_writing": {BAD},
}
"""The status of the case that is attacked, where it is not `ok`; of several, the machine decides."""
LONG = {name for name, statuses in STATUSES.items() if MEMORY in statuses} | {"harm_parent"}
"""Those that need longer than three seconds where the machine is busy: to take memory, or to be born."""
LASTING = {"frame_early", "patched_json", "patched_writing"}
"""Those that spoil every case of their own."""


@dataclass(frozen=True)
class Tried:
    """What came of one case."""

    status: Status
    """Its status."""
    score: float | None
    """What the entry says it got; None where it gave no answer."""
    output: str
    """What it printed."""


def tried(run: Worker, seed: int) -> Tried:
    """One case of one call."""
    try:
        examined = run.examine(lambda call: call(detect(seed)))
    except CaseFailed as failed:
        return Tried(failed.status, None, failed.output + failed.reason)
    return Tried(OK, float(examined.value["score"]), examined.output)


@dataclass(frozen=True)
class Target:
    """What an attacker may want, all of it the test's own."""

    paths: tuple[Path, ...]
    """Files and folders that no entry may see or change."""
    lines: tuple[socket.socket, ...]
    """Where the host listens: a port, and a local socket without a file."""

    def untouched(self) -> bool:
        """Whether nobody has connected, and the file of the truth is as it was."""
        return not select.select(self.lines, [], [], 0)[0] and self.paths[0].read_text() == SECRET


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """An entry that does as it is asked, at work beside all the others."""
    with worker(BWRAP, written(tmp_path_factory.mktemp("honest"), "return rows.sum() + seed")) as run:
        assert tried(run, 0) == Tried(OK, 66.0, "")
        yield run


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Target]:
    """A secret, a port and a local socket; temporary files where the test sees them."""
    monkeypatch.setenv("LEADERBOARD_SECRET", SECRET)
    monkeypatch.setattr("benchmark.isolation.launchers.SCRATCH_BYTES", SCRATCH)
    monkeypatch.setattr("benchmark.isolation.launchers.PROCESSES", 64)
    monkeypatch.setattr("benchmark.isolation.launchers.TOGETHER", 1)
    truth = tmp_path / "truth.txt"
    truth.write_text(SECRET, encoding="utf-8")
    (tmp_path / "temp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    with socket.create_server(("127.0.0.1", 0)) as port, socket.socket(socket.AF_UNIX) as local:
        local.bind(f"\0hostile-{os.getpid()}-{tmp_path.name}")
        local.listen()
        root = Path(__file__).resolve().parents[1]
        yield Target((truth, root, root / "results", root / "benchmark"), (port, local))


def prepared(name: str, folder: Path, target: Target) -> EntryCode:
    """The entry's folder, and beside its code all that would help it."""
    folder.mkdir()
    shutil.copyfile(FOLDER / f"{name}.py", folder / "method.py")
    port, local = target.lines
    known = {
        "paths": [str(path) for path in target.paths],
        "host": os.getpid(),
        "nice": os.getpriority(os.PRIO_PROCESS, 0),
        "port": port.getsockname()[1],
        "abstract": local.getsockname()[1:].decode(),
    }
    (folder / "target.json").write_text(json.dumps(known), encoding="utf-8")
    return EntryCode(folder, "detect", "detect", ("rows", "seed"))


def attack_of(name: str) -> str | None:
    """The sentence at the top of a hostile entry."""
    return ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", NAMES)
def test_hostile_entry_gets_nothing(name: str, honest: Worker, target: Target, tmp_path: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))
    code = prepared(name, tmp_path / name, target)
    with worker(BWRAP, code, call=20.0 if name in LONG else 3.0) as run:
        attacked, following = tried(run, 0), tried(run, 1)
    expected = STATUSES.get(name, {OK})
    assert attacked.status in expected, attacked
    assert following.status in (expected if name in LASTING else {OK}), following
    for case in (attacked, following):
        assert case.score in (None, 0.0), case
        assert SECRET not in case.output and len(case.output) < 110_000
        assert "::" not in case.output and "\x1b" not in case.output and "\u202e" not in case.output
    assert tried(honest, 3) == Tried(OK, 69.0, "")
    assert not processes_naming(str(tmp_path / name)) and not processes_naming("--hostile-daemon")
    assert not list(Path(tempfile.gettempdir()).iterdir()) and target.untouched()
    assert set(os.listdir("/proc/self/fd")) == before


def test_the_table_of_the_security_page_says_what_is_tested() -> None:
    text = (FOLDER.parents[1] / "SECURITY.md").read_text(encoding="utf-8")
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")][1:]
    told = {
        name: (what, set(statuses.replace("`", "").split(" or ")), got) for name, what, statuses, got in lines
    }
    assert told == {
        name: (attack_of(name), {status.value for status in STATUSES.get(name, {OK})}, "nothing")
        for name in NAMES
    }


def test_every_hostile_entry_says_what_it_attacks() -> None:
    sentences = [attack_of(name) for name in NAMES]
    assert len(NAMES) >= 60 and len(set(sentences)) == len(NAMES)
    assert all(sentence and sentence.endswith(".") for sentence in sentences)
    assert set(STATUSES) | LASTING <= set(NAMES)
