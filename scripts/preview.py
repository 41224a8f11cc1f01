"""Scores an entry for its pull request, and writes the numbers for the comment and a summary for people."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmark.choose import selections
from benchmark.commands import CORES, ROOT, Exit, complain, run
from benchmark.determinism import REPEATS, unsteady
from benchmark.entries import ID, Entry, cautions, entry_folders, read_entry
from benchmark.entry_files import REQUIREMENTS
from benchmark.errors import EntryError, LaboratoryError
from benchmark.fresh import withdrawn
from benchmark.isolation.launchers import choose
from benchmark.isolation.protocol import harmless
from benchmark.pipeline.preview import Preview, TrackPreview, of_scored, unscored
from benchmark.pipeline.summary import Findings, save
from benchmark.ranking import Group
from benchmark.report import Rank, failures, metrics_table, notes, progress, rank_among, warn_of
from benchmark.requirements import conflicts
from benchmark.results import Suite
from benchmark.scorer import Request, score
from benchmark.storage import usable
from benchmark.text import printable


def main(
    entry_dir: Annotated[Path, typer.Argument(help="The entry's folder, as scripts/gate.py wrote it.")],
    output: Annotated[Path, typer.Option(help="Folder for preview.json and summary.md.")],
    jobs: Annotated[int, typer.Option(min=1, help="Cases run at a time.")] = CORES,
    isolation: Annotated[
        str, typer.Option(help="auto, bwrap or process; process does not protect this machine.")
    ] = "bwrap",
    quick: Annotated[bool, typer.Option("--quick", help="Run a few cases only.")] = False,
) -> None:
    """Preview an entry. Exit codes: 0 every case went well, 1 a fault or a failure, 2 wrong use."""
    withdrawn()
    launcher = choose(isolation)
    usable(output)
    suite: Suite = "quick" if quick else "full"
    known = [folder.name for folder in entry_folders(ROOT / "contrib")]
    try:
        entry = _checked(entry_dir)
    except EntryError as error:
        complain(map(harmless, error.faults))
        save(_faulty(entry_dir, suite, _placed(error.faults, entry_dir)), output, known)
        raise SystemExit(Exit.SHORT) from None
    warn_of(launcher)
    pairs = selections(entry.tracks, entry.tracks)
    requests = [
        Request(entry, track, version, launcher, suite, jobs=jobs, repeats=REPEATS[suite])
        for track, version in pairs
    ]
    waiting = Preview(
        schema=1, entry=entry.id, suite=suite, faults=0, tracks=[unscored(*pair) for pair in pairs]
    )
    findings = Findings(waiting, cautions=_placed(cautions(entry_dir), entry_dir))
    save(findings, output, known)
    for request in requests:
        findings = _with(findings, *_scored(request))
        save(findings, output, known)
    raise SystemExit(Exit.FINE if findings.preview.complete else Exit.SHORT)


def _checked(folder: Path) -> Entry:
    """The entry in `folder`. Raises EntryError with all its faults."""
    entry = read_entry(folder)
    conflicts(folder / REQUIREMENTS)
    return entry


def _placed(lines: Iterable[str], folder: Path) -> list[str]:
    """Lines on an entry's files as its author knows them: in contrib/, wherever the folder lies here."""
    return [line.replace(f"{folder.as_posix()}", f"contrib/{folder.absolute().name}") for line in lines]


def _faulty(folder: Path, suite: Suite, faults: Sequence[str]) -> Findings:
    """What there is to say of an entry that is not valid."""
    name = folder.absolute().name
    entry = name if ID.fullmatch(name) else None
    return Findings(Preview(schema=1, entry=entry, suite=suite, faults=len(faults), tracks=[]), faults)


def _scored(request: Request) -> tuple[TrackPreview, list[str]]:
    """The numbers on one track, and lines on what lies behind them; both told on the way."""
    title = f"{request.entry.id} on {request.track.key} {request.version.number}"
    console = Console()
    try:
        with progress(Console(stderr=True), title) as told:
            scored = score(request, told)
    except (EntryError, LaboratoryError) as error:
        complain(map(harmless, error.faults))
        return unscored(request.track, request.version), list(error.faults)
    standing = rank_among(request, scored.result, ROOT)
    console.print(metrics_table(scored.result))
    for line in notes(scored, standing):
        console.print(harmless(printable(line)), markup=False, highlight=False, soft_wrap=True)
    sys.stdout.flush()
    return of_scored(scored, standing), [
        *failures(scored.outcomes),
        *unsteady(scored.repeats),
        *_why(standing),
    ]


def _why(standing: Rank | str) -> Iterator[str]:
    """Why it has no rank, in a line, where neither its group nor its failures say so."""
    if isinstance(standing, str):
        yield standing
    elif standing.group is Group.DEGENERATE:
        yield standing.sentence


def _with(findings: Findings, one: TrackPreview, lines: list[str]) -> Findings:
    """The findings with one track scored."""
    tracks = [one if old.track == one.track else old for old in findings.preview.tracks]
    preview = findings.preview.model_copy(update={"tracks": tracks})
    return replace(findings, preview=preview, notes={**findings.notes, one.track: lines})


if __name__ == "__main__":
    run(main)
