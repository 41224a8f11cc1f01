"""Builders for tests that run a small entry in isolation."""

import os
import textwrap
from pathlib import Path

import numpy as np
import pytest

from benchmark.isolation.channel import Line
from benchmark.isolation.host import EntryCode, Limits, Worker
from benchmark.isolation.launchers import BWRAP, PROCESS, Launcher
from benchmark.records import Arrays, Call, Field
from benchmark.tracks.detection import FLAG, SCORE

LAUNCHERS = [
    pytest.param(PROCESS, id="process"),
    pytest.param(BWRAP, id="bwrap", marks=pytest.mark.bwrap),
]


CASES = 40
"""How many cases such a worker serves at one start."""


class Ends:
    """A line without a room: the host's ends, and the case's."""

    def __init__(self) -> None:
        calls, calling = os.pipe()
        answered, answers = os.pipe()
        printed, printing = os.pipe()
        self.host = Line(calling, answered, printed)
        self.calls = os.fdopen(calls, "rb", buffering=0)
        self.answers = os.fdopen(answers, "wb", buffering=0)
        self.printing = os.fdopen(printing, "wb", buffering=0)

    def close(self) -> None:
        """Closes the case's ends."""
        for end in (self.calls, self.answers, self.printing):
            end.close()


def written(folder: Path, body: str, before: str = "") -> EntryCode:
    """An entry whose `detect(rows, seed)` has the given body, `before` standing above it in the file."""
    text = "{}\ndef detect(rows, seed):\n{}\n"
    source = text.format(textwrap.dedent(before), textwrap.indent(textwrap.dedent(body), "    "))
    (folder / "method.py").write_text(source, encoding="utf-8")
    return EntryCode(folder, "detect", "detect", ("rows", "seed"))


def detect(seed: int = 0, returns: tuple[Field, ...] = (SCORE, FLAG)) -> Call:
    """A call of `detect` with three rows of four numbers each."""
    rows = np.arange(12.0).reshape(3, 4)
    return Call("detect", {"rows": rows, "seed": seed}, returns, bare="score")


def worker(
    launcher: Launcher, code: EntryCode, *, call: float = 20.0, load: float = 60.0, memory: int = 1024
) -> Worker:
    """A worker with limits that do no harm unless a test lowers them."""
    return Worker(launcher, code, Limits(call, load, memory), CASES)


def answer(run: Worker, seed: int = 0) -> Arrays:
    """What the entry answers to one case of one call."""
    return run.examine(lambda call: call(detect(seed))).value


def processes_naming(text: str) -> list[int]:
    """The processes whose command line holds a text."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found
