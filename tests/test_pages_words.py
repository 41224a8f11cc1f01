"""The links of the hand-written pages and the templates lead to words that are explained."""

import re

from tests.builders_site import SOURCE

TEXTS = sorted([*(SOURCE / "templates").glob("*.j2"), *(SOURCE / "site").glob("*.md")])
LINK = re.compile(r"(glossary|reading)\.(?:html|md)#([\w-]+)")


def anchors(name: str) -> set[str]:
    """The anchors of a hand-written page: those it names, and those of its headings."""
    text = (SOURCE / "site" / f"{name}.md").read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {*re.findall(r"\{ #([\w-]+) \}", text), *(head.lower().replace(" ", "-") for head in headings)}


def test_words_are_linked_to_where_they_are_explained() -> None:
    links = {link for path in TEXTS for link in LINK.findall(path.read_text(encoding="utf-8"))}
    assert ("glossary", "ambiguous") in links and ("reading", "ties") in links
    assert [(page, anchor) for page, anchor in links if anchor not in anchors(page)] == []
