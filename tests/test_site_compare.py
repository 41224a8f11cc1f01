"""Comparing entries in a real Chromium: what it says and draws, and links that bring it back."""

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page
from scipy.stats import t

from benchmark.pages.axis import number, signed
from benchmark.records import Columns, Kind
from benchmark.tracks import TRACKS
from tests.builders_site import ENTRIES, Made, answers, further_entries
from tests.site_pages import COMPARE, COMPARE_IMAGES, COMPARE_MEANS, HOSTILE, SHARED_IMAGES, opened

pytestmark = pytest.mark.browser

PAIR = f"{COMPARE}?entries=omnibus_test,quadratic_probe"
APART = f"{COMPARE}?entries=conditional_probe,omnibus_test"
MADE = {made.id: made for made in ENTRIES}
Told = tuple[float, float]
"""A difference and how far its interval reaches to either side."""


def columns(made: Made) -> Columns:
    return Columns.of(answers(made, made.track.current))


def delong(one: Columns, other: Columns, shortcuts: np.ndarray, nulls: np.ndarray) -> np.ndarray:
    """The difference of two AUROCs and its variance, by the covariance matrices of DeLong and others."""
    wins = []
    for held in (one, other):
        assert held.score is not None
        gaps = held.score[shortcuts][:, None] - held.score[nulls][None, :]
        wins.append((np.sign(gaps) + 1) / 2)
    of_shortcuts = np.cov([win.mean(axis=1) for win in wins])
    of_nulls = np.cov([win.mean(axis=0) for win in wins])
    covariance = of_shortcuts / shortcuts.sum() + of_nulls / nulls.sum()
    contrast = np.array([1, -1])
    return np.array([wins[0].mean() - wins[1].mean(), contrast @ covariance @ contrast])


def expected(a: str, b: str) -> dict[str, Told]:
    """The differences of two detectors by the label of the row they stand in."""
    one, other = columns(MADE[a]), columns(MADE[b])
    found: dict[str, Told] = {}
    sums, cases = [], 0
    for variant in ("linear", "xor", "variance"):
        nulls = (one.variant == variant) & (one.kind == Kind.NULL)
        for strength in (None, 0.3, 0.6, 1.0):
            shortcuts = (one.variant == variant) & (one.kind == Kind.SHORTCUT)
            shortcuts &= True if strength is None else one.strength == strength
            part = delong(one, other, shortcuts, nulls)
            size = int(shortcuts.sum() + nulls.sum())
            label = variant if strength is None else f"{variant}, δ = {strength:g}"
            found[label] = (part[0], float(t.ppf(0.975, size - 2) * part[1] ** 0.5))
            if strength is None:
                sums.append(part)
                cases += size
    difference, variance = sum(sums) / np.array([3, 9])
    return {"all cases": (difference, float(t.ppf(0.975, cases - 6) * variance**0.5)), **found}


def rows(page: Page, place: int = 0) -> dict[str, list[str]]:
    """The cells of a table of differences, but for the picture, by the row's heading."""
    table = page.locator("table.lb-leads").nth(place)
    found = table.locator("tbody tr").evaluate_all(
        "all => all.map(r => [...r.cells].map(c => c.textContent))"
    )
    return {heading: [cell for at, cell in enumerate(cells) if at != 1] for heading, *cells in found}


def assert_shows(shown: dict[str, list[str]], told: dict[str, Told]) -> None:
    """Each row has the difference and the interval that `told` has, to the last digit."""
    assert list(shown) == list(told)
    for label, (difference, reach) in told.items():
        ends = (max(difference - reach, -1.0), min(difference + reach, 1.0))
        assert shown[label][:2] == [signed(difference), f"{signed(ends[0])} to {signed(ends[1])}"], label


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("omnibus_test", "quadratic_probe"),
        ("conditional_probe", "omnibus_test"),
        ("random_forest_probe", "variance_test"),
        ("random_score", "silent_score"),
    ],
)
def test_differences_of_auroc_are_those_of_numpy(browser: Browser, site: str, a: str, b: str) -> None:
    with opened(browser, f"{site}{COMPARE}?entries={a},{b}") as page:
        assert_shows(rows(page), expected(a, b))


