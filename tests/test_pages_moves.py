"""Which ranks moved from a version to the next, and what a page says of it."""

import html
from dataclasses import replace

import jinja2
import pytest

from benchmark.pages import moves as module
from benchmark.pages.gather import Face, TrackBoard
from benchmark.pages.moves import all_moves, moves
from benchmark.pages.render import environment
from benchmark.ranking import Group, Standing, Standings
from tests.builders import TRACK, result
from tests.builders_site import SOURCE

OLD, NEW = TRACK.versions[0], TRACK.versions[1]


def row(name: str, rank: tuple[int, int] | None, group: Group = Group.CALIBRATED) -> Standing:
    return Standing(name, group, result(name), 0.9, (0.8, 0.95), rank)


def table(*rows: Standing, current: bool = True) -> Standings:
    return Standings(TRACK, NEW if current else OLD, rows, frozenset())


def faces(*tables: Standings) -> dict[str, Face]:
    return {r.entry: Face(r.entry, r.entry.title(), "", False) for t in tables for r in t.rows}


HERE = table(row("up", (1, 2)), row("level", (2, 3)), row("down", (4, 4), Group.NO_FLAG), row("new", (5, 5)))
THERE = table(
    row("down", (1, 3)), row("level", (1, 2)), row("up", (3, 4)), row("gone", (4, 4)),
    Standing("waits", Group.WAITING), current=False,
)  # fmt: skip


def test_an_entry_moved_only_where_no_rank_is_open_twice() -> None:
    found = moves(THERE, HERE, faces(THERE, HERE))
    assert {move.face.id: move.words for move in found.rows} == {
        "up": ("moved up",),
        "level": (),
        "down": ("moved down", "now in “No flag”"),
        "new": ("new",),
        "gone": ("not scored here",),
    }
    assert [[face.id for face in side] for side in (found.up, found.down)] == [["up"], ["down"]]


def test_unranked_rows_never_move() -> None:
    there, here = table(row("a", None, Group.CONTROL), current=False), table(row("a", (1, 1)))
    (move,) = moves(there, here, faces(here)).rows
    assert move.words == ("now in “Calibrated flag”",)


def test_each_version_is_compared_with_the_one_before_it() -> None:
    newest = replace(HERE, version=TRACK.versions[2])
    found = all_moves(TrackBoard(TRACK, newest, (HERE, THERE)), faces(THERE, HERE))
    assert {number: one.there.version.number for number, one in found.items()} == {"1.2": "1.1", "1.1": "1.0"}
    assert all_moves(TrackBoard(TRACK, table(), (table(current=False),)), {}) == {}
    assert all_moves(TrackBoard(TRACK, HERE, ()), faces(HERE)) == {}


@pytest.fixture
def template() -> jinja2.Template:
    return environment(SOURCE / "templates").get_template("versions.html.j2")


def told(template: jinja2.Template, there: Standings, here: Standings) -> str:
    macro = template.make_module().moves  # type: ignore[attr-defined]
    return html.unescape(str(macro(moves(there, here, faces(there, here)), "../")))


def test_the_page_names_who_moved(template: jinja2.Template) -> None:
    page = told(template, THERE, HERE)
    assert "Moved up beyond what the cases leave open" in page and "AUROC in 1.1" in page
    assert page.count("<tr>") == 6 and ">none<" in page and "None" not in page
    assert "No entry’s ranks left those it had." in told(template, HERE, HERE)


def test_long_lists_are_cut_with_a_word(template: jinja2.Template, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_SHOWN", 2)
    page = told(template, THERE, HERE)
    assert page.count("<tr>") == 3 and "The first 2 of 5 entries" in page
