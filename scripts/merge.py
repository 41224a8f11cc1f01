"""Checks folders that scripts/rescore.py made, on this machine or others, and commits them to results/."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from benchmark.commands import ROOT, Exit, complain, near, run
from benchmark.pipeline.merge import merge
from benchmark.pipeline.plan import Places, Plan, load
from benchmark.pipeline.planning import Wanted, planned
from benchmark.text import printable
from benchmark.tracks import TRACKS


def main(
    folders: Annotated[list[Path], typer.Argument(help="Folders of results, each of one run or shard.")],
    plan: Annotated[
        Path | None,
        typer.Option(help="The plan they were made by; else any entry as it is now may be there."),
    ] = None,
    results: Annotated[Path, typer.Option(help="Folder of the committed results.")] = ROOT / "results",
    contrib: Annotated[Path, typer.Option(help="Folder of the entries.")] = ROOT / "contrib",
) -> None:
    """Merge results. Exit codes: 0 all folders are good, 1 some were refused, 2 wrong use or invalid input.

    A job that no folder brings is named, and is no fault of any: the next plan has it again.
    """
    places = Places(results, contrib)
    chosen = load(plan) if plan else _anything(folders, places)
    merged = merge(folders, chosen, places, results.parent / "scores")
    complain(merged.lines)
    for one in merged.landed:
        print(printable(f"{one.job.name}: {one.said}, written to {near(one.path)}"))
    raise SystemExit(Exit.SHORT if merged.refused else Exit.FINE)


def _anything(folders: Sequence[Path], places: Places) -> Plan:
    """A plan of whatever the folders hold of the valid entries, on any version."""
    versions = [(track, version) for track in TRACKS.values() for version in track.versions]
    found = planned(Wanted("all", versions), places)
    complain(found.faults)
    there = [job for job in found.plan.jobs if any(os.path.lexists(path / job.place) for path in folders)]
    return found.plan.model_copy(update={"jobs": there})


if __name__ == "__main__":
    run(main)
