"""The cases of a result as a table, with the columns that the track's version has figures for."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from markupsafe import Markup

from benchmark.pages.axis import number, seconds
from benchmark.pages.escape import neutral
from benchmark.ranking import Standings
from benchmark.records import Status
from benchmark.results import Result, Row
from benchmark.tracks.figures import FIGURES, CaseFigure
from benchmark.tracks.spec import Version

BLANK = "–"
"""What a cell without a value shows."""


@dataclass(frozen=True)
class CaseColumn:
    """A column of a table of cases."""

    title: str
    """Its heading."""
    about: str
    """What it says, in one sentence; empty where the heading says it all."""
    numeric: bool
    """Whether it holds numbers."""


@dataclass(frozen=True)
class CaseCell:
    """A cell of a table of cases."""

    text: str
    """What it shows."""
    value: float | str
    """What it is sorted by; empty where it has no value."""
    numeric: bool
    """Whether its column holds numbers."""

    @property
    def sorts_as_shown(self) -> bool:
        """Whether what is shown is enough to sort by."""
        signed = self.text.startswith("\N{MINUS SIGN}")
        return self.value == self.text or (self.numeric and self.value != "" and not signed)


@dataclass(frozen=True)
class CaseTable:
    """Cases, a row each."""

    columns: tuple[CaseColumn, ...]
    """The columns; the first one names the case."""
    rows: tuple[tuple[CaseCell, ...], ...]
    """A cell for each column."""

    @property
    def body(self) -> Markup:
        """The rows as HTML, without the end tags that HTML can do without, as there may be thousands."""
        return Markup("".join(f'<tr><th scope="row">{_row_html(row)}\n' for row in self.rows))


def _row_html(row: tuple[CaseCell, ...]) -> str:
    first, *others = row
    return "".join((neutral(first.text), *map(_cell_html, others)))


def _cell_html(cell: CaseCell) -> str:
    kind = ' class="lb-number"' if cell.numeric else ""
    value = "" if cell.sorts_as_shown else f' data-v="{neutral(cell.value)}"'
    return f"<td{kind}{value}>{neutral(cell.text)}"


CASE = CaseColumn("Case", "", numeric=False)
KIND = CaseColumn("Kind", "What the case is in truth.", numeric=False)
SCORE = CaseColumn("Score", "The entry’s score; higher means more shortcut.", numeric=True)
FLAG = CaseColumn("Flag", "Whether the entry’s flag fired.", numeric=False)
SECONDS = CaseColumn("Seconds", "Wall time of the entry’s calls.", numeric=True)
STATUS = CaseColumn("Status", "How the case went.", numeric=False)


def result_cases(result: Result, version: Version) -> CaseTable:
    """All that a result holds of its cases: truth first, then the answers, time and status."""
    asked = (*version.answers, *version.optional)
    kinds = _kinds_differ(version)
    columns = [CASE, *([KIND] if kinds else []), *(_column(name) for name in version.truth)]
    columns += [_column(name) for name in asked]
    rows = tuple(
        (
            *_named(row, kinds),
            *(_cell(row, name) for name in (*version.truth, *asked)),
            _seconds(result.timing.per_case.get(row.case)),
            _text(f"{row.status.value}: {row.reason}" if row.reason else row.status.value),
        )
        for row in result.details.per_dataset
    )
    return CaseTable((*columns, SECONDS, STATUS), rows)


def measured_cases(table: Standings) -> CaseTable:
    """The truth measured on each case, from the results there are; without rows where there is none."""
    version = table.version
    found = measured(table)
    strength = CaseColumn(table.track.strength_symbol, "The case’s strength.", numeric=True)
    columns = (CASE, strength, KIND, *(_column(name) for name in version.truth))
    rows = tuple(
        (
            _text(row.case),
            CaseCell(f"{row.strength:g}", row.strength, numeric=True),
            _text(row.kind.value),
            *(_cell(row, name) for name in version.truth),
        )
        for row in found.values()
    )
    return CaseTable(columns, rows)


def measured(table: Standings) -> dict[str, Row]:
    """A row with the truth of each case, by case id in suite order; fresh results go before stale ones."""
    version = table.version
    results = [row.result for row in sorted(table.rows, key=lambda row: row.stale) if row.result]
    held: dict[str, Row] = {}
    for result in results if version.truth else ():
        for row in result.details.per_dataset:
            if row.status is Status.OK:
                held.setdefault(row.case, row)
    return {key.id: held[key.id] for key in version.keys() if key.id in held}


def measured_counts(table: Standings) -> tuple[str, ...]:
    """How many cases are of each kind, and how many have what a figure answers with yes, in words."""
    rows = list(measured(table).values())
    kinds = Counter(row.kind.value for row in rows)
    asked = [name for name in table.version.truth if FIGURES[name].words == ("no", "yes")]
    return (
        *(f"{kind}: {count}" for kind, count in kinds.items()),
        *(f"{FIGURES[n].title.lower()}: {sum(_figures(row)[n] == 1 for row in rows)}" for n in asked),
    )


def _kinds_differ(version: Version) -> bool:
    """Whether the cases of a version are of more than one kind."""
    return version.kind_of is not None or len({cell.kind for cell in version.cells}) > 1


def _column(name: str) -> CaseColumn:
    if name in ("score", "flag"):
        return SCORE if name == "score" else FLAG
    figure = FIGURES[name]
    return CaseColumn(figure.title, figure.about, numeric=not figure.words)


def _named(row: Row, kinds: bool) -> Iterator[CaseCell]:
    yield _text(row.case)
    if kinds:
        yield _text(row.kind.value)


def _cell(row: Row, name: str) -> CaseCell:
    if name == "flag":
        return _blank(False) if row.flag is None else _fired(row.flag)
    if name == "score":
        return _blank(True) if row.score is None else CaseCell(f"{row.score:.4g}", row.score, numeric=True)
    value = _figures(row).get(name)
    figure = FIGURES[name]
    if value is None:
        return _blank(not figure.words)
    return CaseCell(figure_text(figure, value), value, numeric=not figure.words)


@cache
def _fired(flag: bool) -> CaseCell:
    return CaseCell("fired" if flag else "quiet", int(flag), numeric=False)


def figure_text(figure: CaseFigure, value: float) -> str:
    """The value of a per-case figure as a reader sees it."""
    return figure.words[int(value)] if figure.words else number(value, figure.digits)


def _figures(row: Row) -> Mapping[str, float]:
    return row.__pydantic_extra__


@lru_cache(maxsize=1 << 14)
def _text(text: str) -> CaseCell:
    return CaseCell(text, text, numeric=False)


def _seconds(value: float | None) -> CaseCell:
    return _blank(True) if value is None else CaseCell(seconds(value), value, numeric=True)


@cache
def _blank(numeric: bool) -> CaseCell:
    return CaseCell(BLANK, "", numeric)
