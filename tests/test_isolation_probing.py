"""The probe of a sandbox: it passes where the sandbox holds, and each of its parts can fail."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.errors import IsolationError
from benchmark.isolation import bubblewrap, launchers, probing
from benchmark.isolation.launchers import BWRAP, PROCESS
from tests.isolated import answer, worker, written

pytestmark = pytest.mark.bwrap

HERE = Path(probing.__file__).parent


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No launcher has been tried in this process."""
    monkeypatch.setattr(probing, "_passed", set())


def without(*options: str) -> Callable[[list[str]], list[str]]:
    """A change of a command: the given options left out, one by one."""
    return lambda command: [part for part in command if part not in options]


def before_end(*options: str) -> Callable[[list[str]], list[str]]:
    """A change of a command: options put before those that make the root read-only."""
    return lambda command: [*command[: command.index("--remount-ro")], *options, *command[-7:]]


BREACHES = {
    "paths": before_end("--ro-bind", str(HERE), "/repository"),
    "variables": before_end("--setenv", "SECRET", "x"),
    "writes": lambda command: [*command[:-5], *command[-3:]],
}


@pytest.mark.parametrize("name", BREACHES)
@pytest.mark.usefixtures("untried")
def test_sandbox_with_a_hole_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change, whole = BREACHES[name], bubblewrap.sandbox
    monkeypatch.setattr(probing, "ROOT", Path("/repository"))
    monkeypatch.setattr(launchers, "sandbox", lambda mounts: change(whole(mounts)))
    with worker(BWRAP, written(tmp_path, "return 1")) as run, pytest.raises(IsolationError) as raised:
        answer(run)
    assert f"isolation bwrap: probe {name}: expected " in str(raised.value)
    assert ", got " in str(raised.value) and "score nothing in a sandbox that fails a probe" in str(
        raised.value
    )


FILES = {
    "capabilities": ("room.py", 'call("capset", head, sets)', "pass"),
    "filter": ("worker.py", 'parts["filter"].install()', "pass"),
    "standard": ("worker.py", 'parts["room"].renew(*renewed)', "pass"),
    "requests": ("filter.py", "yield FCNTL, _only(1, DESCRIPTOR_COMMANDS)", "yield FCNTL, []"),
    "processes": ("room.py", 'call("setns", descriptors[0], NEW_PROCESSES)', "pass"),
    "facts": (
        "room.py",
        '_mount("tmpfs", "/proc", NO_SET_UID | NO_DEVICES | NO_PROGRAMS, FACTS_OPTIONS)',
        '_mount("tmpfs", "/proc", 0, FACTS_OPTIONS); _state("other", b"")',
    ),
}


def changed(folder: Path, file: str, right: str, wrong: str) -> Path:
    """The folder, with the files that run inside, of which one says something else."""
    for inside in launchers.INSIDE:
        text = (HERE / inside).read_text(encoding="utf-8")
        if inside == file:
            assert right in text
            text = text.replace(right, wrong)
        (folder / inside).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", FILES)
@pytest.mark.usefixtures("untried")
def test_worker_with_a_hole_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launchers, "HERE", changed(tmp_path, *FILES[name]))
    with worker(BWRAP, written(tmp_path, "return 1")) as run, pytest.raises(IsolationError) as raised:
        answer(run)
    assert f"isolation bwrap: probe {name}: expected " in str(raised.value)


@pytest.mark.usefixtures("untried")
def test_network_of_the_host_is_seen_where_no_filter_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, unfiltered = bubblewrap.sandbox, FILES["filter"]
    monkeypatch.setattr(launchers, "HERE", changed(tmp_path, *unfiltered))
    monkeypatch.setattr(launchers, "sandbox", lambda mounts: without("--unshare-net")(whole(mounts)))
    with worker(BWRAP, written(tmp_path, "return 1")) as run, pytest.raises(IsolationError) as raised:
        answer(run)
    assert "isolation bwrap: probe listener: expected refused, got done" in str(raised.value)


@pytest.mark.usefixtures("untried")
def test_sandbox_is_tried_once_in_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    seen = probing._seen
    monkeypatch.setattr(probing, "_seen", lambda start: (tried.append(os.getpid()), seen(start))[1])
    for _ in range(2):
        with worker(BWRAP, written(tmp_path, "return seed")) as run:
            assert answer(run, 2) == {"score": 2.0}
    assert tried == [os.getpid()]


@pytest.mark.usefixtures("untried")
def test_probe_that_does_not_answer_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    silent = tmp_path / "silent"
    silent.mkdir()
    (silent / "method.py").write_text("def probe(question):\n    return question[:1] * 0\n", encoding="utf-8")
    monkeypatch.setattr(probing, "FOLDER", silent)
    match = "expected the probe to answer, got: JSONDecodeError"
    with worker(BWRAP, written(tmp_path, "return 1")) as run, pytest.raises(IsolationError, match=match):
        answer(run)


@pytest.mark.parametrize("name", probing._expected(frozenset()))
def test_any_other_outcome_is_a_fault(name: str) -> None:
    expected = probing._expected(frozenset())
    assert list(probing._faults(expected, expected)) == []
    faults = list(probing._faults({**expected, name: "another"}, expected))
    assert faults == [f"{name}: expected {expected[name]}, got another"]


def test_machine_without_a_filter_is_not_asked_for_what_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    expected = probing._expected(frozenset())
    assert expected["filter"] == 0 and not {"sockets", "namespaces", "requests"} & set(expected)
    assert BWRAP.weakness == "no filter of system calls: expected x86_64 or aarch64, got riscv64"
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert BWRAP.weakness is None and PROCESS.weakness is None


def test_question_and_expectation_name_the_same_probes() -> None:
    expected = probing._expected(frozenset({"HOME"}))
    text = (HERE / "probe" / "method.py").read_text(encoding="utf-8")
    assert all(json.dumps(name) in text for name in expected) and expected["variables"] == ["HOME", "PWD"]
