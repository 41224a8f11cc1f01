"""What the hand-written pages and the templates say holds: their links, and the code they show."""

import re

import numpy as np

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


def test_the_mitigator_on_the_submit_page_predicts_by_name() -> None:
    code = (SOURCE / "site" / "submit.md").read_text(encoding="utf-8").split("```python\n")[2].split("```")[0]
    names: dict[str, object] = {}
    exec(code, names)
    random = np.random.default_rng(0)
    labels, attribute = np.tile([0, 1], 100), np.repeat([0, 1], 100)
    embeddings = random.normal(size=(200, 4)) + 5 * labels[:, None]
    fit = names["fit"]
    assert callable(fit)
    fitted = fit(embeddings=embeddings, attribute=attribute, task_labels=labels, seed=0)
    assert (fitted.predict(embeddings=embeddings) == labels).all()
