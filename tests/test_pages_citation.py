"""How to cite the site and a row, and the badges' Markdown."""

from pathlib import Path

import pytest

from benchmark.errors import SiteError
from benchmark.pages.citation import (
    NO_ADDRESS,
    Citation,
    badges_of,
    latex,
    read_citation,
    row_bibtex,
    site_bibtex,
)
from benchmark.pages.gather import Board, board_of
from benchmark.tracks import TRACKS
from tests.builders import TRACK, entry, result
from tests.builders_site import SOURCE

CITATION = Citation("A Board", ("Ann", "Bo & Co"), "1.0")
BASE = "https://example.org/board/leaderboard/"


def board(*names: str) -> Board:
    return board_of([entry(name) for name in names], [result(name) for name in names], tuple(TRACKS.values()))


def test_the_repository_says_how_to_cite_it() -> None:
    assert read_citation(SOURCE / "CITATION.cff") == Citation(
        "Shortcut Leaderboard", ("Shortcut Leaderboard contributors",), "0.1.0"
    )


def test_a_file_that_lacks_something_is_told(tmp_path: Path) -> None:
    (tmp_path / "CITATION.cff").write_text("title: A\n")
    with pytest.raises(SiteError, match=r"got no version and no authors, each with a name"):
        read_citation(tmp_path / "CITATION.cff")
    with pytest.raises(SiteError, match="got no title"):
        read_citation(tmp_path / "none.cff")


def test_the_site_is_cited_with_the_day_of_its_newest_result() -> None:
    assert site_bibtex(CITATION, board("a_b"), BASE).splitlines() == [
        "@misc{shortcut_leaderboard,",
        "  title = {{A Board}},",
        r"  author = {{Ann} and {Bo \& Co}},",
        "  year = {2026},",
        "  version = {1.0},",
        "  note = {Results as of 2026-01-01},",
        "  url = {https://example.org/board/index.html},",
        "}",
    ]


def test_without_results_or_an_address_those_fields_are_left_out() -> None:
    found = site_bibtex(CITATION, board(), "")
    assert "year" not in found and "note" not in found and "url" not in found
    assert row_bibtex(CITATION, board(), board("a_b").faces["a_b"], "") == ""


def test_a_row_is_cited_with_version_value_and_rank() -> None:
    found = board("a_b")
    text = row_bibtex(CITATION, found, found.faces["a_b"], BASE)
    assert text.startswith("@misc{shortcut_leaderboard_a_b,\n  title = {{a\\_b} on the {A Board}},")
    assert (
        "note = {Embedding detection 1.2: AUROC 1.000 (1.000–1.000), rank 1 of 1, scored 2026-01-01}" in text
    )
    assert f"url = {{{BASE}entries/a_b.html}}" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [("50% {a}_b", r"50\% \{a\}\_b"), ("\\~^", r"\textbackslash{}\textasciitilde{}\textasciicircum{}"),
     ("two\nlines \u202e", "two lines")],
)  # fmt: skip
def test_titles_cannot_leave_their_field(text: str, shown: str) -> None:
    assert latex(text) == shown


def test_badges_link_to_the_entry_where_the_site_is() -> None:
    found = board("a_b")
    (badge,) = badges_of(found, found.faces["a_b"], BASE)
    assert (badge.picture, badge.words) == (f"badges/{TRACK.key}/a_b.svg", "Embedding detection: rank 1 of 1")
    link = f"[![{badge.words}]({BASE}{badge.picture})]({BASE}entries/a_b.html)"
    assert badge.markdown == link
    (unknown,) = badges_of(found, found.faces["a_b"], "")
    assert unknown.markdown == link.replace(BASE, NO_ADDRESS)
