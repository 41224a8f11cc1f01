"""What is made fast for many entries gives what the plain way gives."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark import ranking
from benchmark.pages import case_map
from benchmark.pages.axis import SHADES, shade_at
from benchmark.pages.case_table import CaseCell, CaseTable
from benchmark.pages.escape import visible
from benchmark.pages.figures import SCHEMES, in_schemes
from benchmark.pages.gather import Face
from benchmark.pages.svg import MOST, strip
from benchmark.pages.tables import FIRST_ROWS, main_table
from benchmark.ranking import Group, Standing, Standings
from benchmark.records import BoolArray, FloatArray
from benchmark.stored import _hides_nothing, _hiding
from benchmark.summary import _labels
from tests.builders import CURRENT, TRACK, outcomes
from tests.builders_site import Made, answers

STYLE = Path(__file__).resolve().parents[1] / "site" / "assets" / "leaderboard.css"
TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from("\n\t\\\u200b\u202e\u00a0\u00ad"), max_size=12)


def beyond_chance(draws: FloatArray) -> BoolArray:
    """Every pair counted out: i above j in all but 2.5% of the resamples."""
    found = np.zeros((len(draws), len(draws)), dtype=np.bool_)
    for i, one in enumerate(draws):
        for j, other in enumerate(draws):
            found[i, j] = (~(one > other)).sum() <= 0.025 * draws.shape[1]
    return found


@pytest.mark.parametrize("size", [1, 2, 40, 41, 200, 2000])
@pytest.mark.parametrize("count", [1, 2, 31, 70])
def test_pairs_that_are_told_apart_are_those_of_every_pair_counted(count: int, size: int) -> None:
    random = np.random.default_rng(count * size)
    shared, skill = random.normal(size=size), random.normal(size=(count, 1))
    draws = np.round(shared + 1.2 * skill + 0.5 * random.normal(size=(count, size)), 1)
    draws[::5][random.random(draws[::5].shape) < 0.02] = np.nan
    draws[7:8] = np.nan
    assert np.array_equal(ranking._beyond_chance(draws), beyond_chance(draws))


def marked(rows: list[Standing], told: set[tuple[str, str]]) -> list[str]:
    """The letters by looking at every pair of every run."""

    def level(one: Standing, other: Standing) -> bool:
        return one.group is other.group and not {(one.entry, other.entry), (other.entry, one.entry)} & told

    ends = []
    for start in range(len(rows)):
        stop = start + 1
        while stop < len(rows) and all(level(row, rows[stop]) for row in rows[start:stop]):
            stop += 1
        ends.append(stop)
    runs = [(s, e) for s, e in enumerate(ends) if e - s > 1 and e > max([0, *ends[:s]])]
    return [
        "".join(ranking._letter(n) for n, (start, stop) in enumerate(runs) if start <= place < stop)
        for place in range(len(rows))
    ]


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_marked_as_by_looking_at_every_pair(seed: int) -> None:
    random = np.random.default_rng(seed)
    groups = sorted(random.integers(0, 3, 40).tolist())
    rows = [Standing(f"e{n}", ranking.RANKED[group]) for n, group in enumerate(groups)]
    told = {
        (rows[i].entry, rows[j].entry)
        for i in range(40)
        for j in range(i)
        if groups[i] == groups[j] and random.random() < abs(i - j) / 15
    }
    assert [row.mark for row in ranking._marked(rows, told)] == marked(rows, told)


@given(TEXTS)
def test_text_is_made_visible_as_character_by_character(text: str) -> None:
    shown = [c for c in text if c in "\n\t" or visible(f"\u202e{c}")]
    assert visible(text) == "".join(shown)
    assert visible("a\u200bb\u202ec\nd") == "abc\nd"


@given(st.dictionaries(TEXTS, st.lists(TEXTS, max_size=3), max_size=3), st.booleans())
def test_a_document_that_hides_nothing_has_no_hiding_text(
    content: dict[str, list[str]], escaped: bool
) -> None:
    document = json.dumps(content, ensure_ascii=escaped, indent=1)
    if _hides_nothing(document):
        assert list(_hiding(json.loads(document))) == []


def test_documents_with_hidden_text_are_looked_at() -> None:
    assert _hides_nothing('{\n "a": "plain \u00e9"\n}\n')
    assert not any(map(_hides_nothing, ('"\\u202e"', '"\u202e"', '"\u200b"', '"a\u2028b"', '"a\tb"')))


def test_strata_are_named_by_their_columns_as_text() -> None:
    from_rows = [f"{o.key.variant}/{o.kind.value}/{float(o.key.strength)}" for o in outcomes()]
    columns = ranking.Columns.of(outcomes())
    assert list(_labels(columns, ("variant", "kind", "strength"))) == from_rows


def drawing(scheme: object) -> str:
    """Paint of every color of a scheme, and a text that is none."""
    assert scheme in SCHEMES
    colors = [scheme.ink, scheme.quiet, *scheme.lines, *scheme.pair]  # type: ignore[attr-defined]
    painted = [f'<path style="fill: {c}; stroke: {c}; opacity: 0.5"/>' for c in colors]
    return "".join([*painted, '<path style="fill: #123456"/><text>#1c1e26</text>'])


def test_the_other_scheme_is_drawn_by_putting_its_colors_in() -> None:
    assert in_schemes(drawing) == {scheme.name: drawing(scheme) for scheme in SCHEMES}


def test_no_color_of_a_scheme_stands_for_two() -> None:
    for scheme in SCHEMES:
        colors = [scheme.ink, scheme.quiet, *scheme.lines, *scheme.pair]
        assert len(set(colors)) == len(colors)


def test_the_style_sheet_has_the_color_of_every_shade() -> None:
    found = re.findall(r"\.lb-s(\d+) \{ background: (\S+); color: (\S+); \}", STYLE.read_text("utf-8"))
    shades = [shade_at(step) for step in range(SHADES)]
    assert found == [(str(shade.step), shade.fill, shade.ink) for shade in shades]


class Cells(HTMLParser):
    """Gathers the cells of table rows: tag, class, sorting value, text."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[list[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begins a row or a cell."""
        named = {name: value or "" for name, value in attrs}
        if tag == "tr":
            self.rows.append([])
        else:
            self.rows[-1].append([tag, named.get("class", ""), named.get("data-v", "as shown"), ""])

    def handle_data(self, data: str) -> None:
        """Adds to the text of the cell."""
        self.rows[-1][-1][3] += data.rstrip("\n")


