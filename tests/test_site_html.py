"""The HTML of the built pages: faults of syntax, names used twice, and what tables say of themselves."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest

from tests.site_pages import PAGES

Page = tuple[str, Element]
"""A page's place and its root element."""


@pytest.fixture(scope="module")
def pages(built: Path) -> list[Page]:
    """Every built page, read by a parser that stops at the first fault."""
    public = built / "public"
    return [(path.relative_to(public).as_posix(), _parsed(path)) for path in sorted(public.rglob("*.html"))]


def _parsed(path: Path) -> Element:
    try:
        parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
        found: Element = parser.parse(path.read_text(encoding="utf-8"))
    except html5lib.html5parser.ParseError as error:
        raise AssertionError(f"{path.name}: {error}") from error
    return found


def tables(pages: list[Page]) -> Iterator[tuple[str, Element]]:
    """The tables of all pages, with where they are."""
    for name, page in pages:
        yield from ((name, table) for table in page.iter("table"))


def test_every_page_is_html_without_faults(pages: list[Page]) -> None:
    names = {name for name, _ in pages}
    assert names >= {name.split("?")[0] for name in PAGES} and len(names) > 50


def test_a_fault_is_found(tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text("<!doctype html><title>x</title><p><div></p></div>")
    with pytest.raises(AssertionError, match=r"bad\.html"):
        _parsed(path)


def test_no_name_is_used_twice_on_a_page(pages: list[Page]) -> None:
    for name, page in pages:
        counts = Counter(element.get("id") for element in page.iter() if element.get("id"))
        assert [one for one, count in counts.items() if count > 1] == [], name


def test_references_to_names_lead_to_an_element(pages: list[Page]) -> None:
    for name, page in pages:
        names = {element.get("id") for element in page.iter()}
        for element in page.iter():
            for key in ("aria-labelledby", "aria-describedby", "aria-controls"):
                assert set((element.get(key) or "").split()) <= names, (name, element.attrib)


def test_every_table_has_a_caption_and_headings_with_a_scope(pages: list[Page]) -> None:
    count = 0
    for name, table in tables(pages):
        if not table.get("class"):
            continue  # A table of a hand-written page, which Markdown makes.
        count += 1
        assert (table.findtext("caption") or "").strip(), name
        for heading in table.iter("th"):
            scope = heading.get("scope")
            assert scope in ("col", "row", "colgroup", "rowgroup"), (name, heading.attrib)
        for row in table.findall("tbody/tr"):
            assert row[0].tag == "th" or (len(row) > 1 and row[1].tag == "th"), name
    assert count > 100


def test_every_picture_has_words_or_is_passed_over(pages: list[Page]) -> None:
    count = 0
    for name, page in pages:
        for picture in page.iter("img"):
            assert (picture.get("alt") or "").strip(), (name, picture.attrib)
            count += 1
    assert count > 50
