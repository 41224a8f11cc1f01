"""The compare page before a browser sees it: what is packed into it, who is in it, and who links to it."""

import json
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from benchmark.contributions import value
from benchmark.metrics import METRICS
from benchmark.pages.build import render
from benchmark.pages.compare_data import Comparison, comparison_of, packed
from benchmark.pages.compare_page import compare_page
from benchmark.pages.gather import Board, Face, gather
from benchmark.pages.render import environment
from benchmark.ranking import Standings
from benchmark.records import Kind
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Track
from tests.builders_site import ENTRIES, SOURCE, Made, all_entries, repository
from tests.site_pages import HOSTILE

FIRST = ENTRIES[0]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return repository(tmp_path_factory.mktemp("compare"), (*all_entries(), HOSTILE))


@pytest.fixture(scope="module")
def board(root: Path) -> Board:
    return gather(root)


@pytest.fixture(scope="module")
def pages(root: Path, board: Board) -> dict[str, str]:
    """The generated pages."""
    found = render(board, root / "templates")
    return {name: str(text) for name, text in found.items() if name.endswith(".md")}


def links(page: str) -> list[str]:
    """Where the links of a page lead."""
    return [unescape(part.split('"')[0]) for part in page.split('<a href="')[1:]]


def page_of(board: Board, key: str) -> str:
    """The compare page of a track, without pictures."""
    return compare_page(board, table(board, key), None, environment(SOURCE / "templates")).text


def table(board: Board, key: str) -> Standings:
    return next(found.current for found in board.tracks if found.track.key == key)


def compared(standings: Standings) -> Comparison:
    found = comparison_of(standings)
    assert found is not None
    return found


def unpacked(data: dict[str, object], text: str) -> np.ndarray:
    """The numbers of a packed text, by Python's own reading of digits in base 64."""
    low, high, steps, width = data["packing"]  # type: ignore[misc]
    places = [str(data["digits"]).index(digit) for digit in text]
    whole = np.array(places).reshape(-1, width) @ (64 ** np.arange(width)[::-1])
    return low + (high - low) * whole / steps


@pytest.mark.parametrize(
    ("track", "error"), [(t, 1e-12 if t.current.ranking == "auroc" else 4e-6) for t in TRACKS.values()]
)
def test_what_is_packed_makes_up_the_metric(board: Board, track: Track, error: float) -> None:
    found = compared(table(board, track.key))
    data = json.loads(json.dumps(packed(found, board.faces, None)))
    assert len(data["entries"]) == len(found.entries) > 5
    for (name, _, _, shown, text), entry in zip(data["entries"], found.entries, strict=True):
        numbers = unpacked(data, text)
        for (variant, strength, _, samples), cut in zip(data["cuts"], entry.cuts, strict=True):
            assert (variant, strength) == (cut.variant, cut.strength)
            total = sum(share * numbers[slots].mean() for share, _, slots in samples)
            assert total == pytest.approx(value(cut.samples), abs=error), name
        assert shown == entry.row.value


def test_a_thousand_rows_stay_small(board: Board) -> None:
    for track in TRACKS.values():
        found = compared(table(board, track.key))
        assert len(found.ids) <= 180
        many = tuple(found.entries[n % len(found.entries)] for n in range(1000))
        faces = {name: replace(face, title=face.title.ljust(40, "x")) for name, face in board.faces.items()}
        data = packed(replace(found, entries=many), faces, None)
        assert len(json.dumps(data)) < 1_000_000


def test_rows_on_other_data_are_left_out_with_the_reason(board: Board) -> None:
    standings = table(board, "embedding-detection")
    first, second, *rest = standings.rows
    assert second.result is not None
    swapped = [
        row.model_copy(update={"kind": Kind.NULL if row.kind is Kind.SHORTCUT else Kind.SHORTCUT})
        for row in second.result.details.per_dataset
    ]
    details = second.result.details.model_copy(update={"per_dataset": swapped})
    other = replace(second, result=second.result.model_copy(update={"details": details}))
    third = replace(rest[0], stale=True)
    found = compared(replace(standings, rows=(first, other, third, *rest[1:])))
    absent = packed(found, board.faces, None)["absent"]
    assert isinstance(absent, dict)
    assert absent[second.entry][1] == "Its cases are not those of the other entries."
    assert absent[third.entry][1] == "It was scored before its version’s data or metrics changed."
    assert absent["flaky_probe"][1].startswith("1 of 180 cases failed")
    assert absent["old_probe"][1] == "It has no result under version 1.2 yet."
    held = {one.row.entry for one in found.entries}
    assert held == {row.entry for row in standings.rows} - absent.keys() and "random_score" in held


@pytest.mark.parametrize("made", [(), (FIRST,), (FIRST, Made("flaky", "Flaky", fails=True))])
def test_fewer_than_two_entries_are_a_sentence(tmp_path: Path, made: tuple[Made, ...]) -> None:
    page = page_of(gather(repository(tmp_path, made)), "embedding-detection")
    assert "There is nothing to compare yet: fewer than two entries have a value" in page
    assert "<script" not in page


def test_names_cannot_end_the_script(board: Board) -> None:
    hidden = "A\u202eB\u200b"
    faces = {**board.faces, "mean_shift_test": Face("mean_shift_test", hidden, "", control=False)}
    page = page_of(replace(board, faces=faces), "embedding-detection")
    block = page.split('<script type="application/json" id="lb-compare-data">')[1].split("</script>")[0]
    titles = [entry[1] for entry in json.loads(block)["entries"]]
    assert HOSTILE.title in titles and "AB" in titles
    assert not {"<", ">", "&"} & set(block) and "\n" not in block
    assert page.count("</script>") == 2


def test_pages_link_to_comparisons(pages: dict[str, str]) -> None:
    for key in TRACKS:
        assert links(pages[f"{key}/index.md"]).count("compare/index.html") == 1
    assert "compare" not in pages["embedding-detection/1.1/index.md"]
    compare = "../embedding-detection/compare/index.html?entries="
    assert f"{compare}omnibus_test,quadratic_probe" in links(pages["entries/omnibus_test.md"])
    assert f"{compare}omnibus_test,conditional_probe" not in links(pages["entries/omnibus_test.md"])
    assert f"{compare}random_score" in links(pages["entries/random_score.md"])
    assert "compare/index.html" not in pages["entries/flaky_probe.md"]


def test_comparisons_are_kept_out_of_search(pages: dict[str, str]) -> None:
    found = {name for name, text in pages.items() if "/compare/" in name and "  exclude: true" in text}
    assert found == {f"{key}/compare/index.md" for key in TRACKS}


def test_a_track_without_pictures_promises_none(pages: dict[str, str]) -> None:
    shown = {key: "What they look at" in pages[f"{key}/compare/index.md"] for key in TRACKS}
    assert [key for key, has in shown.items() if has] == ["image-detection"]


def test_the_metric_is_named_as_elsewhere(board: Board) -> None:
    for track in TRACKS.values():
        data = packed(compared(table(board, track.key)), board.faces, None)
        named = data["metric"]
        assert isinstance(named, dict)
        assert named["title"] == METRICS[track.current.ranking].title
