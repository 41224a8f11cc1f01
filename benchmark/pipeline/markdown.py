"""Markdown for GitHub: text of others in it shows as itself and does nothing."""

import re
from collections.abc import Iterable, Iterator

from benchmark.isolation.protocol import harmless
from benchmark.metrics import METRICS
from benchmark.pipeline.preview import Preview, TrackPreview
from benchmark.report import SMOKE, WORDS, against_cap, would_rank

MOST_NAMED = 10
"""How many of the entries that one cannot be told apart from are named."""


def fenced(lines: Iterable[str], most: int) -> str:
    """Lines of others' text as a block of code that nothing in them can end.

    most: how many bytes of them are shown, from the first; what is cut is said below the block.
    """
    given = "\n".join(lines)
    whole = harmless(given[:most]).strip("\n").encode("utf-8", "replace")
    kept = whole if len(whole) <= most else whole[:most].rpartition(b"\n")[0] or whole[:most]
    body = kept.decode("utf-8", "ignore")
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    is_cut = len(given) > most or len(kept) < len(whole)
    cut = f"\n\nCut here: the first {len(kept)} bytes are shown." if is_cut else ""
    return f"{fence}text\n{body}\n{fence}{cut}"


def code(name: str) -> str:
    """An id or a key, whose characters are known to be harmless, as code."""
    return f"`{name}`"


def track_lines(preview: Preview, one: TrackPreview, known: Iterable[str]) -> Iterator[str]:
    """Paragraphs on one track of a valid preview: the rank it would take, and its metrics.

    known: the ids of the entries there are; others are not named. Only numbers, known ids and our own words
    are in it.
    """
    yield f"### {one.track} {one.version}"
    if one.status == "unscored":
        yield "Not scored."
        return
    if one.status == "incomplete":
        counts = ", ".join(f"{count} {status.value}" for status, count in sorted(one.failed.items()))
        failed = sum(one.failed.values())
        yield f"**{failed} of {one.cases} cases failed** ({counts}), so it would not be ranked."
        return
    yield _standing(preview, one, frozenset(known))
    yield from against_cap(one.metrics)
    yield metrics_table(one)
    yield f"{one.cases} cases, {preview.suite} suite." + (f" {SMOKE}" if preview.suite == "quick" else "")


def _standing(preview: Preview, one: TrackPreview, known: frozenset[str]) -> str:
    entry = code(preview.entry or "the entry")
    if one.rank is None:
        return f"The rank of {entry} cannot be said; the run's log says why."
    level = [code(name) for name in one.rank.level if name in known]
    if len(level) > MOST_NAMED:
        level[MOST_NAMED - 1 :] = [f"{len(level) - MOST_NAMED + 1} more"]
    low, high = one.rank.low, one.rank.high
    place = None if low is None or high is None else (low, high)
    if place is not None or one.rank.group in WORDS:
        return would_rank(entry, one.rank.group, place, one.rank.ranked, level)
    return f"{entry} would not be ranked."


def metrics_table(one: TrackPreview) -> str:
    """The metrics of a track with their intervals and directions, as a table."""
    rows = ["| metric | value | 95% interval | |", "| :-- | --: | --: | :-- |"]
    for name, value in one.metrics.items():
        metric = METRICS[name]
        ends = one.intervals.get(name)
        shown = "none" if value is None else f"{value:.3f}"
        interval = f"{ends[0]:.3f} to {ends[1]:.3f}" if ends else ""
        arrow = "higher is better" if metric.higher_is_better else "lower is better"
        rows.append(f"| {metric.title} | {shown} | {interval} | {arrow if value is not None else ''} |")
    return "\n".join(rows)
