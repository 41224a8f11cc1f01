"""Says whether a pull request may be scored, and writes out its entry; nothing of it is checked out."""

from pathlib import Path
from typing import Annotated

import typer

from benchmark.commands import ROOT, Exit, complain, run
from benchmark.errors import GateError
from benchmark.isolation.protocol import harmless
from benchmark.pipeline.checkout import Repository
from benchmark.pipeline.gate import extract, refuse, verdict


def main(
    base: Annotated[str, typer.Argument(help="The commit of the main branch, by SHA or name.")],
    head: Annotated[str, typer.Argument(help="The commit of the pull request.")],
    into: Annotated[Path, typer.Option(help="Folder to write the accepted entry's folder into.")],
    repository: Annotated[Path, typer.Option(help="The git repository that holds both commits.")] = ROOT,
) -> None:
    """Judge a pull request. Exit codes: 0 accepted and written, 1 refused, 2 wrong use."""
    source = Repository(repository)
    try:
        found = verdict(source, base, head)
        refuse(found)
        folder = extract(source, found, into)
    except GateError as error:
        complain(map(harmless, error.faults))
        print("refused: this pull request is not scored")
        raise SystemExit(Exit.SHORT) from None
    print(f"accepted: {found.entry}, {len(found.files)} files in {folder}")


if __name__ == "__main__":
    run(main)
