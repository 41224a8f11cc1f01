"""Every number of every table of a built site, against its results.json and against the downloads."""

import csv
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest

from benchmark.pages.build import build
from benchmark.tracks import TRACKS
from benchmark.tracks.figures import FIGURES
from tests.builders_site import SOURCE
from tests.site_numbers import (
    FRESH,
    GAP,
    TIME,
    case_text,
    expected,
    fixed,
    gap_of,
    known,
    parsed,
    plus,
    raw,
    tables,
    text_of,
    value_of,
)


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with what is committed in this one, and its built site in public."""
    root = tmp_path_factory.mktemp("committed")
    for name in ("site", "templates", "contrib", "results"):
        ignored = shutil.ignore_patterns("leaderboard", "__pycache__")
        shutil.copytree(SOURCE / name, root / name, ignore=ignored)
    for name in ("mkdocs.yml", "CHANGELOG.md", "CITATION.cff"):
        shutil.copy(SOURCE / name, root)
    build(root)
    return root


@pytest.fixture(scope="module", params=["built", "committed"])
def root(request: pytest.FixtureRequest) -> Path:
    """The made-up repository, then this one."""
    found: Path = request.getfixturevalue(request.param)
    return found


def scored(root: Path) -> set[tuple[str, str, str]]:
    """Track, version and entry of every results.json."""
    return {path.relative_to(root / "results").parts[:3] for path in root.glob("results/*/*/*/results.json")}  # type: ignore[misc]


def test_every_cell_is_the_number_of_its_results_json(root: Path) -> None:
    cells, mains, blanks = 0, set(), 0
    for table in tables(root):
        assert sum(map(known, table.keys)) >= len(table.keys) - 2, table.place
        for entry, shown in table.rows:
            found = raw(root, table.track, table.version.number, entry)
            where = (table.place, entry)
            if shown is None:
                assert found is None or not any(found["metrics"].get(k) is not None for k in table.keys), (
                    where
                )
                assert found is None or not any(value_of(found, k) is not None for k in table.keys), where
                continue
            assert found is not None and len(shown) == len(table.keys), where
            for key, text in zip(table.keys, shown, strict=True):
                if known(key):
                    assert text == expected(found, key, table.ranking), (
                        *where,
                        key,
                    )
                    cells += 1
                    blanks += text == "–"
            if "best first" in table.place:
                mains.add((table.track, table.version.number, entry))
    valued = {one for one in scored(root) if any(v is not None for v in raw(root, *one)["metrics"].values())}  # type: ignore[index]
    assert mains == valued
    assert cells > 1000 and 0 < blanks < cells / 4


def test_downloads_hold_every_cell_of_their_table(root: Path) -> None:
    cells = 0
    for table in tables(root):
        rows = list(csv.DictReader(io.StringIO(table.downloads["csv"])))
        held = json.loads(table.downloads["json"])
        assert (held["track"], held["version"]) == (table.track, table.version.number)
        ids = [entry for entry, _ in table.rows]
        assert [row["entry"] for row in rows] == [row["entry"] for row in held["rows"]] == ids, table.place
        for (entry, shown), row, item in zip(table.rows, rows, held["rows"], strict=True):
            assert {key: "" if item[key] is None else item[key] for key in table.keys}.keys() <= row.keys()
            found = raw(root, table.track, table.version.number, entry)
            for key in filter(known, table.keys):
                assert row[key] == ("" if item[key] is None else repr(item[key])), (table.place, entry, key)
                cells += 1
                if shown is None or found is None:
                    assert item[key] is None, (table.place, entry, key)
                elif key == GAP:
                    told = gap_of(found, table.ranking) if item[key] is not None else (None, None)
                    assert (item[key], item["gap_standard_error"]) == pytest.approx(told)
                elif key == FRESH:
                    fresh = found["fresh"]["metrics"][table.ranking] if found["fresh"] else None
                    assert item[key] == fresh
                elif key == TIME:
                    taken = found["timing"]["per_case"].values()
                    assert item[key] == pytest.approx(sum(taken) / len(taken))
                else:
                    assert item[key] == value_of(found, key), (table.place, entry, key)
                    ends = found["intervals"].get(key)
                    if ends is not None and item[key] is not None:
                        assert [item[f"{key}_low"], item[f"{key}_high"]] == ends
    assert cells > 1000


Section = tuple[str, str, str, list[Element]]
"""Track, version, entry, and the tables below their heading."""


def sections(root: Path) -> Iterator[Section]:
    """The parts of all pages of entries, one for each track."""
    for path in sorted((root / "public/leaderboard/entries").glob("*.html")):
        held: dict[str, tuple[str, list[Element]]] = {}
        track = ""
        for element in parsed(path).iter():
            if element.tag == "h2" and element.get("id") in TRACKS:
                track = str(element.get("id"))
                held[track] = ((element.text or "").split()[-1], [])
            elif element.tag == "table" and track:
                held[track][1].append(element)
        yield from ((key, version, path.stem, found) for key, (version, found) in held.items())


def captioned(section: Section, start: str) -> Element | None:
    """The table whose caption starts so."""
    found = [table for table in section[3] if str(table.findtext("caption")).startswith(start)]
    assert len(found) < 2
    return found[0] if found else None


def test_every_figure_of_an_entry_is_that_of_its_results_json(root: Path) -> None:
    values, gaps, fresh = 0, 0, False
    for section in sections(root):
        track, number, entry, _ = section
        found = raw(root, track, number, entry)
        table = captioned(section, "Metrics with")
        names = next(one for one in TRACKS[track].versions if one.number == number).metrics
        if table is None:
            assert found is None or all(value is None for value in found["metrics"].values()), section[:3]
            continue
        assert found is not None
        for name, row in zip(names, table.findall("tbody/tr"), strict=True):
            value = found["metrics"][name]
            texts = [text_of(cell) for cell in row]
            if value is None:
                assert texts[1].startswith("No value: ") and len(texts) == 2
            else:
                assert texts[1] == fixed(value), (section[:3], name)
                assert texts[3] == "–".join(fixed(end) for end in found["intervals"][name])
                values += 1
        again = captioned(section, "Metrics on public")
        assert (again is not None) == bool(found["fresh"])
        for name, row in zip(
            names, () if again is None else again.findall("tbody/tr"), strict=again is not None
        ):
            texts = [text_of(cell) for cell in row]
            if len(texts) == 5:
                difference, error = gap_of(found, name)
                sides = [fixed(side["metrics"][name]) for side in (found, found["fresh"])]
                assert texts[1:] == [*sides, plus(difference), fixed(error)], (section[:3], name)
                gaps += 1
        fresh |= bool(found["fresh"])
    assert values > 100 and (gaps > 100) == fresh


def test_every_case_of_an_entry_is_that_of_its_results_json(root: Path) -> None:
    kinds = {figure.title: name for name, figure in FIGURES.items()}
    cells, seen = 0, set()
    for section in sections(root):
        found = raw(root, *section[:3])
        table = captioned(section, "Cases of ")
        assert (table is None) == (found is None)
        if table is None or found is None:
            continue
        titles = [text_of(head) for head in table.findall("thead/tr/th")]
        rows = table.findall("tbody/tr")
        for row, told in zip(rows, found["details"]["per_dataset"], strict=True):
            texts = [text_of(cell) for cell in row]
            expected_texts = [" ".join(case_text(found, told, title, kinds).split()) for title in titles]
            assert texts == expected_texts, (section[:3], told["case"])
            cells += len(texts)
        seen.add(section[:3])
    assert cells > 5000
    assert seen == {one for one in scored(root) if one[1] == TRACKS[one[0]].version}