def test_rows_of_cases_hold_what_their_cells_say() -> None:
    cells = (
        CaseCell("<a>/0.3/1", "<a>/0.3/1", numeric=False),
        CaseCell("0.25", 0.2512, numeric=True),
        CaseCell("\N{MINUS SIGN}0.5", -0.5, numeric=True),
        CaseCell("–", "", numeric=True),
        CaseCell("fired", 1, numeric=False),
    )
    parser = Cells()
    parser.feed(CaseTable((), (cells, cells)).body)
    row = [
        ["th", "", "as shown", "<a>/0.3/1"],
        ["td", "lb-number", "as shown", "0.25"],
        ["td", "lb-number", "-0.5", "\N{MINUS SIGN}0.5"],
        ["td", "lb-number", "", "–"],
        ["td", "", "1", "fired"],
    ]
    assert parser.rows == [row, row]


def test_one_path_has_a_mark_for_each_case() -> None:
    rows = answers(Made("some", "Some"), CURRENT)
    dots = tuple(case_map.CaseDot(float(n), n % 3 == 0) for n in range(10))
    line = case_map.CaseLine("null", "null", dots)
    assert len(rows) > 0 and line.outlines(True, 60, 250, 12).count("M") == 4
    assert line.outlines(False, 60, 250, 12).startswith("M58.5 12a4 4")
    assert case_map.CaseLine("", "ambiguous", dots[:1]).outlines(True, 60, 250, 12) == "M60.0 7l5 5-5 5-5-5z"


def table_of(count: int) -> tuple[Standings, dict[str, Face]]:
    """A table of so many ranked rows, best first."""
    rows = tuple(
        Standing(f"e{n}", Group.RANKED, None, 1 - n / count, None, (n + 1, n + 1)) for n in range(count)
    )
    return Standings(TRACK, CURRENT, rows, frozenset()), {
        r.entry: Face(r.entry, r.entry, "", False) for r in rows
    }


def test_a_strip_of_many_shows_some_evenly_and_the_chosen_one() -> None:
    table, faces = table_of(1000)
    found = strip(table, faces, chosen="e123")
    names = [dot.face.id for dot in found.dots]
    assert len(set(names)) == MOST and [dot.face.id for dot in found.dots if dot.chosen] == ["e123"]
    assert found.of == "100 of 1000 entries, evenly by rank" and {"e0", "e999"} <= set(names)
    places = sorted(int(name[1:]) for name in names if name != "e123")
    assert max(b - a for a, b in pairwise(places)) <= 12
    assert strip(*table_of(100)).of == "all entries"


def test_the_first_rows_of_a_table_and_how_many_are_left() -> None:
    whole = main_table(*table_of(FIRST_ROWS + 30))
    assert [line.face.id for line in whole.first.lines] == [f"e{n}" for n in range(FIRST_ROWS)]
    assert (whole.first.left, whole.left) == (30, 0)
    short = main_table(*table_of(3))
    assert short.first == short


def test_many_tie_letters_are_said_by_the_first_and_the_last() -> None:
    (line, *_) = main_table(*table_of(3)).lines
    shown = [replace(line, row=replace(line.row, mark=mark)).tie for mark in ("", "ab", "yza1b1", "yza1b1c1")]
    assert shown == ["", "ab", "yza1b1", "y–c1"]
