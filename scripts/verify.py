"""Scores committed results again and tells whether the numbers reproduce."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmark.audit import load_all
from benchmark.choose import Selection, selections
from benchmark.commands import ROOT, Exit, run
from benchmark.entries import Entry, list_entries
from benchmark.errors import UsageError, raise_all
from benchmark.fingerprint import fingerprint
from benchmark.fresh import load as load_keys
from benchmark.fresh import place_of, withdrawn
from benchmark.fresh_run import fresh_run
from benchmark.isolation.launchers import Launcher, choose
from benchmark.machine import CACHE
from benchmark.report import progress, warn_of
from benchmark.results import Fresh, Result, differences, metric_differences
from benchmark.scorer import Request, score
from benchmark.seeds import generator
from benchmark.stored import write
from benchmark.text import printable
from benchmark.tracks import TRACKS
from benchmark.verified import MOST_SAID, Verification, log_of


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
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Verify the fresh scores whose key is revealed.")
    ] = False,
    log: Annotated[Path | None, typer.Option(help="File to write what was found to.")] = None,
    results: Annotated[Path, typer.Option(help="Folder of the committed results.")] = ROOT / "results",
    contrib: Annotated[Path, typer.Option(help="Folder of the entries.")] = ROOT / "contrib",
) -> None:
    """Verify committed results. Exit codes: 0 all reproduce, 1 some do not, 2 wrong use or invalid input."""
    withdrawn()
    if fresh and log is not None:
        raise UsageError("--log: expected a run on public seeds, got --fresh too; leave one of them out")
    entries = {one.id: one for one in list_entries(contrib)}
    launcher = choose(isolation)
    warn_of(launcher)
    chosen = _chosen(load_all(results), entry or [], selections(track or [], TRACKS))
    keys = _revealed(chosen, results) if fresh else {}
    if fresh:
        chosen = [result for result in chosen if result.place in keys]
    if sample is not None:
        chosen = _this_weeks(chosen, sample)
    console = Console()
    short = 0
    logged = []
    for result in chosen:
        verdict = _verify(_Rerun(result, entries.get(result.entry), keys.get(result.place)), launcher, jobs)
        console.print(printable(verdict.line), markup=False, highlight=False, soft_wrap=True)
        short += not verdict.stands
        if log is not None:
            logged.append(_verification(result, verdict))
            write(log_of(logged), log)
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
    largest: float | None = None
    """The largest difference of two numbers; None where it cannot be told."""


def _verification(result: Result, verdict: Verdict) -> Verification:
    """What the log keeps of a verdict."""
    here = fingerprint(CACHE)
    return Verification(
        entry=result.entry,
        track=result.track,
        version=result.version,
        scored_at=result.timing.scored_at,
        verified_at=datetime.now(UTC).isoformat(timespec="seconds"),
        fingerprint=here,
        same_fingerprint=result.environment.fingerprint == here,
        largest=verdict.largest,
        stands=verdict.stands,
        said=printable(verdict.line)[:MOST_SAID],
    )


@dataclass(frozen=True)
class _Rerun:
    """A result that is to be scored again."""

    result: Result
    """The result."""
    entry: Entry | None
    """Its entry as it is now; None when it is gone."""
    key: str | None
    """The key whose seeds it is scored on; None for the public ones."""


def _revealed(results: Sequence[Result], folder: Path) -> dict[Path, str]:
    """The keys of the fresh scores that can be checked, by place; names those whose key is still a secret.

    Raises UsageError when no fresh score can be checked.
    """
    found: dict[Path, str] = {}
    for result in results:
        if result.fresh is None:
            continue
        known = load_keys(place_of(folder, result.track, result.version)).of(result.fresh.key_sha256)
        if known is not None and known.key is not None:
            found[result.place] = known.key
        else:
            print(f"{_name(result)}: its key is still a secret, so its fresh score cannot be checked yet")
    if not found:
        raise UsageError("--fresh: expected a fresh score whose key is revealed, got none; verify without it")
    return found


def _name(result: Result) -> str:
    return f"{result.entry} on {result.track} {result.version}"


def _verify(rerun: _Rerun, launcher: Launcher, jobs: int) -> Verdict:
    """The verdict on one result; scores it again unless there is nothing to compare."""
    result, entry, name = rerun.result, rerun.entry, _name(rerun.result)
    if entry is None:
        return Verdict(False, f"{name}: its folder is gone from contrib/, so it cannot be scored again")
    if entry.digest != result.digests.entry:
        return Verdict(False, f"{name}: the entry has changed since it was scored; use score.py --commit")
    ((track, version),) = selections([f"{result.track}@{result.version}"], TRACKS)
    request = Request(entry, track, version, launcher, jobs=jobs)
    with progress(Console(stderr=True), name) as told:
        if rerun.key is not None and result.fresh is not None:
            again = fresh_run(request, rerun.key, told).fresh
            return _compared_fresh(f"{name}, fresh seeds", result.fresh, again, track.tolerance)
        return _compared(name, result, score(request, told).result, track.tolerance)


def _compared(name: str, old: Result, new: Result, tolerance: float) -> Verdict:
    found = list(differences(old, new))
    if old.digests.suite != new.digests.suite:
        return Verdict(False, f"{name}: the data differ from those it was scored on; use score.py --commit")
    before, after = old.environment.fingerprint, new.environment.fingerprint
    if not found and old.digests.gallery != new.digests.gallery:
        same = old.environment.isa == new.environment.isa if before is None else before == after
        return Verdict(
            not same, f"{name}: the numbers are exactly the same, the gallery's pictures are not", 0.0
        )
    return _measured(name, found, tolerance, _bound(before, after))


def _compared_fresh(name: str, old: Fresh, new: Fresh, tolerance: float) -> Verdict:
    bound = _bound(old.fingerprint, new.fingerprint)
    return _measured(name, list(metric_differences(old, new)), tolerance, bound)


class _Bound(StrEnum):
    """How closely two results must agree, with the reason."""

    EXACT = "the same numeric fingerprint"
    OTHER = "another numeric fingerprint"
    UNKNOWN = "scored before fingerprints were kept"


def _bound(old: str | None, new: str | None) -> _Bound:
    """How closely results from machines with these fingerprints must agree."""
    if old is None or new is None:
        return _Bound.UNKNOWN
    return _Bound.EXACT if old == new else _Bound.OTHER


def _measured(name: str, found: Sequence[tuple[str, float]], tolerance: float, bound: _Bound) -> Verdict:
    """The verdict on differences: none may be there under the same fingerprint, small ones elsewhere."""
    if not found:
        return Verdict(True, f"{name}: exactly the same ({bound.value})", 0.0)
    where, size = max(found, key=lambda pair: pair[1])
    much = "another outcome" if math.isinf(size) else f"a difference of {size:.3g}"
    if bound is _Bound.EXACT:
        stands, limit = False, "where all must be exactly the same"
    else:
        stands = size <= tolerance
        limit = f"{'within' if stands else 'beyond'} the tolerance {tolerance:g}"
    line = f"{name}: {len(found)} numbers differ, {where} most with {much}, {limit} ({bound.value})"
    return Verdict(stands, line, None if math.isinf(size) else size)


if __name__ == "__main__":
    run(main)
