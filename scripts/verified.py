"""Keeps the log of verifications, and an issue that is open while a committed result does not reproduce."""

import os
from pathlib import Path
from typing import Annotated

import typer

from benchmark import verified
from benchmark.audit import load_all
from benchmark.commands import ROOT, near, run_one_of
from benchmark.errors import ResultError, raise_all
from benchmark.pipeline.github import API, GitHub, checked_run
from benchmark.pipeline.issue import keep as keep_issue
from benchmark.pipeline.publish import Target, push
from benchmark.stored import write

Log = Annotated[Path, typer.Argument(help="What verify.py --log wrote.")]
Results = Annotated[Path, typer.Option(help="Folder of the committed results.")]
RESULTS = ROOT / "results"


def keep(
    log: Log,
    results: Results = RESULTS,
    push_it: Annotated[
        bool, typer.Option("--push", help="Commit it to the main branch of origin, and nothing else.")
    ] = False,
    repository: Annotated[Path, typer.Option(help="The clone to push from; its files stay.")] = ROOT,
) -> None:
    """Add a log to results/verified.json. Exit codes: 0 added, 1 no push was taken, 2 it is not valid."""
    if push_it:
        done = push(lambda tree: _kept(log, tree / results.name), Target(repository))
        print(f"origin main: pushed {done.commit}" if done.commit else "origin main: nothing to commit")
        return
    _kept(log, results)
    print(f"wrote {near(results / verified.FILE_NAME)}")


def issue(
    log: Log,
    repository: Annotated[str, typer.Option(help="The repository on GitHub, OWNER/NAME.")],
    run_url: Annotated[str, typer.Option(help="The address of the run that verified.")],
    results: Results = RESULTS,
) -> None:
    """Open, update or close the issue. Exit codes: 0 done, 1 GitHub fails, 2 wrong use or an invalid log.

    The token is in GITHUB_TOKEN, the API's address in GITHUB_API_URL.
    """
    api = os.environ.get("GITHUB_API_URL", "") or API
    github = GitHub(repository, os.environ.pop("GITHUB_TOKEN", ""), api)
    failing = [one for one in _with(log, results).results if not one.stands]
    print(keep_issue(github, failing, checked_run(run_url)))


def _kept(log: Path, results: Path) -> str:
    """Adds a log to the file in `results`, and gives the message of a commit that does so.

    What the log says in words is left out of the message, since GitHub acts on some words in one.
    """
    now = _with(log, results)
    write(now, results / verified.FILE_NAME)
    new = {one.place: one for one in verified.load(log).results}
    told = [
        f"{one.entry} on {one.track} {one.version}: {'reproduces' if one.stands else 'does not reproduce'}"
        for one in now.results
        if new.get(one.place) == one
    ]
    return "\n".join(["Verified results", "", *told, ""])


def _with(log: Path, results: Path) -> verified.Log:
    """The last verification of each committed result, those of `log` among them.

    A result that was made anew while the log was made is named and left as it is. Raises ResultError when
    the log is not valid, or not of what is or was committed.
    """
    committed, new = load_all(results), verified.load(log)
    raise_all(ResultError, verified.faults(new, committed))
    for one in verified.outdated(new, committed):
        print(f"{one.entry} on {one.track} {one.version}: left out, as it was scored anew meanwhile")
    return verified.kept(verified.last(results), new, committed)


if __name__ == "__main__":
    run_one_of((keep, issue))
