"""What hand-written pages include: whole entries, metrics and words, all from the records."""

import html
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.entries import read_entry
from benchmark.isolation.launchers import choose
from benchmark.metrics import METRICS
from benchmark.pages.citation import Citation
from benchmark.pages.gather import board_of
from benchmark.pages.render import environment
from benchmark.pages.tables import HEADINGS
from benchmark.pages.written_parts import PARTS, whole, written_parts
from benchmark.records import Status
from benchmark.scaffold import write_entry
from benchmark.scorer import Request, score
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Track
from tests.builders_site import SOURCE

ALL = tuple(TRACKS.values())


@pytest.fixture(scope="module")
def parts() -> dict[str, str]:
    """The parts by the names of their templates."""
    made = written_parts(board_of([], [], ALL), environment(SOURCE / "templates"), Citation("T", ("A",), "1"))
    return {name: made[path] for name, path in PARTS.items()}


@pytest.mark.parametrize("track", ALL, ids=lambda track: track.key)
def test_the_page_shows_what_new_entry_writes(track: Track, parts: dict[str, str], tmp_path: Path) -> None:
    shown = parts["wholes"].split(f"{{: #whole-{track.key} data-search-exclude }}")[1].split("\n### ")[0]
    descriptor, method = (
        re.search(rf"^````{kind} title=.*?\n(.*?)^````$", shown, re.MULTILINE | re.DOTALL)
        for kind in ("toml", "python")
    )
    write_entry(tmp_path / "my_method", [track])
    assert descriptor is not None and method is not None
    assert descriptor[1] == (tmp_path / "my_method" / "entry.toml").read_text(encoding="utf-8")
    assert method[1] == (tmp_path / "my_method" / "method.py").read_text(encoding="utf-8")
    assert tomllib.loads(descriptor[1])["tracks"] == [track.key]


@pytest.mark.parametrize("track", ALL, ids=lambda track: track.key)
def test_what_the_page_shows_runs(track: Track, tmp_path: Path) -> None:
    folder = tmp_path / "my_method"
    folder.mkdir()
    shown = whole(track)
    (folder / "entry.toml").write_text(shown.descriptor, encoding="utf-8")
    (folder / "method.py").write_text(shown.method, encoding="utf-8")
    first = replace(track.current.cells[0], seeds=1, quick=1)
    version = replace(track.current, cells=(first,))
    (ran,) = score(Request(read_entry(folder), track, version, choose("process"), "quick", jobs=1)).outcomes
    assert (ran.status, ran.reason) == (Status.OK, None)


def test_every_track_is_told_with_its_signature_and_ranking_metric(parts: dict[str, str]) -> None:
    for track in ALL:
        link = f'href="leaderboard/{track.key}/index.html"'
        assert link in parts["takes"] and link in parts["ranked"]
        assert f"{track.signature.name}({', '.join(track.signature.arguments)})" in html.unescape(
            parts["takes"]
        )
        assert METRICS[track.current.ranking].about in html.unescape(parts["ranked"])


def test_every_metric_has_its_formula_direction_range_and_chance(parts: dict[str, str]) -> None:
    shown = html.unescape(parts["formulas"])
    names = {name for track in ALL for name in track.current.metrics}
    assert names
    for name in names:
        metric = METRICS[name]
        told = re.search(rf"{re.escape(metric.about)}.*?</math>", shown, re.DOTALL)
        assert told is not None, name
        assert ("higher" if metric.higher_is_better else "lower") in told[0].lower()
        assert f"from {metric.low:g} to {metric.high:g}".replace("-", "−") in told[0]
        chance = "chance" if metric.chance is None else f"chance {metric.chance:g}"
        assert (chance in told[0]) == (metric.chance is not None)
        assert metric.source in told[0]


def test_without_tracks_the_parts_are_still_made() -> None:
    made = written_parts(board_of([], [], ()), environment(SOURCE / "templates"), Citation("T", ("A",), "1"))
    assert set(made) == set(PARTS.values()) and "--track TRACK" in made[PARTS["commands"]]


@pytest.mark.parametrize("folder", ["templates/parts", "site"])
def test_hand_written_pages_name_no_track(folder: str) -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in (SOURCE / folder).glob("*.*")}
    assert texts
    assert [name for name, text in texts.items() for key in TRACKS if key in text] == []


def test_the_glossary_has_the_words_of_tables_and_metrics(parts: dict[str, str]) -> None:
    text = (SOURCE / "site" / "glossary.md").read_text(encoding="utf-8").lower()
    defined = set(re.findall(r"^\*\*(.+?)\*\*\{ #", text, re.MULTILINE))
    words = {"calibrated", "control", "degenerate", "incomplete", "waiting", "stale", "changed", "verified"}
    assert words <= defined
    heads = {heading.split()[0].lower() for heading in HEADINGS.values() if heading}
    assert heads - {"no", "flag", "controls"} <= defined
    assert {"fresh seeds", "gap", "interval", "rank interval", "time per case", "flag"} <= defined
    metrics = {METRICS[name].over or METRICS[name].title for track in ALL for name in track.current.metrics}
    shown = html.unescape(parts["formulas"]).lower()
    assert [name for name in metrics if name.lower() not in shown] == []


def test_the_changelog_has_one_source() -> None:
    page = (SOURCE / "site" / "changelog.md").read_text(encoding="utf-8")
    assert page.split("---\n")[2].strip() == '--8<-- "CHANGELOG.md"'
