"""The built site in a real Chromium, served on this machine."""

import csv
import io
import re
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from benchmark.pages.axis import number
from tests.builders_site import ENTRIES
from tests.site_pages import GALLERY, HOSTILE, PAGES, SHARED_IMAGES, TRACK_OF_GALLERY, TRACK_PAGE, opened

pytestmark = pytest.mark.browser


def names(page: Page) -> list[list[str]]:
    """The entries of the main table as shown, group by group."""
    found: list[list[str]] = page.evaluate(
        "() => [...document.querySelector('.lb-table').tBodies]"
        ".map(b => [...b.querySelectorAll('[data-entry]')].map(r => r.dataset.entry))"
    )
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_pages_are_quiet_stay_on_the_site_and_fit(
    browser: Browser, site: str, scheme: str, width: int
) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})  # type: ignore[arg-type]
    context.add_init_script("window.hit = () => { window.wasHit = true }")
    page = context.new_page()
    noise: list[str] = []
    page.on(
        "console",
        lambda message: noise.append(message.text) if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith(site) else noise.append(request.url))
    page.on(
        "response",
        lambda answer: None if answer.status < 400 else noise.append(f"{answer.status} {answer.url}"),
    )
    for name in PAGES:
        page.goto(site + name)
        assert (
            page.evaluate("document.body.dataset.mdColorScheme")
            == {"light": "default", "dark": "slate"}[scheme]
        )
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        assert page.evaluate("window.wasHit") is None, name
    assert noise == []
    context.close()


def test_the_table_starts_within_the_first_screen(browser: Browser, site: str) -> None:
    for width, height in ((1280, 800), (390, 844)):
        with opened(browser, site + TRACK_PAGE, viewport={"width": width, "height": height}) as page:
            assert page.evaluate("document.querySelector('.lb-row').getBoundingClientRect().bottom") < height


@pytest.mark.parametrize("column", range(8))
def test_every_column_sorts_both_ways_with_blanks_last(browser: Browser, site: str, column: int) -> None:
    with opened(browser, site + TRACK_PAGE) as page:
        head = page.locator("table.lb-table").first.locator("th[data-first]").nth(column)
        place = head.evaluate("h => { const b = h.getBoundingClientRect(); return b.left + b.width / 2 }")
        seen = []
        for _ in range(2):
            head.locator("button").click()
            seen.append(head.get_attribute("aria-sort"))
            groups = page.evaluate(
                """x => [...document.querySelector('.lb-table').tBodies]
                .map(b => [...b.querySelectorAll('.lb-row')].map(r => [...r.cells].find(c => {
                  const { left, right } = c.getBoundingClientRect(); return left <= x && x < right;
                })).map(c => c.colSpan > 1 ? '' : c.dataset.v ?? c.textContent.trim()))""",
                place,
            )
            for values in groups:
                assert_sorted(values, seen[-1])
        assert sorted(seen) == ["ascending", "descending"]


def assert_sorted(values: list[str], order: str | None) -> None:
    """Numbers or words in order, blanks behind them."""
    held = [value for value in values if value]
    assert values[len(held) :] == [""] * (len(values) - len(held))
    keys = [float(v) for v in held] if all(is_number(v) for v in held) else [v.casefold() for v in held]
    assert keys == sorted(keys, reverse=order == "descending")  # type: ignore[type-var]


def is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).replace("e-", "", 1).isdigit()


def test_groups_stay_and_the_rank_column_restores_the_first_order(browser: Browser, site: str) -> None:
    with opened(browser, site + TRACK_PAGE) as page:
        first = names(page)
        table = page.locator("table.lb-table").first
        table.get_by_role("button", name="Entry").click()
        table.get_by_role("button", name="Entry").click()
        moved = names(page)
        assert moved != first and [set(group) for group in moved] == [set(group) for group in first]
        table.get_by_role("button", name="Rank").press("Enter")
        assert names(page) == first
        assert page.locator("th[aria-sort]").count() == 1


def test_without_scripts_the_table_is_whole(browser: Browser, site: str) -> None:
    with opened(browser, site + TRACK_PAGE, java_script_enabled=False) as page:
        table = page.locator("table.lb-table").first
        assert table.locator(".lb-row").count() == len(ENTRIES) + 1
        assert table.locator("button").count() == 0
        assert table.locator(".lb-row").first.is_visible()


