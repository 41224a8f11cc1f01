"""Narrowing tables and galleries in a real Chromium, and the links that bring a view back."""

import pytest
from playwright.sync_api import Browser, Page

from tests.builders_site import ENTRIES
from tests.site_pages import GALLERY, TRACK_PAGE, opened

pytestmark = pytest.mark.browser

ROWS = len(ENTRIES) + 1
"""The made-up entries and the hostile one."""


def shown(page: Page) -> list[str]:
    """The entries of the main table that can be seen, in order."""
    found: list[str] = page.evaluate(
        "() => [...document.querySelectorAll('#lb-table .lb-row')]"
        ".filter(r => r.checkVisibility()).map(r => r.dataset.entry)"
    )
    return found


def headings(page: Page) -> list[str]:
    """The headings of the main table's columns that can be seen, by key."""
    found: list[str] = page.evaluate(
        "() => [...document.querySelectorAll('#lb-table th[data-key]')]"
        ".filter(h => h.checkVisibility()).map(h => h.dataset.key)"
    )
    return found


def address(page: Page) -> str:
    """The address as the page has it, which the browser's driver may know a moment later."""
    found: str = page.evaluate("location.href")
    return found


def lines_up(page: Page) -> bool:
    """Whether each cell of the first row stands under the heading of its column."""
    found: bool = page.evaluate(
        """() => {
          const middle = c => {
            const { left, right } = c.getBoundingClientRect();
            return [left, right, (left + right) / 2];
          };
          const keyed = [...document.querySelectorAll('#lb-table th[data-key]')];
          const heads = keyed.filter(h => h.checkVisibility()).map(middle);
          const row = [...document.querySelectorAll('#lb-table .lb-row')].find(r => r.checkVisibility());
          const cells = [...row.cells].filter(c => c.checkVisibility()).map(middle);
          return heads.length === cells.length
            && cells.every(([, , x]) => heads.filter(([left, right]) => left <= x && x < right).length === 1);
        }"""
    )
    return found


def test_words_narrow_the_rows_and_empty_groups_go(browser: Browser, site: str) -> None:
    with opened(browser, site + TRACK_PAGE) as page:
        assert len(shown(page)) == ROWS
        page.get_by_label("Find").fill("probe quad")
        assert shown(page) == ["quadratic_probe"]
        assert page.locator("#lb-table .lb-group:visible").count() == 1
        assert page.locator(".lb-tools output").text_content() == f"1 of {ROWS} rows"
        page.get_by_label("Find").fill("nothing like it")
        assert shown(page) == []
        assert page.locator(".lb-tools output").text_content() == f"0 of {ROWS} rows"


def test_a_family_is_chosen(browser: Browser, site: str) -> None:
    with opened(browser, site + TRACK_PAGE) as page:
        page.get_by_label("Family").select_option("floor")
        assert sorted(shown(page)) == ["eager_score", "random_score", "silent_score"]


def test_columns_are_chosen_and_cells_stay_under_their_headings(browser: Browser, site: str) -> None:
    with opened(browser, site + TRACK_PAGE) as page:
        before = headings(page)
        assert lines_up(page)
        page.locator(".lb-tools summary").press("Enter")
        for key in ("auroc_xor", "fpr"):
            page.locator(f".lb-tools input[value='{key}']").press("Space")
            assert key not in headings(page)
            assert lines_up(page)
        assert headings(page) == [key for key in before if key not in ("auroc_xor", "fpr")]
        page.locator(".lb-tools input[value='auroc_xor']").press("Space")
        assert headings(page) == [key for key in before if key != "fpr"]
        assert lines_up(page)


def test_a_link_brings_the_view_back_in_a_new_browser(browser: Browser, site: str) -> None:
    with opened(browser, site + TRACK_PAGE) as page:
        page.get_by_label("Find").fill("probe")
        page.get_by_label("Family").select_option("probe")
        page.locator(".lb-tools summary").click()
        page.locator(".lb-tools input[value='tpr']").uncheck()
        page.locator("#lb-table th[data-key=auroc_xor] button").click()
        page.locator("#lb-table th[data-key=auroc_xor] button").click()
        view = (shown(page), headings(page), address(page))
    assert len(view[0]) == 3
    with opened(browser, view[2]) as page:
        assert (shown(page), headings(page), address(page)) == view
        assert page.locator("#lb-table th[data-key=auroc_xor]").get_attribute("aria-sort") == "ascending"
        assert page.get_by_label("Find").input_value() == "probe"
        page.get_by_label("Find").fill("")
        page.get_by_label("Family").select_option("")
        assert len(shown(page)) == ROWS


@pytest.mark.parametrize(
    "query",
    [
        "?sort=nothing:ascending&family=none&hide=gone,,&find=",
        "?sort=auroc&rows=x",
        "?sort=auroc:sideways&find=%3Cimg%20src=x%20onerror=hit()%3E",
    ],
)
def test_a_link_with_other_words_does_no_harm(browser: Browser, site: str, query: str) -> None:
    with opened(browser, site + TRACK_PAGE + query) as page:
        assert page.locator(".lb-tools output").text_content() in (
            f"{ROWS} of {ROWS} rows",
            f"0 of {ROWS} rows",
        )
        assert page.locator("th[aria-sort]").count() == 0
        assert page.locator("img[src=x]").count() == 0


def test_the_link_is_copied(browser: Browser, site: str) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(site + TRACK_PAGE)
    page.get_by_label("Find").fill("omnibus")
    page.get_by_role("button", name="Copy link to this view").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == address(page)
    assert "find=omnibus" in address(page)
    context.close()


def test_without_scripts_there_are_no_tools(browser: Browser, site: str) -> None:
    with opened(browser, site + TRACK_PAGE, java_script_enabled=False) as page:
        assert page.locator(".lb-tools:visible").count() == 0
        assert page.locator("#lb-table .lb-row:visible").count() == ROWS


def test_a_printed_page_has_the_rows_and_none_of_the_tools(browser: Browser, site: str) -> None:
    with opened(browser, site + TRACK_PAGE) as page:
        page.emulate_media(media="print")
        assert page.locator(".lb-tools:visible").count() == 0
        assert page.locator("#lb-table .lb-row:visible").count() == ROWS


def test_a_link_brings_a_gallery_back_as_it_was(browser: Browser, site: str) -> None:
    with opened(browser, site + GALLERY) as page:
        page.get_by_label("Peak").select_option("hit")
        page.locator(".lb-chooser summary").press("Enter")
        page.get_by_label("Floor").check()
        told = (page.locator(".lb-filters output").text_content(), address(page))
    with opened(browser, told[1]) as page:
        assert (page.locator(".lb-filters output").text_content(), address(page)) == told
        assert page.get_by_label("Peak").input_value() == "hit"
        assert page.locator("th[data-entry=id_floor]").is_visible()
    with opened(browser, site + GALLERY) as page:
        assert page.locator(".lb-chooser summary").text_content() == "Entries shown: 6 of 9"
