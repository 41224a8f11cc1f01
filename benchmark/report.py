"""What a command tells its user: progress, tables of metrics, and the rank a result would take."""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table

from benchmark.audit import load_all
from benchmark.determinism import unsteady
from benchmark.entries import list_entries
from benchmark.errors import LeaderboardError
from benchmark.gaps import BEYOND, gaps
from benchmark.isolation.bubblewrap import bwrap_fault
from benchmark.isolation.launchers import Launcher
from benchmark.metrics import METRICS
from benchmark.ranking import RANKED, Group, Standings, standings
from benchmark.records import Outcome, Progress, Status
from benchmark.results import Result
from benchmark.scorer import Request, Scored
from benchmark.tracks.detection import MAX_FLAG_FPR

PLAIN_LINES = 10
"""How many lines of progress a run prints where there is no terminal."""
SHOWN_REASONS = 5
"""How many reasons for failure are listed."""
SHOWN_LINES = 15
"""How many lines of what a failed case printed are shown, the last ones."""

SMOKE = "The quick suite is a smoke test: its ranks say little."
"""What is said of a rank on the quick suite."""
WORDS = {
    Group.CALIBRATED: f"calibrated flag (fires on at most {MAX_FLAG_FPR:.0%} of nulls)",
    Group.NO_FLAG: "no flag",
    Group.OVERFIRING: f"flag fires on more than {MAX_FLAG_FPR:.0%} of nulls",
    Group.CONTROL: "control: shown, not ranked",
    Group.DEGENERATE: "degenerate: not ranked",
    Group.INCOMPLETE: "incomplete: not ranked",
}
"""What a group is called in a sentence; the group of a track without flags needs no word."""


def warn_of(launcher: Launcher) -> None:
    """Says on standard error, before anything runs, what of this machine is open to the entry."""
    if not launcher.protects:
        fault = bwrap_fault()
        why = f" bwrap: {fault}." if fault else ""
        print(
            f"Isolation: {launcher.name} does not protect this machine from the entry.{why}", file=sys.stderr
        )
    elif launcher.weakness:
        print(f"Isolation: {launcher.name} has {launcher.weakness}.", file=sys.stderr)


@contextmanager
def progress(console: Console, title: str) -> Iterator[Progress]:
    """A progress callback: a bar with the time left on a terminal, ten plain lines elsewhere."""
    if not console.is_terminal:
        yield _PlainProgress(console, title)
        return
    columns = (
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[now]}"),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=None, now="starting the entry")

        def advance(outcome: Outcome, done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, now=_now(outcome))

        yield advance


class _PlainProgress:
    """Progress as plain lines."""

    def __init__(self, console: Console, title: str) -> None:
        self.console = console
        self.title = title
        self.started = time.monotonic()

    def __call__(self, outcome: Outcome, done: int, total: int) -> None:
        if done != total and done * PLAIN_LINES // total == (done - 1) * PLAIN_LINES // total:
            return
        left = (time.monotonic() - self.started) / done * (total - done)
        self.console.print(
            f"{self.title}: {done} of {total} cases, {_now(outcome)}, about {left:.0f} s left",
            highlight=False,
            markup=False,
            emoji=False,
            soft_wrap=True,
        )


def _now(outcome: Outcome) -> str:
    state = "" if outcome.status is Status.OK else f" ({outcome.status.value})"
    return f"{outcome.key.variant} {outcome.key.strength:g}{state}"


def metrics_table(result: Result) -> Table:
    """The metrics of a result with their intervals and directions."""
    table = Table(
        title=f"{result.entry} on {result.track} {result.version} ({_cases(result)})", title_justify="left"
    )
    for heading, side in (("metric", "left"), ("value", "right"), ("95% interval", "right"), ("", "left")):
        table.add_column(heading, justify="right" if side == "right" else "left")
    for name, value in result.metrics.items():
        metric = METRICS[name]
        arrow = "higher is better" if metric.higher_is_better else "lower is better"
        if value is None:
            table.add_row(name, "none", "", result.reasons[name])
        else:
            ends = result.intervals.get(name)
            shown = f"{ends[0]:.3f} to {ends[1]:.3f}" if ends else "none of so few"
            table.add_row(name, f"{value:.3f}", shown, arrow)
    return table


def _cases(result: Result) -> str:
    count = len(result.details.per_dataset)
    offset = f", seed offset {result.seed_offset}" if result.seed_offset else ""
    return f"{count} cases, {result.suite} suite{offset}"