@pytest.mark.parametrize("stem", ["table", "auroc-by-strength"])
def test_the_csv_says_what_the_page_says(browser: Browser, site: str, stem: str) -> None:
    with opened(browser, site + TRACK_PAGE) as page:
        text = page.request.get(f"{site}leaderboard/embedding-detection/{stem}.csv").text()
        table = page.locator(f"a[href='{stem}.csv']").locator("xpath=preceding::table[1]")
        shown = table.locator(".lb-row").evaluate_all(
            """rows => rows.map(r => [
              r.dataset.entry,
              r.querySelector('.lb-entry a').textContent,
              [...r.querySelectorAll('td.lb-number')]
                .map(c => c.classList.contains('lb-blank') ? ''
                  : (c.querySelector('.lb-value') ?? c).textContent),
            ])"""
        )
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["entry"] for row in rows] == [entry for entry, _, _ in shown]
    assert [row["title"] for row in rows] == [title for _, title, _ in shown]
    skipped = ("group", "rank_low", "rank_high", "tie", "entry", "title", "family", "remarks", "note")
    for row, (_, _, cells) in zip(rows, shown, strict=True):
        keys = [key for key in row if key not in skipped and not key.endswith(("_low", "_high"))]
        texts = [number(float(row[key])) if row[key] else "" for key in keys]
        assert texts == (cells or [""] * len(keys))


def test_hostile_text_is_shown_as_it_is(browser: Browser, site: str) -> None:
    with opened(browser, f"{site}leaderboard/entries/hostile.html") as page:
        assert page.locator("h1").text_content() == HOSTILE.title
        assert page.locator(".lb-lede").text_content() == HOSTILE.toml["summary"]
        assert page.locator("pre code").first.text_content() == HOSTILE.toml["bibtex"]
        assert page.locator(".md-content script, .md-content svg[onload]").count() == 0
        images = page.locator(".md-content img").evaluate_all("all => all.map(i => i.getAttributeNames())")
        badge = "../badges/embedding-detection/hostile.svg"
        assert page.locator(f".md-content .lb-badge > img[src='{badge}']").count() == len(images) == 1
        assert set(images[0]) == {"src", "alt", "height"}
        links = page.locator(".md-content a[rel]").evaluate_all(
            "links => links.map(l => l.getAttribute('href'))"
        )
        assert links == [HOSTILE.toml["paper"]]
    with opened(browser, site + TRACK_PAGE) as page:
        row = page.locator("[data-entry=hostile]").first
        assert row.locator(".lb-entry a").text_content() == HOSTILE.title
        assert row.locator("td").count() == 8


def test_no_page_is_missing_behind_a_link(browser: Browser, site: str) -> None:
    seen: dict[str, bool] = {}
    with opened(browser, site) as page:
        for name in PAGES[:-1]:
            page.goto(site + name)
            links = page.evaluate(
                "() => [...document.querySelectorAll('a[href]')]"
                ".map(a => new URL(a.getAttribute('href'), location).href)"
            )
            for link in {link.split("#")[0] for link in links if link.startswith(site)} - seen.keys():
                seen[link] = page.request.get(link).ok
    assert [link for link, found in seen.items() if not found] == [] and len(seen) > 20


def test_search_knows_the_pages_but_not_the_entries(browser: Browser, site: str) -> None:
    with opened(browser, site) as page:
        index = page.request.get(f"{site}search/search_index.json").json()
    places = {document["location"].split("#")[0] for document in index["docs"]}
    assert places >= {"index.html", TRACK_PAGE, "reading.html", "submit.html", "glossary.html"}
    assert not any("entries/" in place for place in places)
    assert not any("Flaky probe" in document["text"] for document in index["docs"])


@pytest.mark.parametrize("name", PAGES[:-1])
def test_pages_can_be_read_without_seeing_them(browser: Browser, site: str, name: str) -> None:
    with opened(browser, site + name) as page:
        levels = page.evaluate(
            "() => [...document.querySelectorAll('.md-content :is(h1, h2, h3, h4)')].map(h => +h.tagName[1])"
        )
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(below - above <= 1 for above, below in pairwise(levels)), levels
        assert page.locator(".md-content img:not([alt]), .md-content img[alt='']").count() == 0
        assert page.locator(".lb-frame:not([tabindex='0'][role=region][aria-label])").count() == 0
        assert page.locator(".md-content :is(select, input):not(label *)").count() == 0


def words(page: Page) -> list[str]:
    """What became of the pictures that can be seen."""
    found: list[str] = page.evaluate(
        "() => [...document.querySelectorAll('[data-lb-shot] .lb-word')]"
        ".filter(w => w.checkVisibility({ visibilityProperty: true })).map(w => w.textContent)"
    )
    return found