def test_differences_of_means_are_those_of_numpy(browser: Browser, site: str) -> None:
    track = TRACKS["embedding-mitigation"]
    made = {one.id: one for one in further_entries(track)}
    one, other = columns(made["em_best"]), columns(made["em_fourth"])
    apart = one.figures["worst_group_acc"] - other.figures["worst_group_acc"]
    cells = [
        (f"{variant}, δ = {strength:g}", apart[(one.variant == variant) & (one.strength == strength)])
        for variant in track.current.variants
        for strength in track.current.strengths
    ]

    def told(members: list[np.ndarray]) -> Told:
        """Every stratum has the same number of cases."""
        error = (np.mean([m.var(ddof=1) for m in members]) / sum(map(len, members))) ** 0.5
        freedom = sum(map(len, members)) - len(members)
        return float(np.mean(members)), float(t.ppf(0.975, freedom) * error)

    found = {"all cases": told([members for _, members in cells])}
    for variant in track.current.variants:
        own = [(label, members) for label, members in cells if label.startswith(f"{variant},")]
        found[variant] = told([members for _, members in own])
        found |= {label: told([members]) for label, members in own}
    with opened(browser, f"{site}{COMPARE_MEANS}?entries=em_best,em_fourth") as page:
        assert_shows(rows(page), found)


def test_the_verdict_is_a_sentence(browser: Browser, site: str) -> None:
    better, reach = expected("omnibus_test", "conditional_probe")["all cases"]
    with opened(browser, site + APART) as page:
        assert page.locator(".lb-verdict p").text_content() == (
            "Omnibus of three tests is better than Conditional linear probe by "
            f"{number(better)}, 95% interval {number(better - reach)} to {number(better + reach)} "
            "(AUROC 0.988 and 0.701)."
        )
        assert rows(page)["xor"][2] == "Omnibus of three tests ahead"
        assert (
            "Omnibus of three tests is ahead on xor and variance; on linear they cannot be told apart."
            in (page.locator(".lb-pairs").text_content() or "")
        )
    even, reach = expected("omnibus_test", "quadratic_probe")["all cases"]
    with opened(browser, site + PAIR) as page:
        assert page.locator(".lb-verdict p").text_content() == (
            "Omnibus of three tests and Quadratic conditional probe cannot be told apart: "
            f"the first is ahead by {signed(even)}, 95% interval {signed(even - reach)} to "
            f"{signed(even + reach)}, which holds 0 (AUROC 0.988 and 0.987)."
        )


def test_bars_lie_over_the_intervals_that_are_printed(browser: Browser, site: str) -> None:
    with opened(browser, site + APART) as page:
        ticks = page.locator(".lb-leads thead text").all_text_contents()
        top = float(ticks[2])
        assert ticks == [f"−{top}", "0", f"+{top}"]
        bars = page.locator(".lb-leads .lb-span").evaluate_all("all => all.map(b => b.getAttribute('d'))")
        printed = [row[1].replace("−", "-").split(" to ") for row in rows(page).values()]
        assert len(bars) == len(printed) == 13
        for bar, ends in zip(bars, printed, strict=True):
            drawn = [float(x) for x in re.findall(r"-?[\d.]+(?= 8H|$)", bar)]
            assert drawn[0] == pytest.approx(90 + 84 * float(ends[0]) / top, abs=0.1)
            assert drawn[1] - 0.5 == pytest.approx(90 + 84 * float(ends[1]) / top, abs=0.1)


def test_each_case_is_a_mark_with_its_values(browser: Browser, site: str) -> None:
    one = columns(MADE["omnibus_test"])
    assert one.score is not None
    with opened(browser, site + APART) as page:
        titles = page.locator(".lb-figures title").all_text_contents()
        ids = [key.id for key in TRACKS["embedding-detection"].current.keys()]
        assert sorted(title.split(", ")[0] for title in titles) == sorted(ids)
        for shape in ("circle.lb-hit", "path.lb-null"):
            assert page.locator(f".lb-figures {shape}").count() == 90
        assert page.locator(".lb-keys span").all_text_contents() == [" null case", " shortcut case"]
        nulls = one.score[(one.variant == "xor") & (one.kind == Kind.NULL)]
        case = ids.index("xor/0.3/0")
        share = number(float((one.score[case] > nulls).mean()))
        (title,) = [title for title in titles if title.startswith("xor/0.3/0, shortcut: ")]
        assert title.endswith(f"Omnibus of three tests {share}")
        page.get_by_text("All 180 cases").click()
        cells = page.locator(".lb-pairs details tbody tr").filter(has_text="xor/0.3/0").locator("td")
        assert cells.nth(2).text_content() == share


def asked(page: Page) -> str:
    """What the address asks for, as the page itself has it."""
    found: str = page.evaluate("location.search")
    return found


