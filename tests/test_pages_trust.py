"""The page on trust: what it tells, and what it says where there is nothing to tell."""

import html
from dataclasses import replace
from pathlib import Path

import jinja2
import pytest

from benchmark.pages.fresh_figure import fresh_drawings, fresh_points
from benchmark.pages.gather import Board, TrackBoard, board_of, gather
from benchmark.pages.render import environment
from benchmark.pages.trust_page import trust_output
from benchmark.ranking import Standings
from benchmark.results import Determinism, Result
from benchmark.tracks import TRACKS
from tests.builders import CURRENT, TRACK
from tests.builders_site import ENTRIES, SOURCE, repository
from tests.test_pages_fresh import scored
from tests.test_verified import DAYS, verification


@pytest.fixture(scope="module")
def templates() -> jinja2.Environment:
    return environment(SOURCE / "templates")


def text(board: Board, templates: jinja2.Environment) -> str:
    (page,) = trust_output(board, templates).pages
    return html.unescape(page.text)


def test_without_results_each_part_says_so(templates: jinja2.Environment) -> None:
    told = text(board_of([], [], tuple(TRACKS.values())), templates)
    for sentence in (
        "No control has been scored yet.",
        "Nothing: no row is incomplete",
        "No entry has been scored on fresh seeds yet.",
        "No result has been scored again yet.",
        "No key of fresh seeds has been published yet.",
    ):
        assert sentence in told
    assert "<table" not in told and "nan" not in told.lower().replace("nano", "")


def test_controls_and_rows_out_of_order_are_told(tmp_path: Path, templates: jinja2.Environment) -> None:
    board = gather(repository(tmp_path, ENTRIES))
    told = text(board, templates)
    controls = told.split("## What is out of order")[0]
    assert all(f"entries/{name}.html" in controls for name in ("random_score", "silent_score", "eager_score"))
    odd = told.split("## What is out of order")[1].split("## Public against")[0]
    assert "entries/flaky_probe.html" in odd and "incomplete: 1 of 180 cases failed" in odd
    assert "entries/marginal_probe.html" in odd and "flag FPR" in odd
    assert "entries/omnibus_test.html" not in odd


def changed(board: Board, entry: str, **changes: object) -> Board:
    """The board with fields of an entry's current result changed."""

    def again(result: Result | None) -> Result | None:
        return None if result is None else result.model_copy(update=changes)

    first = board.tracks[0]
    rows = tuple(
        replace(row, result=again(row.result)) if row.entry == entry else row for row in first.current.rows
    )
    current = replace(first.current, rows=rows)
    return replace(board, tracks=(TrackBoard(first.track, current, first.older), *board.tracks[1:]))


def test_what_is_not_deterministic_or_does_not_reproduce_is_out_of_order(
    tmp_path: Path, templates: jinja2.Environment
) -> None:
    board = gather(repository(tmp_path, ENTRIES[:2]))
    twice = Determinism(cases=3, differing=2, largest=0.1)
    told = text(changed(board, "omnibus_test", determinism=twice), templates)
    assert "2 of 3 cases that were run twice were answered otherwise" in told
    held = next(row.result for row in board.tracks[0].current.rows if row.entry == "omnibus_test")
    assert held is not None
    failed = verification("omnibus_test", scored_at=held.timing.scored_at, stands=False, largest=0.25)
    told = text(replace(board, verifications={failed.place: failed}), templates)
    assert f"did not reproduce on {DAYS[1][:10]}" in told
    assert "does not reproduce" in told and ">0.25<" in told
    assert "The last time each of 1 of 6 results" in told


def test_public_against_fresh_is_drawn_with_marked_points_in_words(tmp_path: Path) -> None:
    board = gather(repository(tmp_path, ENTRIES[:2]))
    assert fresh_drawings(board) == []
    far = scored(0.7, 0.0784, (0.9, 0.8412, 0.9588))
    found = changed(board, "omnibus_test", metrics=far.metrics, intervals=far.intervals, fresh=far.fresh)
    (drawing,) = fresh_drawings(found)
    assert drawing.alt == (
        f"{TRACK.title}: AUROC on public and on fresh seeds of 1 entries; "
        "1 of them beyond three standard errors from the diagonal."
    )
    (point,) = fresh_points(found.tracks[0].current)
    assert (point.public, point.fresh, point.marked) == (0.9, 0.7, True)
    assert fresh_points(Standings(TRACK, CURRENT, (), frozenset())) == []