@pytest.mark.parametrize("name", [GALLERY, "leaderboard/entries/id_best.html", TRACK_OF_GALLERY])
def test_pictures_load_and_say_what_they_show(browser: Browser, site: str, name: str) -> None:
    with opened(browser, site + name) as page:
        shots = page.locator(".lb-shot img")
        for place in range(shots.count()):
            if shots.nth(place).is_visible():
                shots.nth(place).scroll_into_view_if_needed()
        page.wait_for_function(
            "() => [...document.querySelectorAll('.lb-shot img')]"
            ".filter(i => i.checkVisibility()).every(i => i.naturalWidth === 32)"
        )
        alts = page.locator("[data-lb-shot] img, .lb-reel .lb-shot img").evaluate_all(
            "all => all.map(i => i.alt)"
        )
        assert len(alts) >= 6
        for alt in alts:
            assert re.search(
                r" on image \d+ of case patch/[\d./]+, the patch (top|bottom) (left|right): ", alt
            )
            assert re.search(r"; (hit|miss|miss, no peak|no peak|on the patch|off the patch)$", alt)


def test_each_picture_is_cut_from_its_file_at_its_own_place(browser: Browser, site: str) -> None:
    with opened(browser, site + GALLERY) as page:
        page.add_style_tag(content=".lb-shot svg { display: none }")
        whole = Image.open(
            io.BytesIO(page.request.get(site + GALLERY.replace("index.html", "id_best.png")).body())
        )
        file = np.asarray(whole.convert("RGB")).astype(int)
        pictures = page.locator("td[data-entry=id_best] img")
        tiles = []
        for place in range(pictures.count()):
            shown = np.asarray(Image.open(io.BytesIO(pictures.nth(place).screenshot())).convert("RGB"))
            steps = ((np.arange(4, 28) + 0.5) * len(shown) / 32).astype(int)
            sampled = shown[np.ix_(steps, steps)].astype(int)
            errors = [
                np.abs(sampled - file[top + 4 : top + 28, 4:28]).mean() for top in range(1, len(file), 34)
            ]
            assert min(errors) < 2
            tiles.append(int(np.argmin(errors)))
    assert len(set(tiles)) == SHARED_IMAGES and tiles == sorted(tiles)


def test_a_gallery_is_narrowed_by_keyboard(browser: Browser, site: str) -> None:
    with opened(browser, site + GALLERY) as page:
        status = page.locator(".lb-filters output")
        before = words(page)
        assert status.text_content() == f"{len(before)} pictures"
        assert status.get_attribute("aria-live") == "polite"
        page.get_by_label("Peak").focus()
        page.keyboard.press("ArrowDown")
        assert page.get_by_label("Peak").input_value() == "hit"
        assert words(page) == ["hit"] * before.count("hit")
        assert status.text_content() == f"{before.count('hit')} pictures"
        page.get_by_label("ρ").focus()
        page.keyboard.press("ArrowDown")
        assert (words(page), status.text_content()) == ([], "0 pictures")
        assert page.locator(".lb-shots tbody tr:visible").count() == 0


def test_entries_of_a_gallery_are_chosen_by_keyboard(browser: Browser, site: str) -> None:
    with opened(browser, site + GALLERY) as page:
        total = page.locator(".lb-chooser input").count()
        assert page.locator(".lb-shots thead [data-entry]:visible").count() == 6 < total
        summary = page.locator(".lb-chooser summary")
        assert summary.text_content() == f"Entries shown: 6 of {total}"
        summary.press("Enter")
        page.get_by_label("Floor").press("Space")
        assert summary.text_content() == f"Entries shown: 7 of {total}"
        assert page.locator("td[data-entry=id_floor]").first.is_visible()
        page.get_by_label(HOSTILE.title).press("Space")
        column = page.locator("td[data-entry=hostile_shots]")
        assert not column.first.is_visible()
        assert str(column.locator("img").first.get_attribute("alt")).startswith(f"{HOSTILE.title} on image ")


def test_without_scripts_a_gallery_is_whole(browser: Browser, site: str) -> None:
    with opened(browser, site + GALLERY, java_script_enabled=False) as page:
        assert page.locator(".lb-filters, .lb-chooser").locator("visible=true").count() == 0
        columns = page.locator(".lb-shots thead [data-entry]")
        assert columns.count() == columns.locator("visible=true").count() > 6
        assert page.locator(".lb-shots tbody tr").locator("visible=true").count() == SHARED_IMAGES


def test_an_entry_shows_its_own_hits_and_misses(browser: Browser, site: str) -> None:
    with opened(browser, f"{site}leaderboard/entries/id_best.html") as page:
        found = words(page)
        assert set(found) == {"hit", "miss"}
        page.get_by_label("Peak").select_option("miss")
        assert words(page) == ["miss"] * found.count("miss")
    with opened(browser, f"{site}leaderboard/entries/id_plain.html") as page:
        assert page.locator(".lb-shot").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_are_those_of_the_color_scheme(browser: Browser, site: str, scheme: str) -> None:
    with opened(browser, site + TRACK_PAGE, color_scheme=scheme) as page:
        shown = page.locator(".lb-figures img:visible").evaluate_all("all => all.map(i => i.src)")
        assert len(shown) == 11 and all(source.endswith(f"#only-{scheme}") for source in shown)
