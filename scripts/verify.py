"""Scores committed results again and tells whether the numbers reproduce."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmark.audit import load_all
from benchmark.choose import Selection, selections
from benchmark.commands import ROOT, Exit, run
from benchmark.entries import Entry, list_entries
from benchmark.errors import UsageError, raise_all
from benchmark.isolation.launchers import Launcher, choose
from benchmark.report import progress, warn_of
from benchmark.results import Result, differences
from benchmark.scorer import Request, score
from benchmark.seeds import generator
from benchmark.text import printable
from benchmark.tracks import TRACKS


def main(
    entry: Annotated[list[str] | None, typer.Argument(help="Entries to verify; by default all.")] = None,
    track: Annotated[
        list[str] | None,
        typer.Option(help="Track to verify, KEY or KEY@VERSION; by default every version of every track."),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Verify only so many results, others each week.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Cases run at a time.")] = 2,
    isolation: Annotated[str, typer.Option(help="auto, bwrap or process.")] = "auto",
    results: Annotated[Path, typer.Option(help="Folder of the committed results.")] = ROOT / "results",
    contrib: Annotated[Path, typer.Option(help="Folder of the entries.")] = ROOT / "contrib",
) -> None:
    """Verify committed results. Exit codes: 0 all reproduce, 1 some do not, 2 wrong use or invalid input."""
    entries = {one.id: one for one in list_entries(contrib)}
    launcher = choose(isolation)
    warn_of(launcher)
    chosen = _chosen(load_all(results), entry or [], selections(track or [], TRACKS))
    if sample is not None:
        chosen = _this_weeks(chosen, sample)
    console = Console()
    short = 0
    for result in chosen:
        verdict = _verify(result, entries.get(result.entry), launcher, jobs)
        console.print(printable(verdict.line), markup=False, highlight=False, soft_wrap=True)
        short += not verdict.stands
    console.print(f"{len(chosen) - short} of {len(chosen)} results reproduce", highlight=False)
    raise SystemExit(Exit.SHORT if short else Exit.FINE)


def _chosen(results: Sequence[Result], names: Sequence[str], tracks: Sequence[Selection]) -> list[Result]:
    """The results of the named entries and tracks. Raises UsageError for a name without a result."""
    pairs = {(track.key, version.number) for track, version in tracks}
    found = [
        result
        for result in results
        if (not names or result.entry in names) and (not pairs or (result.track, result.version) in pairs)
    ]
    raise_all(
        UsageError,
        (
            f"{name}: expected an entry with a committed result, got none that fits; see results/"
            for name in names
            if name not in {result.entry for result in found}
        ),
    )
    if not found:
        raise UsageError("results: expected one that fits, got none; see --results and --track")
    return found


def _this_weeks(results: Sequence[Result], count: int) -> list[Result]:
    """`count` of the results: the same all week, others the next."""
    year, week, _ = datetime.now(UTC).isocalendar()
    order = generator("verify sample", year, week).permutation(len(results))
    return [results[i] for i in sorted(order[:count])]


@dataclass(frozen=True)
class Verdict:
    """What scoring again gave."""

    stands: bool
    """Whether the committed result reproduces."""
    line: str
    """What was found, in one line."""


def _verify(result: Result, entry: Entry | None, launcher: Launcher, jobs: int) -> Verdict:
    """The verdict on one result; scores it again unless there is nothing to compare."""
    name = f"{result.entry} on {result.track} {result.version}"
    if entry is None:
        return Verdict(False, f"{name}: its folder is gone from contrib/, so it cannot be scored again")
    if entry.digest != result.digests.entry:
        return Verdict(False, f"{name}: the entry has changed since it was scored; use score.py --commit")
    ((track, version),) = selections([f"{result.track}@{result.version}"], TRACKS)
    request = Request(entry, track, version, launcher, jobs=jobs)
    with progress(Console(stderr=True), name) as told:
        again = score(request, told).result
    return _compared(name, result, again, track.tolerance)


def _compared(name: str, old: Result, new: Result, tolerance: float) -> Verdict:
    found = list(differences(old, new))
    if old.digests.suite != new.digests.suite:
        return Verdict(False, f"{name}: the data differ from those it was scored on; use score.py --commit")
    if not found and old.digests.gallery != new.digests.gallery:
        stands = old.environment.isa != new.environment.isa
        return Verdict(stands, f"{name}: the numbers are exactly the same, the gallery's pictures are not")
    if not found:
        return Verdict(True, f"{name}: exactly the same")
    where, size = max(found, key=lambda pair: pair[1])
    much = "another outcome" if math.isinf(size) else f"a difference of {size:.3g}"
    stands = size <= tolerance
    side = "within" if stands else "beyond"
    return Verdict(
        stands,
        f"{name}: {len(found)} numbers differ, {where} most with {much}, {side} the tolerance {tolerance:g}",
    )


if __name__ == "__main__":
    run(main)
