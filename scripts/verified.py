"""Keeps the log of verifications."""

from pathlib import Path
from typing import Annotated

import typer

from benchmark import verified
from benchmark.audit import load_all
from benchmark.commands import ROOT, near, run_one_of
from benchmark.errors import ResultError, raise_all
from benchmark.stored import write

Log = Annotated[Path, typer.Argument(help="What verify.py --log wrote.")]
RESULTS = ROOT / "results"


def keep(
    log: Log,
    results: Annotated[Path, typer.Option(help="Folder of the committed results.")] = RESULTS,
) -> None:
    """Add a log to results/verified.json. Exit codes: 0 added, 2 it is not valid."""
    committed, new = load_all(results), verified.load(log)
    raise_all(ResultError, verified.faults(new, committed))
    place = results / verified.FILE_NAME
    write(verified.kept(verified.last(results), new, committed), place)
    print(f"wrote {near(place)}")


if __name__ == "__main__":
    run_one_of((keep,))
