"""Texts that mean something to HTML, Markdown, templates or spreadsheets, up to the built site."""

import csv
import html
import io
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from benchmark.audit import load
from benchmark.descriptor import describe
from benchmark.errors import EntryError, ResultError
from benchmark.pages.build import GENERATED, make_html, render, write
from benchmark.pages.gather import gather
from benchmark.records import Status
from benchmark.results import save
from tests.builders import CURRENT, failure, outcomes, result
from tests.builders_site import Made, repository
from tests.entry_folders import VALUES

TEXTS = {
    "script": "<script>alert(1)</script>",
    "attribute": "\"'><img src=x onerror=alert(1)>",
    "closing": "</h1></table></title>--><svg/onload=alert(1)>",
    "entity": "&lt;script&gt;alert(1)&lt;/script&gt; &#60;b&#62;",
    "link": "[a](javascript:alert(1)) ![b](https://evil.example/x.png)",
    "markdown": "# *a* _b_ `c` | d | [TOC] ~~e~~ {: onclick=alert(1) }",
    "template": "{{ 7 * 7 }} {% raw %} ${7*7} --8<-- mkdocs.yml",
    "yaml": "---: {a: [b, *c]} !!python/object:os.system # %",
    "formula": '=HYPERLINK("https://evil.example";"x")',
    "plus": "+1+cmd|' /C calc'!A0",
    "minus": "-1+1",
    "at": "@SUM(A1:A9)",
}
"""Each is one entry's title, summary, author and license, and stands in its BibTeX."""
HIDDEN = ("\u202e", "\u2066", "\u200f", "\u061c", "\x1b", "\x00", "\u2028", "\ufeff", "\U000e0041")
REASON = "ValueError: [31m</td><script>alert(2)</script> ::set-output name=x::y # h =1+1 | {{ 7 * 7 }}"


def entries() -> tuple[Made, ...]:
    """An entry for each text."""
    return tuple(
        Made(
            f"hostile_{name}",
            text,
            versions=("1.2",),
            toml={
                "summary": text,
                "authors": [text],
                "license": text[:60].strip(),
                "bibtex": f"@misc{{x, title={{{text}}}}}",
            },
        )
        for name, text in TEXTS.items()
    )


def crashed(root: Path) -> None:
    """Adds an entry with a plain title, two of whose cases failed with a hostile reason."""
    (root / "contrib/plain_one").mkdir()
    folder = root / "contrib/hostile_script"
    (root / "contrib/plain_one/method.py").write_bytes((folder / "method.py").read_bytes())
    described = (folder / "entry.toml").read_text()
    (root / "contrib/plain_one/entry.toml").write_text(described.replace(TEXTS["script"], "A plain text"))
    rows = outcomes()
    rows[:2] = [failure(rows[0].key, Status.CRASHED, REASON), failure(rows[1].key, Status.BAD_OUTPUT, REASON)]
    found = result("plain_one", rows)
    save(found, root / "results" / found.place)
    assert load(root / "results" / found.place).details.per_dataset[0].reason == REASON


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with all of them, and its built site in public/."""
    root = repository(tmp_path_factory.mktemp("site"), entries())
    crashed(root)
    write(render(gather(root), root / "templates"), root / GENERATED)
    make_html(root)
    return root


class Elements(HTMLParser):
    """The start tags of a page, and the texts of its headings of the first level."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.headings: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Notes a tag."""
        self.tags.append((tag, dict(attributes)))
        if tag == "h1":
            self.inside = True
            self.headings.append("")

    def handle_endtag(self, tag: str) -> None:
        """Notes the end of a heading."""
        self.inside = self.inside and tag != "h1"

    def handle_data(self, data: str) -> None:
        """Notes a heading's text."""
        if self.inside:
            self.headings[-1] += data


def elements(page: str) -> Elements:
    found = Elements()
    found.feed(page)
    return found


def pages(site: Path) -> Iterator[tuple[str, str]]:
    """The built pages by name."""
    for path in sorted((site / "public").rglob("*.html")):
        yield path.relative_to(site / "public").as_posix(), path.read_text(encoding="utf-8")


def scripts(page: str) -> list[str]:
    """What its script elements load, or that they hold a text."""
    return [given.get("src") or "inline" for tag, given in elements(page).tags if tag == "script"]


