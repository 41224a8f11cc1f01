"""Merges folders that scripts/rescore.py made into results/ of a branch, and pushes that."""

from pathlib import Path
from typing import Annotated

import typer

from benchmark.commands import ROOT, Exit, complain, run
from benchmark.errors import UsageError
from benchmark.pipeline.plan import load
from benchmark.pipeline.publish import Target, publish
from benchmark.text import fault, printable


def main(
    folders: Annotated[list[Path], typer.Argument(help="Folders of results, each of one run or shard.")],
    plan: Annotated[Path, typer.Option(help="The plan they were made by.")],
    remote: Annotated[str, typer.Option(help="Where to push: a remote's name or address.")] = "origin",
    branch: Annotated[str, typer.Option(help="The branch that results are committed to.")] = "main",
    attempts: Annotated[
        int, typer.Option(min=1, max=100, help="How often to try when others push, too.")
    ] = 10,
    repository: Annotated[
        Path, typer.Option(help="The clone to work from; its files stay as they are.")
    ] = ROOT,
    author_name: Annotated[
        str | None, typer.Option(help="Who commits; by default git's own setting.")
    ] = None,
    author_email: Annotated[str | None, typer.Option(help="The address of who commits.")] = None,
) -> None:
    """Publish results. Exit codes: 0 done, 1 folders were refused or no push was taken, 2 wrong use.

    Merges as merge.py does, but on top of the remote branch, then commits and pushes at once, without asking;
    this checkout stays as it is. Nothing to commit is fine. The branch is only ever moved forward.
    """
    if (author_name is None) != (author_email is None):
        wanted = "--author-name and --author-email together"
        raise UsageError(fault("publish", wanted, "one of them", "give both or none"))
    author = {"name": author_name, "email": author_email} if author_name and author_email else {}
    chosen = load(plan)
    done = publish(folders, chosen, Target(repository, remote, branch, attempts, author))
    complain(done.merged.lines)
    for one in done.merged.landed:
        print(printable(f"{one.job.name}: {one.said}"))
    where = f"{remote} {branch}"
    print(printable(f"{where}: pushed {done.commit}" if done.commit else f"{where}: nothing to commit"))
    raise SystemExit(Exit.SHORT if done.merged.refused else Exit.FINE)


if __name__ == "__main__":
    run(main)
