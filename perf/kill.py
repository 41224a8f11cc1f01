"""What is left when the scorer is killed: quick runs ended by SIGKILL at random moments, then one whole run.

After each, no process of the run may live and every results.json must be whole; then a run must complete.

Run: .venv/bin/python perf/kill.py [--times N] [--isolation bwrap|process] [ENTRY]
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmark.commands import ROOT
from benchmark.results import FILE_NAME, parse

END_SECONDS = 5.0
"""How long the processes of a killed run may take to be gone."""


@dataclass(frozen=True)
class Run:
    """How the scorer is run, again and again."""

    entry: Path
    """The entry's folder."""
    isolation: str
    """`bwrap` or `process`."""
    folder: Path
    """Where results and temporary files go."""

    def started(self) -> subprocess.Popen[bytes]:
        """The scorer, begun."""
        command = [sys.executable, str(ROOT / "scripts" / "score.py"), str(self.entry), "--quick"]
        options = ["--isolation", self.isolation, "--output", str(self.folder / "scores"), "--jobs", "2"]
        temporary = self.folder / "temp"
        temporary.mkdir(exist_ok=True)
        environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)}
        quiet = subprocess.DEVNULL
        return subprocess.Popen([*command, *options], env=environment, stdout=quiet, stderr=quiet)

    def completed(self) -> bool:
        """Whether a run that nobody disturbs goes well, and leaves a whole result."""
        with self.started() as scorer:
            return scorer.wait() == 0 and bool(list(self.results()))

    def results(self) -> Iterator[Path]:
        """Every results.json, read and found whole. Raises ResultError for one that is not."""
        for path in self.folder.rglob(FILE_NAME):
            parse(path.read_bytes(), str(path))
            yield path


def killed(run: Run, seconds: float) -> set[int]:
    """The processes that live on after a run was killed so many seconds after its start."""
    with run.started() as scorer:
        time.sleep(seconds)
        below = set(descendants(scorer.pid))
        scorer.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + END_SECONDS
    while (left := {p for p in below if alive(p)} | naming(str(run.folder))) and time.monotonic() < deadline:
        time.sleep(0.01)
    return left


def descendants(process: int) -> Iterator[int]:
    """The processes below one, at any depth."""
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            text = Path(f"/proc/{process}/task/{thread}/children").read_text(encoding="ascii")
            for child in map(int, text.split()):
                yield child
                yield from descendants(child)
    except OSError:
        return


def alive(process: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


def naming(text: str) -> set[int]:
    """The processes, this one aside, whose command line holds a text."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text.encode() in path.read_bytes() and int(path.parent.name) != os.getpid():
                found.add(int(path.parent.name))
        except OSError:
            continue
    return found


def main() -> None:
    """Kills runs at moments drawn evenly over the length of a whole one; exits with 1 if all is not well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entry", nargs="?", default=str(ROOT / "contrib" / "mean_shift_test"))
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--isolation", default="bwrap")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(options.entry), options.isolation, Path(folder))
        start = time.monotonic()
        whole = [run.completed()]
        seconds = time.monotonic() - start
        left: set[int] = set()
        for _ in range(options.times):
            left |= killed(run, random.uniform(0, seconds))
            list(run.results())
        whole.append(run.completed())
    print(f"{options.times} kills within {seconds:.1f} s, {len(left)} processes left, no torn result")
    print(f"whole runs before and after complete: {whole[0]}, {whole[1]}")
    raise SystemExit(bool(left) or whole != [True, True])


if __name__ == "__main__":
    main()
