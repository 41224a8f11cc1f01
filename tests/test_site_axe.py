"""What keeps people from using a page, as axe-core finds it on every kind of page."""

from typing import Any

import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from playwright.sync_api import Browser, Page

from tests.site_pages import PAGES, opened

pytestmark = pytest.mark.browser

AXE = AXE_FILE_PATH.read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLORS = ["color-contrast", "link-in-text-block"]
"""The rules whose outcome may differ between light and dark."""
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
KEPT = 8
"""How many rows of a long list of cases are looked at: all of them are made alike."""
UNFOLD = """kept => {
  document.querySelectorAll('.md-content details').forEach(d => { d.open = true });
  document.querySelectorAll('.lb-tall tbody tr').forEach(r => { if (r.sectionRowIndex >= kept) r.remove() });
}"""


def violations(page: Page, only: dict[str, Any]) -> list[tuple[str, str, str]]:
    """What axe holds against a page as it is now: rule, element, and what to do about it."""
    found: dict[str, Any] = page.evaluate(
        "only => axe.run(document, { runOnly: only, resultTypes: ['violations'], preload: false })", only
    )
    return [
        (rule["id"], str(node["target"]), node["failureSummary"])
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def put_on(page: Page, scheme: str) -> None:
    """Shows the page in a color scheme, as the theme does when a reader switches."""
    page.emulate_media(color_scheme={"default": "light", "slate": "dark"}[scheme])  # type: ignore[arg-type]
    page.evaluate("scheme => document.body.setAttribute('data-md-color-scheme', scheme)", scheme)


@pytest.mark.parametrize("name", PAGES)
def test_nothing_keeps_people_from_using_a_page(browser: Browser, site: str, name: str) -> None:
    every, colors = {"type": "tag", "values": RULES}, {"type": "rule", "values": COLORS}
    with opened(browser, site + name, viewport=WIDE, color_scheme="light", reduced_motion="reduce") as page:
        page.evaluate(UNFOLD, KEPT)
        page.evaluate(AXE)
        assert violations(page, every) == []
        put_on(page, "slate")
        assert violations(page, colors) == []
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]
        assert violations(page, every) == []
        put_on(page, "default")
        assert violations(page, colors) == []


def test_axe_finds_what_is_wrong(browser: Browser, site: str) -> None:
    with opened(browser, f"{site}404.html") as page:
        page.evaluate("document.querySelector('h1').innerHTML = '<img src=x><b style=color:#ccc>pale</b>'")
        page.evaluate(AXE)
        found = {rule for rule, _, _ in violations(page, {"type": "tag", "values": RULES})}
    assert found >= {"image-alt", "color-contrast"}
