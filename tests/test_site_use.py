"""Using the built site by keyboard, on a phone, on paper and without scripts, in a real Chromium."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.site_pages import COMPARE, GALLERY, HOSTILE, PAGES, TRACK_PAGE, opened

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
OLD_PAGE = "leaderboard/embedding-detection/1.0/index.html"
MITIGATION_PAGE = "leaderboard/embedding-mitigation/index.html"
ENTRY_PAGE = "leaderboard/entries/omnibus_test.html"


def count_of(page: Page, selector: str) -> int:
    """How many elements there are that can be seen."""
    found: int = page.evaluate(
        "s => [...document.querySelectorAll(s)].filter(e => e.checkVisibility({ visibilityProperty: true }))"
        ".length",
        selector,
    )
    return found


def outlined(page: Page) -> bool:
    """Whether one can see that the focused element has the focus."""
    found: bool = page.evaluate(
        "() => { const s = getComputedStyle(document.activeElement);"
        " return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2; }"
    )
    return found


@pytest.mark.parametrize("name", [TRACK_PAGE, OLD_PAGE, MITIGATION_PAGE])
def test_a_table_is_sorted_by_keyboard_alone(browser: Browser, site: str, name: str) -> None:
    with opened(browser, site + name) as page:
        page.get_by_label("Find").focus()
        for _ in range(12):
            page.keyboard.press("Tab")
            assert outlined(page), page.evaluate("document.activeElement.outerHTML")
            if page.evaluate("!!document.activeElement.closest('th[data-key=entry]')"):
                break
        head = page.locator("#lb-table th[data-key=entry]")
        assert head.get_attribute("aria-sort") is None
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == "ascending"
        page.keyboard.press("Space")
        assert head.get_attribute("aria-sort") == "descending"
        assert page.locator("#lb-table th[aria-sort]").count() == 1
        assert page.evaluate("!!document.activeElement.closest('th[data-key=entry]')")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('th').dataset.key") not in (None, "entry")


def test_a_family_is_chosen_by_keyboard(browser: Browser, site: str) -> None:
    with opened(browser, site + TRACK_PAGE) as page:
        page.get_by_label("Find").focus()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.name") == "family" and outlined(page)
        page.keyboard.type("floor")
        page.keyboard.press("Enter")
        assert page.get_by_label("Family").input_value() == "floor"
        assert count_of(page, "#lb-table .lb-row") == 3
        assert page.locator("#lb-table .lb-row:not([data-family=floor]):visible").count() == 0


def test_details_open_by_keyboard(browser: Browser, site: str) -> None:
    with opened(browser, site + ENTRY_PAGE) as page:
        details = page.locator("details:has(.lb-caselist)").first
        assert not details.locator(".lb-caselist").is_visible()
        details.locator("summary").focus()
        page.keyboard.press("Enter")
        assert details.locator(".lb-caselist tbody tr").first.is_visible()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.matches('.lb-frame')") and outlined(page)
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert details.locator("th[aria-sort=ascending]").text_content() == "Case"


@pytest.mark.parametrize("name", [TRACK_PAGE, OLD_PAGE, MITIGATION_PAGE])
def test_on_a_phone_the_table_scrolls_and_its_first_columns_stay(
    browser: Browser, site: str, name: str
) -> None:
    with opened(browser, site + name, viewport=PHONE) as page:
        frame = page.locator(".lb-frame:has(#lb-table)")
        frame.focus()
        assert outlined(page)
        assert frame.evaluate("f => f.scrollWidth - f.clientWidth") > 100
        row = page.locator("#lb-table .lb-row").first
        places = (
            "r => [r.closest('.lb-frame').scrollLeft,"
            " ...[...r.cells].slice(0, 3).map(c => c.getBoundingClientRect().left)]"
        )
        before = row.evaluate(places)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("f => f.scrollLeft > 50", arg=frame.element_handle())
        scrolled, *after = row.evaluate(places)
        assert before[0] == 0 and scrolled > 50
        assert after == pytest.approx([*before[1:3], before[3] - scrolled], abs=1)
        assert page.evaluate("[scrollX, document.documentElement.scrollWidth]") == [0, 390]


def test_on_a_phone_nothing_of_a_rank_is_covered(browser: Browser, site: str) -> None:
    with opened(browser, site + TRACK_PAGE, viewport=PHONE) as page:
        beyond = page.evaluate(
            """() => [...document.querySelectorAll('td.lb-rank > *, .lb-frame td > a')].filter(e => {
              const box = e.closest('td').getBoundingClientRect();
              return e.getBoundingClientRect().right > box.right + 0.5;
            }).map(e => e.textContent)"""
        )
        assert beyond == []
        assert page.locator("td.lb-rank .lb-tie").count() > 3


@pytest.mark.parametrize("name", [name for name in PAGES if "?" not in name])
def test_without_scripts_a_page_is_whole(browser: Browser, site: str, name: str) -> None:
    for width in (390, 1280):
        viewport = {"width": width, "height": 844}
        with opened(browser, site + name, viewport=viewport, java_script_enabled=False) as page:
            assert page.locator("h1").is_visible()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            rows = page.locator(".md-content :not(details) > .lb-frame .lb-row")
            assert rows.count() == rows.locator("visible=true").count()
            assert page.locator(".md-content button:visible").count() == 0


@pytest.mark.parametrize(
    "name", [TRACK_PAGE, MITIGATION_PAGE, GALLERY, ENTRY_PAGE, f"{COMPARE}?entries=omnibus_test,random_score"]
)
def test_paper_has_all_rows_and_columns_and_no_buttons(browser: Browser, site: str, name: str) -> None:
    with opened(browser, site + name, viewport={"width": 794, "height": 1123}) as page:
        page.emulate_media(media="print")
        outer = ":not(details) > .lb-frame"
        for cells in ("tbody tr", "th", "td"):
            selector = f".md-content {outer} table {cells}"
            hidden = "[hidden], [hidden] *, .lb-off, .lb-off *"
            assert count_of(page, selector) == page.locator(f"{selector}:not({hidden})").count() > 0
        assert count_of(page, "button:not(.lb-th), select, input, nav, .lb-tools, .lb-filters") == 0
        cut = page.evaluate(
            "() => [...document.querySelectorAll('.lb-frame')].filter(f => f.checkVisibility())"
            ".filter(f => !/^visible/.test(getComputedStyle(f).overflow)).length"
        )
        assert cut == 0


def test_every_long_table_is_printed_whole(browser: Browser, site: str) -> None:
    with opened(browser, site + TRACK_PAGE) as page:
        page.evaluate("document.querySelector('#lb-table .lb-row').classList.add('lb-late')")
        rows = page.locator("#lb-table .lb-row")
        assert count_of(page, "#lb-table .lb-row") == rows.count() - 1
        page.emulate_media(media="print")
        assert count_of(page, "#lb-table .lb-row") == rows.count()


def test_no_dot_of_a_strip_covers_its_axis_or_another(browser: Browser, site: str) -> None:
    for name in ("index.html", ENTRY_PAGE, "leaderboard/entries/id_best.html"):
        with opened(browser, site + name) as page:
            for strip in page.locator(".lb-strip").all():
                axis = float(re.findall(r"[\d.]+", str(strip.locator(".lb-axis").get_attribute("d")))[1])
                circles = strip.locator("circle").evaluate_all(
                    "all => all.map(c => ['cx', 'cy', 'r'].map(a => +c.getAttribute(a)))"
                )
                assert circles and all(y + r < axis for _, y, r in circles)
                assert len({(x, y) for x, y, _ in circles}) == len(circles)


def test_a_page_that_is_not_there_shows_the_way(browser: Browser, site: str) -> None:
    with opened(browser, f"{site}404.html") as page:
        links = page.locator(".md-content a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
        assert [Path(link).name for link in links] == ["index.html", "glossary.html"]


HOSTILE_PAGES = (
    "index.html",
    TRACK_PAGE,
    OLD_PAGE,
    GALLERY,
    "leaderboard/entries/hostile.html",
    "leaderboard/entries/hostile_shots.html",
    "leaderboard/trust/index.html",
    f"{COMPARE}?entries=hostile,omnibus_test",
    f"{COMPARE}?entries=hostile,%3Cimg%20src=x%20onerror=hit()%3E",
)


@pytest.mark.parametrize("name", HOSTILE_PAGES)
def test_no_text_of_a_contributor_acts(browser: Browser, site: str, name: str) -> None:
    with opened(browser, "about:blank") as page:
        dialogs: list[str] = []
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss())[0])
        page.add_init_script("window.hit = () => { window.wasHit = true }")
        page.goto(site + name)
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        page.evaluate("document.querySelectorAll('th button, .lb-picker input').forEach(e => e.click())")
        page.wait_for_timeout(50)
        assert page.evaluate("window.wasHit") is None and dialogs == []
        acting = "script:not([src], [type]), img[src=x], iframe, object, [onload], [onerror], [onclick]"
        assert page.locator(f".md-content :is({acting})").count() == 0
        assert page.locator("a[href^='javascript' i]").count() == 0
        assert HOSTILE.title in page.locator("body").inner_text() or name not in HOSTILE_PAGES[1:6]
