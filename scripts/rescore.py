"""Scores what is missing or stale, or one shard of it, into a folder that scripts/merge.py takes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from benchmark.choose import selections
from benchmark.commands import CORES, ROOT, Exit, complain, near, run
from benchmark.errors import IsolationError, LeaderboardError, UsageError
from benchmark.fresh import withdrawn
from benchmark.isolation.launchers import choose
from benchmark.isolation.protocol import harmless
from benchmark.pipeline.plan import MOST_SHARDS, Job, Places, Plan, What, load
from benchmark.pipeline.planning import Wanted, planned
from benchmark.pipeline.rescore import Setting, rescore
from benchmark.report import warn_of
from benchmark.storage import usable
from benchmark.text import fault, printable, shown
from benchmark.tracks import TRACKS


def main(
    missing: Annotated[
        bool, typer.Option("--missing", help="Score what has no result; the default.")
    ] = False,
    stale: Annotated[
        bool, typer.Option("--stale", help="Score what data or metrics left behind, too.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="Score everything.")] = False,
    track: Annotated[
        list[str] | None,
        typer.Option(help="Track to score, KEY or KEY@VERSION; by default the current version of each."),
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="Plan of scripts/plan.py; by default one is made now.")
    ] = None,
    shard: Annotated[str | None, typer.Option(help="Score the I-th of N shards only, as I/N.")] = None,
    output: Annotated[Path, typer.Option(help="Folder to write results below; best a new one.")] = ROOT
    / "scores"
    / "rescored",
    jobs: Annotated[
        int, typer.Option(min=1, help="Cases run at a time; by default one for each core.")
    ] = CORES,
    results: Annotated[Path, typer.Option(help="Folder of the committed results.")] = ROOT / "results",
    contrib: Annotated[Path, typer.Option(help="Folder of the entries.")] = ROOT / "contrib",
) -> None:
    """Score again. Exit codes: 0 done, 1 something could not be scored, 2 wrong use or invalid input.

    An entry that fails is scored, too: its result says so.
    """
    master = withdrawn()
    asked: dict[What, bool] = {"missing": missing, "stale": stale, "all": everything}
    modes = [mode for mode, is_asked in asked.items() if is_asked]
    places, part = Places(results, contrib), _part(shard)
    todo = _planned(plan, part, places) if plan else None
    if todo is not None and (modes or track):
        raise UsageError(
            fault("--plan", "a plan alone", "--missing, --stale, --all or --track", "leave one out")
        )
    if todo is None:
        todo = _made(modes, track or (), part, places)
    usable(output)
    try:
        launcher = choose("bwrap")
    except IsolationError as error:
        complain(error.faults)
        raise SystemExit(Exit.SHORT) from None
    warn_of(launcher)
    setting = Setting(places, output, launcher, jobs, master)
    raise SystemExit(_carry_out(todo.of(part.number), setting))


@dataclass(frozen=True)
class _Part:
    """One shard of several."""

    number: int
    """Which, from 1."""
    of: int
    """Of how many."""


def _part(text: str | None) -> _Part:
    """The shard that an option says; the only one without it. Raises UsageError."""
    if text is None:
        return _Part(1, 1)
    found = re.fullmatch(r"([0-9]{1,3})/([0-9]{1,3})", text)
    part = _Part(int(found[1]), int(found[2])) if found else _Part(0, 0)
    if not 1 <= part.number <= part.of <= MOST_SHARDS:
        wanted = f"I/N with 1 <= I <= N <= {MOST_SHARDS}"
        raise UsageError(fault("--shard", wanted, shown(text), "such as --shard 1/4"))
    return part


def _planned(path: Path, part: _Part, places: Places) -> Plan:
    """The plan in a file, whose shards must be as many as those of the option. Raises UsageError."""
    plan = load(path)
    if plan.shards != part.of:
        wanted = f"one of the {plan.shards} shards of {path}"
        raise UsageError(fault("--shard", wanted, f"{part.number}/{part.of}", f"give I/{plan.shards}"))
    return plan


def _made(modes: Sequence[What], tracks: Sequence[str], part: _Part, places: Places) -> Plan:
    """The plan as of now. Raises UsageError."""
    if len(modes) > 1:
        got = ", ".join(f"--{mode}" for mode in modes)
        raise UsageError(fault("rescore", "one of --missing, --stale and --all", got, "leave the others out"))
    what = modes[0] if modes else "missing"
    found = planned(Wanted(what, selections(tracks or TRACKS, TRACKS), part.of), places)
    complain(found.faults)
    return found.plan


def _carry_out(jobs: Sequence[Job], setting: Setting) -> Exit:
    """Scores jobs one after another, whatever becomes of each."""
    failed = short = 0
    for job in jobs:
        try:
            done = rescore(job, setting)
        except LeaderboardError as error:
            complain([f"{job.name}: not scored, or not wholly:", *(f"  {line}" for line in error.faults)])
            short += 1
            continue
        failed += not done.complete
        for line in done.lines:
            print(harmless(printable(line)), flush=True)
    count = f"{len(jobs)} job{'' if len(jobs) == 1 else 's'}"
    words = [count, f"{failed} of entries that failed", f"{short} that could not be done"]
    print(f"{', '.join(words)}. Written to {near(setting.output)}.")
    print(f"Next: scripts/merge.py {near(setting.output)}, which brings it into results/ here.")
    return Exit.SHORT if short else Exit.FINE


if __name__ == "__main__":
    run(main)
