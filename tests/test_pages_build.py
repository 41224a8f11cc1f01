from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.errors import ResultError, SiteError
from benchmark.pages.build import GENERATED, build, make_html, render, write
from benchmark.pages.gather import board_of, gather
from benchmark.tracks import TRACKS
from tests.builders import entry
from tests.builders_site import ENTRIES, Made, repository


def files(root: Path) -> dict[str, str]:
    return render(gather(root), root / "templates")


def test_everything_is_rendered_alike_each_time(tmp_path: Path) -> None:
    root = repository(tmp_path, ENTRIES[:1])
    found = files(root)
    assert found == files(root)
    assert sorted(name for name in found if name.endswith(("md", "html"))) == [
        ".parts/cards.html",
        ".parts/recent.html",
        "embedding-detection/1.0/index.md",
        "embedding-detection/index.md",
        "entries/omnibus_test.md",
    ]


def test_a_track_without_entries_says_so(tmp_path: Path) -> None:
    found = files(repository(tmp_path, ()))
    assert "No entry takes part in this track yet." in found["embedding-detection/index.md"]
    assert '<table class="lb-table' not in found["embedding-detection/index.md"]
    assert "No entry is ranked here yet." in found[".parts/cards.html"]
    assert "Nothing has been scored yet." in found[".parts/recent.html"]


def test_an_entry_without_results_says_so(tmp_path: Path) -> None:
    found = files(repository(tmp_path, (Made("new", "New", versions=()),)))
    assert "It has no result under version 1.1 yet." in found["entries/new.md"]


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
    found = pages["entries/some_entry.md"]
    assert "javascript" not in found
    assert '<a href="https://a.org/&#34;onclick&#61;&#34;hit()"' in found


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
    path = root / "results/embedding-detection/1.1/omnibus_test/results.json"
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
