import html
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.errors import ResultError, SiteError
from benchmark.pages.build import GENERATED, build, make_html, render, write
from benchmark.pages.escape import neutral
from benchmark.pages.gather import board_of, gather
from benchmark.tracks import TRACKS
from tests.builders import entry
from tests.builders_site import ENTRIES, SOURCE, Made, all_entries, further_entries, repository


def files(root: Path) -> dict[str, str]:
    """The texts among the generated files."""
    found = render(gather(root), root / "templates")
    return {name: content for name, content in found.items() if isinstance(content, str)}


def test_everything_is_rendered_alike_each_time(tmp_path: Path) -> None:
    root = repository(tmp_path, ENTRIES[:1])
    found = files(root)
    assert found == files(root)
    assert sorted(name for name in found if name.endswith(("md", "html"))) == [
        ".parts/cards.html",
        ".parts/cite.html",
        ".parts/commands.html",
        ".parts/formulas.html",
        ".parts/ranked.html",
        ".parts/recent.html",
        ".parts/takes.html",
        ".parts/wholes.md",
        "embedding-detection/1.0/index.md",
        "embedding-detection/1.1/index.md",
        "embedding-detection/compare/index.md",
        "embedding-detection/index.md",
        "embedding-mitigation/1.0/index.md",
        "embedding-mitigation/compare/index.md",
        "embedding-mitigation/index.md",
        "entries/omnibus_test.md",
        "image-detection/compare/index.md",
        "image-detection/index.md",
        "image-mitigation/compare/index.md",
        "image-mitigation/index.md",
        "trust/index.md",
    ]


def test_tracks_without_entries_say_so(tmp_path: Path) -> None:
    found = files(repository(tmp_path, ()))
    for key in TRACKS:
        assert "No entry takes part in this track yet." in found[f"{key}/index.md"]
        assert '<table class="lb-table' not in found[f"{key}/index.md"]
    assert found[".parts/cards.html"].count("No entry is ranked here yet.") == len(TRACKS)
    assert "Nothing has been scored yet." in found[".parts/recent.html"]


def test_an_entry_without_results_says_so(tmp_path: Path) -> None:
    found = files(repository(tmp_path, (Made("new", "New", versions=()),)))
    assert "It has no result under version 1.2 yet." in found["entries/new.md"]


def test_results_of_a_folder_that_is_gone_stay(tmp_path: Path) -> None:
    root = repository(tmp_path, ENTRIES[:1])
    for path in (root / "contrib" / "omnibus_test").iterdir():
        path.unlink()
    (root / "contrib" / "omnibus_test").rmdir()
    assert "The folder of this entry is gone" in files(root)["entries/omnibus_test.md"]


def test_hostile_text_is_neutral_in_every_file_that_is_read_as_html(tmp_path: Path) -> None:
    hostile = Made("hostile", '<script>x</script> [a](javascript:x) "q', fails=True)
    for name, text in files(repository(tmp_path, (hostile,))).items():
        if name.endswith(("md", "html")):
            assert "<script>" not in text and "](javascript" not in text, name


def test_only_https_links_are_kept(tmp_path: Path) -> None:
    root = repository(tmp_path, ())
    links = entry()
    links = replace(links, paper="javascript:hit()", code='https://a.org/"onclick="hit()')
    pages = render(board_of([links], [], tuple(TRACKS.values())), root / "templates")
    found = str(pages["entries/some_entry.md"])
    assert "javascript" not in found
    assert '<a href="https://a.org/&#34;onclick&#61;&#34;hit()"' in found


def test_each_track_is_told_by_its_records(tmp_path: Path) -> None:
    found = files(repository(tmp_path, all_entries()))
    for track in TRACKS.values():
        page = found[f"{track.key}/index.md"]
        assert all(str(neutral(answer)) in page for answer, _ in track.outcomes), track.key
        assert str(neutral(track.signature.returns)) in page, track.key
        assert ("N: null cases" in page) == ("fpr" in track.current.metrics), track.key
        assert ('id="cases"' in page) == bool(track.current.truth), track.key


def test_the_bars_of_an_entry_say_from_where_to_where_they_run(tmp_path: Path) -> None:
    found = files(repository(tmp_path, further_entries(TRACKS["embedding-mitigation"])[:1]))
    assert "from 0 to 1, −1 to 1 for Gain over ERM and 0.5 to 1 for Leakage." in html.unescape(
        found["entries/em_best.md"]
    )


@pytest.mark.parametrize("folder", ["benchmark/pages", "templates"])
def test_no_page_names_a_track(folder: str) -> None:
    sources = {path.name: path.read_text(encoding="utf-8") for path in (SOURCE / folder).glob("*.*")}
    assert sources
    assert [name for name, text in sources.items() for key in TRACKS if key in text] == []


def test_files_are_texts_or_bytes(tmp_path: Path) -> None:
    write({"a.md": "ä", "b/c.png": b"\x89PNG\r\n"}, tmp_path / "pages")
    assert (tmp_path / "pages" / "a.md").read_text(encoding="utf-8") == "ä"
    assert (tmp_path / "pages" / "b" / "c.png").read_bytes() == b"\x89PNG\r\n"


def test_writing_replaces_the_folder_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "old.md").write_text("old")
    (tmp_path / "other.md").write_text("mine")
    write({"a/b.md": "new"}, tmp_path / "pages")
    left = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(left) == ["other.md", "pages/a/b.md"]


def test_invalid_results_leave_the_old_pages(tmp_path: Path) -> None:
    root = repository(tmp_path, ENTRIES[:1])
    write({"old.md": "old"}, root / GENERATED)
    path = root / "results/embedding-detection/1.2/omnibus_test/results.json"
    path.write_text(path.read_text().replace('"complete"', '"incomplete"'))
    with pytest.raises(ResultError, match="omnibus_test"):
        build(root)
    assert (root / GENERATED / "old.md").read_text() == "old"


def test_a_page_that_mkdocs_warns_of_leaves_the_old_site(tmp_path: Path) -> None:
    root = repository(tmp_path, ())
    write(files(root), root / GENERATED)
    (root / "public").mkdir()
    (root / "public" / "index.html").write_text("old")
    (root / "site" / "glossary.md").write_text("[nowhere](nowhere.md)")
    with pytest.raises(SiteError, match=r"mkdocs: .*nowhere\.md"):
        make_html(root)
    assert (root / "public" / "index.html").read_text() == "old"
    assert sorted(path.name for path in root.iterdir() if path.name.startswith(".")) == []
