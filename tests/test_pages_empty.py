"""What there is little of is told in a sentence: no empty table, no empty figure, and no NaN."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from benchmark.pages.build import GENERATED, make_html, render, write
from benchmark.pages.gather import Board, board_of, gather
from benchmark.pages.links import check_site
from benchmark.records import Status
from benchmark.results import Result
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Track
from tests.builders import CURRENT, TRACK, entry, failure, outcomes, result
from tests.builders_site import SOURCE, all_entries, repository

ONE_CASE = replace(CURRENT, cells=(replace(CURRENT.cells[0], seeds=1, quick=1),))


def board(*results: Result, track: Track = TRACK, controls: bool = False) -> Board:
    entries = [entry(found.entry, "control" if controls else "method") for found in results]
    return board_of(entries, list(results), (track,))


def only(track: Track) -> Track:
    return replace(track, versions=(track.current,))


def one_case() -> Board:
    track = replace(TRACK, versions=(ONE_CASE,))
    return board(
        result("alone", outcomes(version=ONE_CASE), ONE_CASE).model_copy(update={"track": TRACK.key}),
        track=track,
    )


def all_incomplete() -> Board:
    failed = [failure(key, Status.TIMED_OUT, "60 s") for key in CURRENT.keys()]
    return board(result("late", failed), result("late_too", failed))


STATES: dict[str, Callable[[], Board]] = {
    "no track": lambda: board_of([], [], ()),
    "no result at all": lambda: board_of([], [], tuple(TRACKS.values())),
    "an entry without a result": lambda: board_of([entry()], [], (TRACK,)),
    "one entry": lambda: board(result("alone")),
    "one case": one_case,
    "all incomplete": all_incomplete,
    "only controls": lambda: board(result("floor"), result("ceiling"), controls=True),
    "one version": lambda: board(result("a_b"), result("c_d"), track=only(TRACK)),
    "only under an older version": lambda: board(result("old_one", version=TRACK.versions[0])),
}
"""Boards with little on them. None has fresh keys, galleries or verifications."""

TRACK_PAGE, ENTRY = f"{TRACK.key}/index.md", "entries/{}.md"
SENTENCES: dict[str, dict[str, str]] = {
    "no track": {
        ".parts/cards.html": "There is no track yet.",
        ".parts/takes.html": "There is no track yet.",
    },
    "no result at all": {
        TRACK_PAGE: "No entry takes part in this track yet.",
        f"{TRACK.key}/1.0/index.md": "No entry takes part in this track yet.",
        ".parts/recent.html": "Nothing has been scored yet.",
        "trust/index.md": "No result has been scored again yet.",
    },
    "an entry without a result": {ENTRY.format("some_entry"): "has no result under version"},
    "one entry": {
        TRACK_PAGE: "The best entry with a calibrated flag is",
        "trust/index.md": "No control has been",
    },
    "one case": {TRACK_PAGE: "has 1 case"},
    "all incomplete": {TRACK_PAGE: "No entry is ranked yet", ENTRY.format("late"): "It has no metrics"},
    "only controls": {
        TRACK_PAGE: "No entry is ranked yet",
        ".parts/cards.html": "No entry is ranked here yet.",
    },
    "one version": {TRACK_PAGE: "There is one version so far."},
    "only under an older version": {TRACK_PAGE: "has no result under version"},
}
"""For each state, what a page says of it."""


@cache
def texts(state: str) -> dict[str, str]:
    files = render(STATES[state](), SOURCE / "templates")
    return {name: text for name, text in files.items() if isinstance(text, str)}


@pytest.mark.parametrize("state", STATES)
def test_no_table_or_figure_is_empty_and_nothing_is_not_a_number(state: str) -> None:
    for name, text in texts(state).items():
        assert not re.search(r"\bnan\b|\binf\b|>\s*(None|NaN)\s*<|=\"None\"", text), name
        if name.endswith((".md", ".html")):
            assert not re.search(r"<tbody>\s*</tbody>|<ul[^>]*>\s*</ul>|<dl[^>]*>\s*</dl>", text), name
            assert not re.search(r'<div [^>]*class="lb-(figures|cards)[^>]*>\s*</div>', text), name
            assert not re.search(r"<t(able|head)[^>]*>\s*</t", text), name


@pytest.mark.parametrize("state", SENTENCES)
def test_each_state_is_told_in_a_sentence(state: str) -> None:
    pages = texts(state)
    for name, sentence in SENTENCES[state].items():
        assert sentence in pages[name], name


def test_without_a_log_the_chip_says_not_yet_and_there_is_no_column() -> None:
    page = texts("one entry")[TRACK_PAGE]
    assert "last verified <b>not yet</b>" in page and 'data-key="verified"' not in page


@pytest.mark.parametrize("some", [False, True])
def test_the_strict_build_passes_and_no_link_leads_nowhere(some: bool, tmp_path: Path) -> None:
    made = [replace(one, toml={**one.toml, "kind": "control"}) for one in all_entries()[:1]] if some else []
    root = repository(tmp_path, tuple(made))
    write(render(gather(root), root / "templates"), root / GENERATED)
    make_html(root)
    assert list(check_site(root / "public").faults) == []
