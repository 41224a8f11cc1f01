"""Says what is to be scored, and cuts it into shards of about the same length."""

import json
from pathlib import Path
from typing import Annotated

import typer

from benchmark import stored
from benchmark.choose import selections
from benchmark.commands import ROOT, Exit, complain, run
from benchmark.pipeline.plan import MOST_SHARDS, Places, Plan, What
from benchmark.pipeline.planning import Wanted, planned
from benchmark.pipeline.shards import used
from benchmark.tracks import TRACKS


def main(
    output: Annotated[Path, typer.Option(help="File to write the plan to.")],
    what: Annotated[
        What, typer.Option(help="missing results, those that are stale as well, or all.")
    ] = "missing",
    track: Annotated[
        list[str] | None,
        typer.Option(help="Track to score, KEY or KEY@VERSION; by default the current version of each."),
    ] = None,
    shards: Annotated[int, typer.Option(min=1, max=MOST_SHARDS, help="How many machines take part.")] = 1,
    github_output: Annotated[
        Path | None, typer.Option(help="File to append count=JOBS and shards=[1,...] to.")
    ] = None,
    results: Annotated[Path, typer.Option(help="Folder of the committed results.")] = ROOT / "results",
    contrib: Annotated[Path, typer.Option(help="Folder of the entries.")] = ROOT / "contrib",
) -> None:
    """Plan a scoring run. Exit codes: 0 planned, though it be nothing, 2 wrong use or invalid input.

    An entry or a result that is not valid is named on standard error; such an entry is left out, and such
    a result counts as missing.
    """
    wanted = Wanted(what, selections(track or TRACKS, TRACKS), shards)
    found = planned(wanted, Places(results, contrib))
    complain(found.faults)
    stored.write(found.plan, output)
    if github_output is not None:
        with github_output.open("a", encoding="utf-8") as file:
            file.write(_outputs(found.plan))
    _tell(found.plan)
    raise SystemExit(Exit.FINE)


def _outputs(plan: Plan) -> str:
    """The lines for a workflow: how many jobs there are, and which shards have some."""
    shards = used(job.shard for job in plan.jobs)
    return f"count={len(plan.jobs)}\nshards={json.dumps(shards, separators=(',', ':'))}\n"


def _tell(plan: Plan) -> None:
    for number in used(job.shard for job in plan.jobs):
        jobs = plan.of(number)
        print(f"shard {number}, about {sum(job.cost for job in jobs):.0f} s:")
        for job in jobs:
            parts = [*(["public"] if job.public else []), *(["fresh"] if job.fresh else [])]
            print(f"  {job.name}: {' and '.join(parts)}")
    count = len(plan.jobs)
    print(f"{count or 'no'} job{'' if count == 1 else 's'} to do")


if __name__ == "__main__":
    run(main)
