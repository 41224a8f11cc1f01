"""Keeps what verifying found: as an issue that is open while a committed result does not reproduce."""

import os
from pathlib import Path
from typing import Annotated

import typer

from benchmark import stored
from benchmark.commands import run_one_of
from benchmark.errors import ResultError
from benchmark.pipeline import issue as kept
from benchmark.pipeline.github import API, GitHub, checked_run
from benchmark.pipeline.verified import Log
from benchmark.text import fault


def issue(
    log: Annotated[Path, typer.Argument(help="The file that verify.py --log wrote.")],
    repository: Annotated[str, typer.Option(help="The repository on GitHub, OWNER/NAME.")],
    run_url: Annotated[str, typer.Option(help="The address of the run that verified.")],
) -> None:
    """Open, update or close the issue. Exit codes: 0 done, 1 GitHub fails, 2 wrong use or an invalid log.

    The token is in GITHUB_TOKEN, the API's address in GITHUB_API_URL.
    """
    api = os.environ.get("GITHUB_API_URL", "") or API
    github = GitHub(repository, os.environ.pop("GITHUB_TOKEN", ""), api)
    print(kept.keep(github, _read(log), checked_run(run_url)))


def _read(path: Path) -> Log:
    """The log at `path`. Raises ResultError when it is not valid."""
    step = "verify again"
    try:
        content = path.read_bytes()
    except OSError as error:
        got = error.strerror or "an error"
        raise ResultError(fault(path, "a file that can be read", got, step)) from None
    return stored.read(Log, content, str(path), step)


if __name__ == "__main__":
    run_one_of((issue,))
