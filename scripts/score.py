"""Scores an entry with the scorer that counts: progress, a table of metrics, the rank it would take."""

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmark.audit import load_all
from benchmark.choose import selections
from benchmark.commands import ROOT, Exit, near, run
from benchmark.entries import Entry, list_entries, read_entry
from benchmark.errors import LeaderboardError, UsageError
from benchmark.isolation.launchers import Launcher, choose
from benchmark.ranking import standings
from benchmark.report import Rank, against_cap, failures, metrics_table, progress, rank, warn_of
from benchmark.results import FILE_NAME, Result
from benchmark.scorer import Request, Scored, score
from benchmark.storage import commit as keep_committed
from benchmark.storage import keep, usable
from benchmark.text import printable

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def main(
    entry_dir: Annotated[Path, typer.Argument(help="The entry's folder, in contrib/ or anywhere else.")],
    track: Annotated[
        list[str] | None,
        typer.Option(help="Track to score, KEY or KEY@VERSION; by default every track of the entry."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Run a few cases only: a smoke test.")] = False,
    seed_offset: Annotated[
        int, typer.Option(min=0, max=2**31, help="Move every seed, for data that nobody has seen.")
    ] = 0,
    jobs: Annotated[
        int, typer.Option(min=1, help="Cases run at a time; by default one for each core.")
    ] = CORES,
    isolation: Annotated[
        str, typer.Option(help="auto, bwrap or process; process does not protect this machine.")
    ] = "auto",
    output: Annotated[
        Path | None, typer.Option(help="Folder to write results below; scores/ by default.")
    ] = None,
    commit: Annotated[
        bool, typer.Option("--commit", help="Write into results/: a full run in bwrap isolation only.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object, and nothing else, on standard output.")
    ] = False,
) -> None:
    """Score an entry. Exit codes: 0 every case went well, 1 some failed, 2 wrong use or invalid input."""
    entry = read_entry(entry_dir)
    launcher = choose(isolation)
    if commit:
        _refuse_commit(entry, launcher, quick=quick, offset=seed_offset, output=output)
    requests = [
        Request(entry, chosen, version, launcher, "quick" if quick else "full", seed_offset, jobs)
        for chosen, version in selections(track or entry.tracks, entry.tracks)
    ]
    scores = output or ROOT / "scores"
    usable(scores)
    warn_of(launcher)
    talk = Console(stderr=as_json)
    reports = []
    for request in requests:
        with progress(
            Console(stderr=True), f"{entry.id} on {request.track.key} {request.version.number}"
        ) as told:
            scored = score(request, told)
        result = scored.result
        pictures = scored.gallery
        if commit:
            place = keep_committed(result, pictures, ROOT / "results", scores)
        else:
            place = keep(result, pictures, scores)
        standing = _rank(request, result)
        _tell(talk, scored, standing, place)
        reports.append(_report(result, standing, place))
    if as_json:
        print(json.dumps({"entry": entry.id, "results": reports}, indent=1, sort_keys=True))
    raise SystemExit(Exit.FINE if all(r["status"] == "complete" for r in reports) else Exit.SHORT)


def _refuse_commit(
    entry: Entry, launcher: Launcher, *, quick: bool, offset: int, output: Path | None
) -> None:
    """Raises UsageError, with every reason, when the run could not stand in results/."""
    faults = []
    if quick:
        faults.append("--commit: expected the full suite, got --quick; leave one of them out")
    if offset:
        faults.append(
            f"--commit: expected the public seeds, got --seed-offset {offset}; leave one of them out"
        )
    if output:
        faults.append(f"--commit: writes into results/, got --output {output} too; leave one of them out")
    if launcher.name != "bwrap":
        faults.append(f"--commit: expected isolation bwrap, got {launcher.name}; install bubblewrap")
    if entry.folder.resolve() != ROOT / "contrib" / entry.id:
        faults.append(f"--commit: expected an entry in contrib/, got {entry.folder}; move it there")
    if faults:
        raise UsageError(*faults)


def _rank(request: Request, result: Result) -> Rank | str:
    """Where the result would stand among the committed ones, or why that cannot be said."""
    if request.offset:
        return "No rank: the committed results are on the public seeds."
    try:
        committed, entries = load_all(ROOT / "results"), list_entries(ROOT / "contrib")
    except LeaderboardError as error:
        return f"No rank, as scripts/check.py finds {len(error.faults)} faults; the first: {error.faults[0]}"
    others = [other for other in committed if other.entry != result.entry]
    known = [other for other in entries if other.id != request.entry.id]
    table = standings(
        request.track, request.version, [*others, result], [*known, request.entry], request.suite
    )
    return rank(table, result.entry)


def _tell(console: Console, scored: Scored, standing: Rank | str, place: Path) -> None:
    result = scored.result
    console.print(metrics_table(result))
    told = standing if isinstance(standing, str) else standing.sentence
    lines = [*failures(scored.outcomes), *against_cap(result), told]
    if result.suite == "quick" and result.status == "complete":
        lines.append("The quick suite is a smoke test: its ranks say little.")
    if place.name != FILE_NAME:
        lines.append(f"{near(place.with_name(FILE_NAME))} is worth more and is kept as it was.")
    lines.append(f"Written to {near(place)} in {result.timing.seconds:.1f} s.")
    for line in lines:
        console.print(printable(line), markup=False, highlight=False, soft_wrap=True)


def _report(result: Result, standing: Rank | str, place: Path) -> dict[str, object]:
    """What --json says of one result."""
    content: dict[str, object] = result.model_dump(mode="json", by_alias=True)
    told = standing if isinstance(standing, str) else asdict(standing)
    return {**content, "rank": told, "path": str(place)}


if __name__ == "__main__":
    run(main)