def test_entries_are_chosen_by_keyboard_and_stand_in_the_address(browser: Browser, site: str) -> None:
    with opened(browser, site + COMPARE) as page:
        assert page.locator(".lb-verdict").text_content() == "Choose two to four entries."
        page.get_by_label("Find").focus()
        page.keyboard.type("omnibus")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        assert asked(page) == "?entries=omnibus_test"
        assert page.locator(".lb-verdict").text_content() == (
            "Choose one more entry to compare Omnibus of three tests with."
        )
        page.get_by_label("Find").fill("probe")
        page.get_by_label("Marginal probe").press("Space")
        assert page.evaluate("document.activeElement.value") == "marginal_probe"
        page.get_by_role("button", name="Put Marginal probe first").press("Enter")
        assert asked(page) == "?entries=marginal_probe,omnibus_test"
        told = page.locator(".lb-compare").inner_text()
        address = site + COMPARE + asked(page)
    with opened(browser, address) as page:
        page.locator(".lb-picker summary").click()
        page.get_by_label("Find").fill("probe")
        assert page.locator(".lb-compare").inner_text() == told
        page.get_by_role("button", name="Remove Marginal probe").press("Enter")
        assert asked(page) == "?entries=omnibus_test"


def test_at_most_four_are_compared(browser: Browser, site: str) -> None:
    many = "omnibus_test,quadratic_probe,hostile,random_score,marginal_probe,flaky_probe,%3Cimg%20src=x%3E"
    with opened(browser, f"{site}{COMPARE}?entries={many}") as page:
        assert page.locator(".lb-verdict .lb-old").all_text_contents() == [
            "Flaky probe cannot be compared. 1 of 180 cases failed (linear/0.0/0): crashed: "
            "ValueError: <no> | rows",
            "There is no entry “<img src=x>” here; choose one below.",
            "At most 4 entries are compared; the others are left out.",
        ]
        assert page.locator(".lb-verdict p:not(.lb-old)").count() == 6
        assert page.locator(".lb-pairs h2").count() == 3
        page.locator(".lb-picker summary").click()
        assert page.get_by_label("Marginal probe").is_disabled()
        assert page.locator(".md-content img, .md-content script:not([type], [src])").count() == 0
        assert (
            page.locator(".lb-pairs h2").nth(1).text_content()
            == f"Omnibus of three tests and {HOSTILE.title}"
        )


def test_the_same_images_stand_side_by_side(browser: Browser, site: str) -> None:
    with opened(browser, f"{site}{COMPARE_IMAGES}?entries=id_second,id_best,id_plain") as page:
        wall = page.locator(".lb-looks .lb-shots")
        assert wall.locator("thead a").all_text_contents() == [
            "Second with a rather long name",
            "Best of its kind",
        ]
        assert page.locator(".lb-without").text_content() == "Plain gave no heatmaps."
        assert wall.locator("tbody tr").count() == SHARED_IMAGES
        for place in range(SHARED_IMAGES):
            wall.locator("tbody tr").nth(place).scroll_into_view_if_needed()
        page.wait_for_function(
            "() => [...document.querySelectorAll('.lb-shot img')].every(i => i.naturalWidth === 32)"
        )
        told = wall.locator("td").evaluate_all(
            "all => all.map(c => [c.querySelector('img').alt, c.querySelector('img').style.objectPosition])"
        )
        page.goto(site + COMPARE_IMAGES.replace("compare", "gallery"))
        for entry, column in (("id_second", told[::2]), ("id_best", told[1::2])):
            shown = page.locator(f"td[data-entry={entry}] img").evaluate_all(
                "all => all.map(i => [i.alt, i.style.objectPosition])"
            )
            for (alt, at), (other, there) in zip(column, shown, strict=True):
                assert alt.split(": ")[0] == other.split(": ")[0]
                assert alt.split(": ")[1] == other.rsplit("; ", 1)[1]
                assert float(at[4:-1]) == pytest.approx(float(there[4:-1]), abs=1e-3)


def test_without_scripts_the_page_says_where_to_look(browser: Browser, site: str) -> None:
    with opened(browser, site + PAIR, java_script_enabled=False) as page:
        said = page.locator("[data-lb-unscripted]")
        assert (said.text_content() or "").startswith("This page needs a script")
        hrefs = said.locator("a").evaluate_all("all => all.map(a => a.href)")
        assert [href.rsplit("/", 1)[1] for href in hrefs] == ["index.html", "table.csv"]
        assert all(page.request.get(href).ok for href in hrefs)
        assert not page.locator(".lb-compare").is_visible()
    with opened(browser, site + PAIR) as page:
        assert page.locator("[data-lb-unscripted]").count() == 0


def test_it_works_from_a_file(browser: Browser, site: str, tmp_path: Path) -> None:
    with opened(browser, site + PAIR) as page:
        told = page.locator(".lb-verdict").text_content()
        for name in (COMPARE, "assets/compare.js"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(page.request.get(site + name).body())
    address = f"{(tmp_path / COMPARE).as_uri()}?entries=omnibus_test"
    with opened(browser, address) as page:
        page.get_by_label("Quadratic conditional probe").check()
        assert page.locator(".lb-verdict").text_content() == told
