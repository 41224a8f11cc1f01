"""What all scripts share: exit codes, and errors as one line each."""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from pathlib import Path

import typer

from benchmark.errors import LeaderboardError
from benchmark.isolation.protocol import harmless
from benchmark.text import printable

ROOT = Path(__file__).resolve().parents[1]
"""The repository that the scripts work on."""
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
"""How many processors this process may use."""


class Exit(IntEnum):
    """What a command's exit code says."""

    FINE = 0
    """All is as it should be."""
    SHORT = 1
    """What was checked falls short."""
    WRONG_USE = 2
    """The command was called wrongly, or its input is invalid."""


def run(command: Callable[..., None], arguments: Sequence[str] | None = None) -> None:
    """Runs `command` as a whole command line, then exits; never returns.

    arguments: those of the command line by default. A LeaderboardError becomes one line a fault on
    standard error and its exit code; wrong options exit 2; SIGTERM and SIGHUP clean up and exit 143, 129;
    anything else is a bug and keeps its traceback.
    """
    app = _app()
    app.command()(command)
    _run(app, arguments)


def run_one_of(commands: Sequence[Callable[..., None]], arguments: Sequence[str] | None = None) -> None:
    """As `run`; the first argument names one of the commands, as its function is named."""
    app = _app()
    app.callback()(_nothing)
    for command in commands:
        app.command()(command)
    _run(app, arguments)


def _app() -> typer.Typer:
    return typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


def _nothing() -> None:
    pass


def _run(app: typer.Typer, arguments: Sequence[str] | None) -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        app(arguments)
    except LeaderboardError as error:
        complain(error.faults)
        raise SystemExit(error.exit_code) from None


def complain(faults: Iterable[str]) -> None:
    """Prints faults on standard error, one line each, whatever they hold, and no command to a runner."""
    for fault in faults:
        print(harmless(printable(fault)), file=sys.stderr)


def near(path: Path) -> Path:
    """`path` as one would type it here: relative to the working directory where it lies below it."""
    full, here = path.resolve(), Path.cwd().resolve()
    return full.relative_to(here) if full.is_relative_to(here) else full