@dataclass(frozen=True)
class Rank:
    """Where a result would stand in its table."""

    group: Group
    """The group it would stand in."""
    low: int | None
    """The best rank it may have; None when it would not be ranked."""
    high: int | None
    """The worst rank it may have; None when it would not be ranked."""
    ranked: int
    """How many rows would be ranked, itself among them."""
    level: tuple[str, ...]
    """The entries of its group it cannot be told apart from."""
    sentence: str
    """All of it in a sentence."""


def rank(table: Standings, entry: str) -> Rank:
    """Where `entry`, which `table` holds, stands."""
    row = table.row(entry)
    ranked = sum(other.group in RANKED for other in table.rows)
    level = table.level_with(entry) if row.rank else ()
    sentence = f"{would_rank(entry, row.group, row.rank, ranked, level)} {row.note if not row.rank else ''}"
    low, high = row.rank or (None, None)
    return Rank(row.group, low, high, ranked, level, sentence.strip())


def would_rank(
    entry: str, group: Group, place: tuple[int, int] | None, ranked: int, level: Sequence[str]
) -> str:
    """Where an entry would stand, in a sentence.

    place: best and worst rank, None when it would not be ranked. ranked: how many rows would be. level: whom
    it cannot be told apart from.
    """
    if place is None:
        return f"{entry} would not be ranked ({WORDS[group]})."
    low, high = place
    span = f"{low}" if low == high else f"{low} to {high}"
    within = f", group: {WORDS[group]}" if group in WORDS else ""
    beside = f". It cannot be told apart from {_listed(level)}" if level else ""
    return f"{entry} would rank {span} of {ranked}{within}{beside}."


def rank_among(request: Request, result: Result, root: Path) -> Rank | str:
    """Where a result of `request` would stand among those committed, or why that cannot be said.

    root: the folder that holds results/ and contrib/.
    """
    if request.offset:
        return "No rank: the committed results are on the public seeds."
    try:
        committed, entries = load_all(root / "results"), list_entries(root / "contrib")
    except LeaderboardError as error:
        return f"No rank, as scripts/check.py finds {len(error.faults)} faults; the first: {error.faults[0]}"
    others = [other for other in committed if other.entry != result.entry]
    known = [other for other in entries if other.id != request.entry.id]
    table = standings(
        request.track, request.version, [*others, result], [*known, request.entry], request.suite
    )
    return rank(table, result.entry)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def notes(scored: Scored, standing: Rank | str) -> Iterator[str]:
    """Lines on what lies behind a result: what failed, what was unsteady, and where it would stand."""
    yield from failures(scored.outcomes)
    yield from unsteady(scored.repeats)
    yield from against_cap(scored.result.metrics)
    yield standing if isinstance(standing, str) else standing.sentence
    if scored.result.suite == "quick" and scored.result.status == "complete":
        yield SMOKE


def failures(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Lines on the failed cases: how many, and for each reason the first case and what it printed."""
    failed = [outcome for outcome in outcomes if outcome.status is not Status.OK]
    if not failed:
        return
    yield f"{len(failed)} of {len(outcomes)} cases failed, so the entry is incomplete and has no metrics:"
    alike: dict[tuple[Status, str | None], list[Outcome]] = {}
    for outcome in failed:
        alike.setdefault((outcome.status, outcome.reason), []).append(outcome)
    for (status, reason), cases in list(alike.items())[:SHOWN_REASONS]:
        more = f" and {len(cases) - 1} more" if len(cases) > 1 else ""
        yield f"  {cases[0].key.id}{more}: {status.value}: {reason}"
        for line in cases[0].output.splitlines()[-SHOWN_LINES:]:
            yield f"    it printed: {line}"
    if len(alike) > SHOWN_REASONS:
        yield f"  and {len(alike) - SHOWN_REASONS} further reasons, all in the result's rows"


def against_cap(metrics: Mapping[str, float | None]) -> Iterator[str]:
    """A line on the flag's FPR against the cap; none without a flag."""
    fpr = metrics.get("fpr")
    if fpr is not None:
        side = "within" if fpr <= MAX_FLAG_FPR else "above"
        yield f"The flag fires on {fpr:.1%} of the null cases, {side} the cap of {MAX_FLAG_FPR:.0%}."


def gap_lines(result: Result) -> Iterator[str]:
    """Lines on each metric's gap, above 0 where public seeds did better; none without a fresh score."""
    for gap in gaps(result):
        mark = f": beyond {BEYOND:g} standard errors" if gap.marked else ""
        yield (
            f"{gap.metric}: public {gap.public:.3f}, fresh {gap.fresh:.3f}, gap {gap.difference:+.3f} "
            f"± {gap.standard_error:.3f}{mark}"
        )
