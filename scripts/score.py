"""Scores an entry with the scorer that counts: progress, a table of metrics, the rank it would take."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmark.audit import is_stale, load
from benchmark.choose import selections
from benchmark.commands import CORES, ROOT, Exit, complain, near, run
from benchmark.determinism import REPEATS
from benchmark.entries import Entry, cautions, read_entry
from benchmark.errors import LeaderboardError, UsageError, raise_all
from benchmark.fresh import VARIABLE, current_key, place_of, withdrawn
from benchmark.fresh import load as load_keys
from benchmark.fresh_run import fresh_run
from benchmark.isolation.launchers import Launcher, choose
from benchmark.report import Rank, gap_lines, metrics_table, notes, progress, rank_among, warn_of
from benchmark.results import FILE_NAME, Result, Suite
from benchmark.scorer import Request, Scored, score
from benchmark.storage import commit as keep_committed
from benchmark.storage import commit_fresh, keep, usable
from benchmark.text import fault, printable


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
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh", help=f"Score on the seeds of {VARIABLE} and add that to the committed result."
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object, and nothing else, on standard output.")
    ] = False,
) -> None:
    """Score an entry. Exit codes: 0 every case went well, 1 some failed, 2 wrong use or invalid input."""
    master = withdrawn()
    entry = read_entry(entry_dir)
    launcher = choose(isolation)
    options = {"--quick": quick, "--seed-offset": seed_offset, "--output": output}
    if fresh:
        _refuse(entry, launcher, "--fresh", {**options, "--commit": commit})
    elif commit:
        _refuse(entry, launcher, "--commit", options)
    suite: Suite = "quick" if quick else "full"
    requests = [
        Request(entry, chosen, version, launcher, suite, seed_offset, jobs, REPEATS[suite])
        for chosen, version in selections(track or entry.tracks, entry.tracks)
    ]
    told = Console(stderr=as_json)
    if fresh:
        runs = _fresh_runs(requests, master)
        complain(cautions(entry_dir))
        reports = [_score_fresh(run, told) for run in runs]
    else:
        scores = output or ROOT / "scores"
        usable(scores)
        complain(cautions(entry_dir))
        warn_of(launcher)
        reports = [_score(request, scores, told, commit) for request in requests]
    if as_json:
        print(json.dumps({"entry": entry.id, "results": reports}, indent=1, sort_keys=True))
    raise SystemExit(Exit.FINE if all(r["status"] == "complete" for r in reports) else Exit.SHORT)


WHY_NOT = {
    "--quick": "the full suite",
    "--seed-offset": "seeds that are not moved",
    "--output": "to write into results/",
    "--commit": "a result that is committed already",
}
"""What a run that is to stand in results/ expects, for each option that says otherwise."""


def _refuse(entry: Entry, launcher: Launcher, option: str, others: Mapping[str, object]) -> None:
    """Raises UsageError, with every reason, when a run with `option` could not stand in results/."""
    faults = []
    for name, value in others.items():
        if value:
            got = name if value is True else f"{name} {value}"
            faults.append(f"{option}: expected {WHY_NOT[name]}, got {got}; leave one of them out")
    if launcher.name != "bwrap":
        faults.append(f"{option}: expected isolation bwrap, got {launcher.name}; install bubblewrap")
    if entry.folder.resolve() != ROOT / "contrib" / entry.id:
        faults.append(f"{option}: expected an entry in contrib/, got {entry.folder}; move it there")
    raise_all(UsageError, faults)


def _score(request: Request, scores: Path, talk: Console, commit: bool) -> dict[str, object]:
    """Scores once, writes and tells the result, and gives what --json says of it."""
    title = f"{request.entry.id} on {request.track.key} {request.version.number}"
    with progress(Console(stderr=True), title) as told:
        scored = score(request, told)
    result, pictures = scored.result, scored.gallery
    if commit:
        place = keep_committed(result, pictures, ROOT / "results", scores)
    else:
        place = keep(result, pictures, scores)
    standing = rank_among(request, result, ROOT)
    _tell(talk, scored, standing, place)
    return _report(result, standing, place)


@dataclass(frozen=True)
class _FreshRun:
    """A run on fresh seeds that is to come."""

    request: Request
    """What is to be scored."""
    committed: Result
    """The result that it belongs to."""
    key: str
    """The version's key."""


def _fresh_runs(requests: Sequence[Request], master: str | None) -> list[_FreshRun]:
    """The runs with their keys and committed results. Raises with all faults when one of them is missing."""
    faults: list[str] = []
    runs = []
    for request in requests:
        entry, place = request.entry, (request.track.key, request.version.number)
        path = ROOT / "results" / Path(*place) / entry.id / FILE_NAME
        if not path.exists():
            faults.append(fault(near(path), "a committed result", "none", "use --commit first"))
            continue
        try:
            key = current_key(load_keys(place_of(ROOT / "results", *place)), master)
            committed = load(path)
        except LeaderboardError as error:
            faults.extend(error.faults)
            continue
        if committed.digests.entry != entry.digest or is_stale(request.version, committed):
            faults.append(
                fault(near(path), "a result of what is there now", "an older one", "use --commit first")
            )
        runs.append(_FreshRun(request, committed, key))
    raise_all(UsageError, faults)
    return runs


def _score_fresh(run: _FreshRun, talk: Console) -> dict[str, object]:
    """Scores once on fresh seeds, adds that to the committed result, and gives what --json says of it."""
    entry, track, version = run.committed.entry, run.committed.track, run.committed.version
    with progress(Console(stderr=True), f"{entry} on {track} {version}, fresh seeds") as told:
        found = fresh_run(run.request, run.key, told)
    place = commit_fresh(run.committed, found.fresh, ROOT / "results")
    again = run.committed.model_copy(update={"fresh": found.fresh})
    for line in (found.line, *gap_lines(again), f"Written to {near(place)}."):
        talk.print(printable(line), markup=False, emoji=False, highlight=False, soft_wrap=True)
    status = "incomplete" if found.failed else "complete"
    content = found.fresh.model_dump(mode="json")
    return {"track": track, "version": version, "status": status, "fresh": content, "path": str(place)}


def _tell(console: Console, scored: Scored, standing: Rank | str, place: Path) -> None:
    result = scored.result
    console.print(metrics_table(result))
    lines = [*notes(scored, standing)]
    if place.name != FILE_NAME:
        lines.append(f"{near(place.with_name(FILE_NAME))} is worth more and is kept as it was.")
    lines.append(f"Written to {near(place)} in {result.timing.seconds:.1f} s.")
    for line in lines:
        console.print(printable(line), markup=False, emoji=False, highlight=False, soft_wrap=True)


def _report(result: Result, standing: Rank | str, place: Path) -> dict[str, object]:
    """What --json says of one result."""
    content: dict[str, object] = result.model_dump(mode="json", by_alias=True)
    told = standing if isinstance(standing, str) else asdict(standing)
    return {**content, "rank": told, "path": str(place)}


if __name__ == "__main__":
    run(main)