def test_no_text_becomes_an_element_an_attribute_or_a_link(site: Path) -> None:
    found = dict(pages(site))
    assert {f"leaderboard/entries/hostile_{name}.html" for name in TEXTS} <= found.keys()
    for name, page in found.items():
        for tag, given in elements(page).tags:
            assert not [key for key in given if key.startswith("on")], (name, tag)
            places = [str(given.get(key)) for key in ("href", "src", "action", "data")]
            assert not [place for place in places if place.strip().lower().startswith("javascript")], name
            assert not [place for place in places if "evil.example" in place or place == "x"], name
        assert not re.search(r"(?i)<script[^>]*>\s*alert", page), name


def test_a_hostile_entry_s_page_has_the_scripts_of_a_plain_one(site: Path) -> None:
    found = dict(pages(site))
    expected = scripts(found["leaderboard/entries/plain_one.html"])
    for name in TEXTS:
        assert scripts(found[f"leaderboard/entries/hostile_{name}.html"]) == expected, name


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_shown_as_it_is(site: Path, name: str) -> None:
    page = dict(pages(site))[f"leaderboard/entries/hostile_{name}.html"]
    shown = [heading.strip() for heading in elements(page).headings]
    assert any(heading.startswith(TEXTS[name]) for heading in shown), shown
    assert "<h1" not in html.unescape(page).split("<title>")[1].split("</title>")[0]


def test_no_template_no_include_and_no_list_of_headings_is_made_of_a_text(site: Path) -> None:
    for name, page in pages(site):
        text = html.unescape(re.sub("<[^>]*>", "", page))
        assert "49 {% raw" not in text and "site_dir" not in text, name


def test_a_reason_is_shown_as_it_is_wherever_it_stands(site: Path) -> None:
    page = dict(pages(site))["leaderboard/entries/plain_one.html"]
    text = html.unescape(re.sub("<[^>]*>", "", page))
    assert f"2 of {len(CURRENT.keys())} cases failed" in text
    assert text.count(REASON) >= 2


def test_no_file_of_the_site_that_holds_texts_of_others_hides_or_turns_anything(site: Path) -> None:
    files = [
        path for kind in ("html", "csv", "json", "svg") for path in (site / GENERATED).rglob(f"*.{kind}")
    ]
    assert files
    for path in [*files, *(site / GENERATED).rglob("*.md"), *(site / "public").rglob("*.html")]:
        text = html.unescape(path.read_text(encoding="utf-8"))
        assert not [character for character in HIDDEN if character in text], path


@pytest.mark.parametrize("character", [*HIDDEN, "\n", "\r", "\x85"], ids=lambda one: f"U+{ord(one):04X}")
def test_a_reason_that_hides_or_turns_text_is_no_result(tmp_path: Path, character: str) -> None:
    rows = outcomes()
    rows[0] = failure(rows[0].key, reason=f"ValueError: a{character}b")
    save(result(rows=rows), tmp_path / "results.json")
    with pytest.raises(ResultError, match="expected text on one line") as refused:
        load(tmp_path / "results.json")
    assert character not in str(refused.value)


def test_every_cell_of_a_download_is_a_number_or_no_formula(site: Path) -> None:
    tables = sorted((site / "public").rglob("*.csv"))
    assert tables
    for path in tables:
        for row in csv.reader(io.StringIO(path.read_text(encoding="utf-8"))):
            for cell in row:
                if not re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", cell):
                    assert not cell.lstrip().startswith(("=", "+", "-", "@")), (path, cell)


def test_a_download_for_programs_holds_the_texts_as_they_are(site: Path) -> None:
    path = site / "public/leaderboard/embedding-detection/table.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    titles = {row["entry"]: row["title"] for row in rows}
    assert {name: titles[f"hostile_{name}"] for name in TEXTS} == TEXTS


@pytest.mark.parametrize("key", ["title", "summary", "authors", "license"])
@pytest.mark.parametrize("character", HIDDEN, ids=lambda character: f"U+{ord(character):04X}")
def test_what_hides_or_turns_text_is_refused_and_not_repeated(key: str, character: str) -> None:
    text = f"a{character}b"
    with pytest.raises(EntryError) as refused:
        describe(VALUES | {key: [text] if key == "authors" else text}, "entry.toml")
    (line,) = refused.value.faults
    assert line.startswith(f"entry.toml: {key}") and character not in line
