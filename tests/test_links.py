"""Links of small sites, made by hand."""

from pathlib import Path

import pytest

from benchmark.pages.links import check_site
from tests.test_score_command import script

GOOD = {
    "index.html": '<h1 id="top-of-it">x</h1><a href="sub/page.html#here">a</a><a href="#top-of-it">b</a>'
    '<link rel="stylesheet" href="assets/a.css"><a href="https://example.org/x">c</a><a href="sub/">d</a>',
    "sub/index.html": '<img src="../assets/p%20q.png" srcset="../assets/p%20q.png, ../assets/p%20q.png 2x">',
    "sub/page.html": '<p id="here">y</p><a href="/index.html">home</a><img src="data:image/png;base64,AA==">',
    "assets/a.css": "",
    "assets/p q.png": "",
}


def site(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_a_site_whose_links_all_lead_somewhere_has_no_faults(tmp_path: Path) -> None:
    found = check_site(site(tmp_path, GOOD))
    assert found.faults == ()
    # index: 4 links to follow and 1 file; sub/index: 1 file; sub/page: 1 link and 1 picture.
    assert (found.pages, found.links) == (3, 8)


@pytest.mark.parametrize(
    ("markup", "said"),
    [
        ('<a href="nowhere.html">x</a>', "index.html: expected links to files of the site, got nowhere.html"),
        ('<a href="sub/page.html#gone">x</a>', "expected an anchor that sub/page.html has"),
        ('<a href="#gone">x</a>', "expected an anchor that index.html has, got #gone"),
        ('<a href="../outside.html">x</a>', "got ../outside.html"),
        ('<a href="javascript:alert(1)">x</a>', "expected links that begin with http, https, mailto"),
        ('<img src="missing.png">', "got missing.png"),
        ('<img srcset="assets/a.css 1x, missing2.png 2x">', "got missing2.png"),
        ('<script src="https://cdn.example.org/x.js"></script>', "expected only files of the site to be"),
        ('<link rel="stylesheet" href="//fonts.example.org/f.css">', "expected only files of the site to be"),
        ('<img src="http://example.org/p.png">', "expected only files of the site to be fetched"),
    ],
)
def test_each_kind_of_fault_is_found_and_nothing_else(tmp_path: Path, markup: str, said: str) -> None:
    (fault,) = check_site(site(tmp_path, GOOD | {"index.html": GOOD["index.html"] + markup})).faults
    assert said in fault


def test_addresses_from_the_root_begin_with_the_path_the_site_is_served_below(tmp_path: Path) -> None:
    served = GOOD | {"sub/page.html": GOOD["sub/page.html"].replace('"/index', '"/board/index')}
    assert check_site(site(tmp_path, served), "/board/").faults == ()
    assert len(check_site(tmp_path, "/").faults) == 1


def test_a_link_that_only_names_something_may_lead_elsewhere(tmp_path: Path) -> None:
    head = (
        '<link rel="canonical" href="https://example.org/"><link rel="license" href="https://example.org/l">'
    )
    assert check_site(site(tmp_path, GOOD | {"index.html": head + GOOD["index.html"]})).faults == ()


def test_the_command_says_how_many_and_which(tmp_path: Path) -> None:
    ran = script("check_links.py", site(tmp_path, GOOD))
    assert (ran.returncode, ran.stdout) == (0, "checked 8 links on 3 pages: no faults\n")
    ran = script("check_links.py", site(tmp_path, {"index.html": '<a href="gone.html">x</a>'}))
    assert ran.returncode == 1
    assert "got gone.html" in ran.stderr
    assert ran.stdout.endswith(": 1 fault\n")


def test_a_folder_without_a_site_is_wrong_use(tmp_path: Path) -> None:
    ran = script("check_links.py", tmp_path)
    assert ran.returncode == 2
    assert "expected a built site, got no index.html; run scripts/build_site.py" in ran.stderr
