"""Comments on the pull request that a preview belongs to; nothing of the preview is trusted."""

import os
from pathlib import Path
from typing import Annotated

import typer

from benchmark.commands import ROOT, complain, run
from benchmark.entries import entry_folders
from benchmark.errors import ResultError
from benchmark.isolation.protocol import harmless
from benchmark.pipeline.comment import post, render
from benchmark.pipeline.github import API, GitHub, checked_run, checked_sha
from benchmark.pipeline.preview import Preview, load


def main(
    folder: Annotated[Path, typer.Argument(help="Folder with the run's preview.json.")],
    repository: Annotated[str, typer.Option(help="The repository on GitHub, OWNER/NAME.")],
    head: Annotated[str, typer.Option(help="The full SHA of the pull request's commit.")],
    run_url: Annotated[str, typer.Option(help="The address of the run that made the preview.")],
) -> None:
    """Comment on a pull request. Exit codes: 0 done, or none is open; 1 GitHub fails; 2 wrong use.

    The token is in GITHUB_TOKEN, the API's address in GITHUB_API_URL.
    """
    api = os.environ.get("GITHUB_API_URL", "") or API
    github = GitHub(repository, os.environ.pop("GITHUB_TOKEN", ""), api)
    known = [entry.name for entry in entry_folders(ROOT / "contrib")]
    body = render(_preview(folder), checked_sha(head), checked_run(run_url), known)
    numbers = post(github, head, body)
    for number in numbers:
        print(f"commented on pull request {number}")
    if not numbers:
        print(f"no open pull request has the head {head}; nothing to comment on")


def _preview(folder: Path) -> Preview | None:
    """The run's preview; None, with the reasons told, where it is not valid."""
    try:
        return load(folder)
    except ResultError as error:
        complain(map(harmless, error.faults))
        return None


if __name__ == "__main__":
    run(main)
