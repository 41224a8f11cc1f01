"""What programs read: the board as JSON, the feed, the badges."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import jsonschema
import pytest

from benchmark.pages.badges import badge, badges, standing_text
from benchmark.pages.feed import ATOM, MOST, feed
from benchmark.pages.gather import Board, board_of, gather
from benchmark.pages.machine import leaderboard_json
from benchmark.ranking import Group, Standing
from benchmark.tracks import TRACKS
from tests.builders import CURRENT, TRACK, entry, result
from tests.builders_site import ENTRIES, SOURCE, repository
from tests.test_pages_tables import TABLE


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return gather(repository(tmp_path_factory.mktemp("board"), ENTRIES))


def test_the_json_holds_every_table_and_fits_its_schema(board: Board) -> None:
    found = json.loads(leaderboard_json(board))
    jsonschema.validate(found, json.loads((SOURCE / "schemas/leaderboard.schema.json").read_text()))
    assert list(found["tracks"]) == sorted(TRACKS)
    versions = found["tracks"][TRACK.key]["versions"]
    assert [(one["number"], one["current"]) for one in versions] == [("1.1", True), ("1.0", False)]
    row = next(row for row in versions[0]["rows"] if row["entry"] == "omnibus_test")
    held = next(row.result for row in board.tracks[0].current.rows if row.entry == "omnibus_test")
    assert held is not None
    assert {name: row[name] for name in held.metrics if name in row} == {
        name: value for name, value in held.metrics.items() if name not in CURRENT.secondary
    }
    assert (row["auroc_low"], row["auroc_high"]) == held.intervals["auroc"]


def items(text: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(text).iter(f"{{{ATOM}}}entry"))


def text_of(item: ElementTree.Element, name: str) -> str:
    found = item.find(f"{{{ATOM}}}{name}")
    assert found is not None
    return found.text or ""


def test_the_feed_tells_each_row_once_and_its_id_changes_only_with_the_result(board: Board) -> None:
    found = items(feed(board, "https://example.org/leaderboard/"))
    rows = [row for row in board.tracks[0].current.rows if row.result]
    assert len(found) == len(rows)
    ids = {text_of(item, "title"): text_of(item, "id") for item in found}
    assert len(set(ids.values())) == len(found)
    assert all(re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", one) for one in ids.values())
    again = {text_of(item, "title"): text_of(item, "id") for item in items(feed(board))}
    assert again == ids
    links = [link.get("href") for link in found[0].iter(f"{{{ATOM}}}link")]
    assert all(link and link.startswith("https://example.org/leaderboard/") for link in links)


def board_with(*moments: str) -> Board:
    results = []
    for place, moment in enumerate(moments):
        made = result(f"entry{place}")
        results.append(
            made.model_copy(update={"timing": made.timing.model_copy(update={"scored_at": moment})})
        )
    return board_of([entry(f"entry{n}") for n in range(len(moments))], results, (TRACK,))


def test_the_newest_row_comes_first_and_the_feed_ends() -> None:
    days = [f"2026-03-{day:02}T00:00:00+00:00" for day in range(1, 29)] * 2
    found = items(feed(board_with(*days)))
    assert len(found) == MOST
    updated = [text_of(item, "updated") for item in found]
    assert updated == sorted(updated, reverse=True) and updated[0] == "2026-03-28T00:00:00+00:00"


def test_an_empty_feed_is_valid() -> None:
    root = ElementTree.fromstring(feed(board_of([], [], (TRACK,))))
    assert [text_of(root, name) for name in ("title", "updated")] == [
        "Shortcut Leaderboard: new and changed rows",
        "1970-01-01T00:00:00+00:00",
    ]


def test_text_of_contributors_is_text_in_feed_and_badge(board: Board) -> None:
    hostile = '<script>alert("x")</script>&'
    faces = {name: replace(face, title=hostile) for name, face in board.faces.items()}
    told = items(feed(replace(board, faces=faces)))
    assert text_of(told[0], "title").startswith("script alert( x ) /script on ")
    drawn = ElementTree.fromstring(badge(hostile, hostile))
    assert drawn.get("aria-label") == f"{hostile}: {hostile}"


def test_a_badge_says_where_a_row_stands(board: Board) -> None:
    assert standing_text(TABLE, TABLE.rows[0]) == "rank 1–2 of 2"
    assert standing_text(TABLE, TABLE.rows[1]) == "rank 3 of 2, stale"
    assert standing_text(TABLE, TABLE.rows[3]) == "waiting"
    assert standing_text(TABLE, Standing("c", Group.CONTROL)) == "control"
    found = dict(badges(board))
    assert len(found) == sum(len(track.current.rows) for track in board.tracks)
    drawn = ElementTree.fromstring(found[f"badges/{TRACK.key}/omnibus_test.svg"])
    assert drawn.get("aria-label") == f"{TRACK.title}: rank 1–2 of 7"


@pytest.mark.parametrize("text", ["", "i", "rank 1–2 of 9", "W" * 40])
def test_a_badge_is_as_wide_as_its_two_halves(text: str) -> None:
    drawn = ElementTree.fromstring(badge("label", text))
    halves = [float(part.get("width") or 0) for part in drawn if part.tag.endswith("rect")]
    assert float(drawn.get("width") or 0) == sum(halves)
