"""Says whether a pull request may be scored, and writes out its entry; nothing of it is checked out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from benchmark.commands import ROOT, Exit, complain, run
from benchmark.errors import GateError
from benchmark.isolation.protocol import harmless
from benchmark.pipeline.checkout import Repository
from benchmark.pipeline.gate import extract, refuse, verdict
from benchmark.pipeline.markdown import fenced

REFUSED = "refused: this pull request is not scored"
MOST_SUMMARY = 64 << 10
"""How many bytes of reasons a summary holds."""


def main(
    base: Annotated[str, typer.Argument(help="The commit of the main branch, by SHA or name.")],
    head: Annotated[str, typer.Argument(help="The commit of the pull request.")],
    into: Annotated[Path, typer.Option(help="Folder to write the accepted entry's folder into.")],
    repository: Annotated[Path, typer.Option(help="The git repository that holds both commits.")] = ROOT,
    summary: Annotated[
        Path | None, typer.Option(help="File to add what is said to, as Markdown in which it is text only.")
    ] = None,
) -> None:
    """Judge a pull request. Exit codes: 0 accepted and written, 1 refused, 2 wrong use."""
    source = Repository(repository)
    try:
        found = verdict(source, base, head)
        refuse(found)
        folder = extract(source, found, into)
    except GateError as error:
        faults = [harmless(line) for line in error.faults]
        complain(faults)
        print(REFUSED)
        _add([*faults, REFUSED], summary)
        raise SystemExit(Exit.SHORT) from None
    accepted = f"accepted: {found.entry}, {len(found.files)} files"
    print(f"{accepted} in {folder}")
    _add([accepted], summary)


def _add(lines: Sequence[str], summary: Path | None) -> None:
    if summary is not None:
        with summary.open("a", encoding="utf-8") as file:
            file.write(f"## Gate\n\n{fenced(lines, MOST_SUMMARY)}\n\n")


if __name__ == "__main__":
    run(main)
