"""The page of an entry."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import jinja2

from benchmark.fresh import Commitment
from benchmark.gaps import Gap, gap
from benchmark.metrics import METRICS
from benchmark.pages.axis import Axis, rank_text
from benchmark.pages.case_map import CaseMap, case_map
from benchmark.pages.case_table import CaseTable, result_cases
from benchmark.pages.citation import NO_ADDRESS, Citation, badges_of, row_bibtex
from benchmark.pages.compare_data import can_be_compared
from benchmark.pages.entry_history import Past, history
from benchmark.pages.gallery_page import Choices, choices
from benchmark.pages.gather import Board, Face, TrackBoard
from benchmark.pages.metadata import served_at
from benchmark.pages.render import Page
from benchmark.pages.shots import HIT, MISS, Reel, reel_of
from benchmark.pages.svg import Strip, strip
from benchmark.pages.tables import HEADINGS, remarks, seconds_per_case
from benchmark.ranking import RANKED, Standing, Standings
from benchmark.records import Status
from benchmark.results import Result, Row
from benchmark.verified import Verification

MOST_NAMED = 20
"""How many entries a sentence names at most."""


@dataclass(frozen=True)
class Figure:
    """A metric of a result."""

    title: str
    """Its name."""
    up: bool
    """Whether higher is better."""
    value: float | None
    """The value; None where there is none."""
    interval: tuple[float, float] | None
    """Its 95% interval."""
    axis: Axis
    """What its interval is drawn on."""
    reason: str
    """Why it has no value; empty when it has one."""


@dataclass(frozen=True)
class FreshFigure:
    """A metric of a result on fresh seeds, beside the one on public seeds."""

    title: str
    """Its name."""
    gap: Gap | None
    """Both values and how far they are apart; None where one of them is missing."""
    reason: str
    """Why it has no value on fresh seeds; empty when it has one."""


@dataclass(frozen=True)
class Section:
    """An entry on one version of a track."""

    standings: Standings
    """The table it stands in."""
    row: Standing
    """Its row there."""
    place: str
    """Where it stands, in a sentence."""
    remarks: tuple[str, ...]
    """What to know before trusting its numbers, a few words each."""
    figures: tuple[Figure, ...]
    """The metrics of its result."""
    strip: Strip
    """All entries, this one chosen."""
    map: CaseMap | None
    """Its cases by what ranks it; None without such values."""
    cases: CaseTable | None
    """All its cases; None without a result."""
    reel: Reel | None
    """Its pictures; None where it has none."""
    failed: tuple[Row, ...]
    """The cases that failed."""
    seconds: float | None
    """Mean time of its calls for a case."""
    fresh: tuple[FreshFigure, ...]
    """Its metrics on fresh seeds; none where it was not scored on them."""
    key: Commitment | None
    """The key that made those seeds."""
    old_key: bool
    """Whether new fresh scores are made with another one."""
    verified: Verification | None
    """When its result was last scored again; None when it was not."""
    neighbors: tuple[Face, ...]
    """The entries it cannot be told apart from and can be compared with."""

    @property
    def comparable(self) -> bool:
        """Whether it can be compared with the other entries of the table."""
        return can_be_compared(self.row)

    @property
    def choices(self) -> Choices:
        """What its own hits and misses can be narrowed to."""
        return choices(self.reel.of(HIT, MISS) if self.reel else ())

    @property
    def ranges(self) -> str:
        """From where to where the bars of its metrics run, in words."""
        spans = {
            figure.title: f"{_short(figure.axis.low)} to {_short(figure.axis.high)}"
            for figure in self.figures
        }
        common = Counter(spans.values()).most_common(1)[0][0]
        others = [f"{span} for {title}" for title, span in spans.items() if span != common]
        return _listed([f"from {common}", *others]) if others else f"from {common}"


@dataclass(frozen=True)
class TrackSection:
    """An entry on a track."""

    current: Section
    """Under the current version."""
    history: tuple[Past, ...]
    """Its results under all versions, newest first."""


def entry_page(board: Board, face: Face, templates: jinja2.Environment, citation: Citation) -> Page:
    """The page of the entry that `face` names, out of the search index; citation: of the whole site."""
    entry, base = board.entries.get(face.id), served_at()
    body = templates.get_template("entry.md.j2").render(
        entry=entry,
        face=face,
        faces=board.faces,
        up="../",
        cite=row_bibtex(citation, board, face, base),
        badges=badges_of(board, face, base),
        no_address="" if base else NO_ADDRESS,
        tracks=[section for found in board.tracks if (section := _track_section(board, found, face))],
    )
    about = entry.summary if entry else f"Results of {face.id}."
    return Page(f"entries/{face.id}.md", face.title, about, body, wide=True, searched=False)


def _track_section(board: Board, found: TrackBoard, face: Face) -> TrackSection | None:
    held = [(table, table.by_entry.get(face.id)) for table in found.all]
    sections = [_section(board, table, row) for table, row in held if row is not None]
    past = history(found, face.id, board.entries.get(face.id))
    return TrackSection(sections[0], past) if sections else None


def _section(board: Board, table: Standings, row: Standing) -> Section:
    rows = row.result.details.per_dataset if row.result else []
    key = board.key_of(row.result)
    return Section(
        standings=table,
        row=row,
        place=_place(table, row, board.faces),
        remarks=tuple(remarks(row, table.version.ranking)),
        figures=tuple(_figure(row.result, name) for name in table.version.metrics if row.result),
        strip=strip(table, board.faces, chosen=row.entry),
        map=case_map(rows, table),
        cases=result_cases(row.result, table.version) if row.result else None,
        reel=reel_of(board, row),
        failed=tuple(held for held in rows if held.status is not Status.OK),
        seconds=seconds_per_case(row.result),
        fresh=tuple(_fresh_figures(row.result, table.version.metrics)),
        key=key,
        old_key=key is not board.key(table),
        verified=board.verification(row.result),
        neighbors=tuple(_neighbors(table, row, board.faces)),
    )


def _neighbors(table: Standings, row: Standing, faces: Mapping[str, Face]) -> Iterator[Face]:
    if row.rank is not None and can_be_compared(row):
        level = (table.row(name) for name in table.level_with(row.entry))
        yield from (faces[other.entry] for other in level if can_be_compared(other))


def _fresh_figures(result: Result | None, names: Sequence[str]) -> Iterator[FreshFigure]:
    if result is not None and result.fresh is not None:
        for name in names:
            reason = result.fresh.reasons.get(name) or result.reasons.get(name, "")
            yield FreshFigure(METRICS[name].title, gap(result, name), reason)


def _figure(result: Result | None, name: str) -> Figure:
    assert result is not None
    metric = METRICS[name]
    value, interval = result.metrics.get(name), result.intervals.get(name)
    return Figure(
        title=metric.title,
        up=metric.higher_is_better,
        value=value,
        interval=interval,
        axis=Axis(metric.low, metric.high, metric.chance),
        reason=result.reasons.get(name, ""),
    )


def _place(table: Standings, row: Standing, faces: Mapping[str, Face]) -> str:
    """Where a row stands, in a sentence or two."""
    if row.rank is None:
        return row.note or f"{HEADINGS[row.group]}."
    ranked = sum(other.group in RANKED for other in table.rows)
    group = f", in the group “{HEADINGS[row.group]}”" if HEADINGS[row.group] else ""
    rank = f"Rank {rank_text(row.rank)} of {ranked}{group}."
    level = [faces[name].title for name in table.level_with(row.entry)]
    return f"{rank} It cannot be told apart from {_listed(level)}." if level else rank


def _short(value: float) -> str:
    """A value with as many decimals as it needs."""
    return f"{value:g}".replace("-", "\N{MINUS SIGN}")


def _listed(names: list[str]) -> str:
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
