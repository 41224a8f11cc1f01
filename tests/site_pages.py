"""The made-up site that tests open in a real Chromium: its pages and how they are opened."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from playwright.sync_api import Browser, Page

from benchmark.tracks import TRACKS
from tests.builders_site import Made

TRACK_PAGE = "leaderboard/embedding-detection/index.html"
TRACK_OF_GALLERY = "leaderboard/image-detection/index.html"
GALLERY = "leaderboard/image-detection/gallery/index.html"
COMPARE = "leaderboard/embedding-detection/compare/index.html"
COMPARE_MEANS = "leaderboard/embedding-mitigation/compare/index.html"
COMPARE_IMAGES = "leaderboard/image-detection/compare/index.html"
SHARED_IMAGES = 8
"""Two images of the null and of the ρ = 1 case of seeds 0 and 2 each: what the made-up galleries share."""
PAGES = (
    "index.html",
    TRACK_PAGE,
    "leaderboard/embedding-detection/1.0/index.html",
    "leaderboard/entries/hostile.html",
    "leaderboard/embedding-mitigation/index.html",
    TRACK_OF_GALLERY,
    GALLERY,
    "leaderboard/image-mitigation/index.html",
    COMPARE,
    f"{COMPARE}?entries=omnibus_test,hostile,random_score",
    f"{COMPARE_MEANS}?entries=em_best,em_second",
    f"{COMPARE_IMAGES}?entries=id_best,id_sixth,id_plain",
    "leaderboard/entries/em_best.html",
    "leaderboard/entries/id_best.html",
    "leaderboard/entries/id_plain.html",
    "leaderboard/entries/im_flaky.html",
    "leaderboard/trust/index.html",
    "how-scores-are-made.html",
    "maintaining.html",
    "reading.html",
    "submit.html",
    "cite.html",
    "changelog.html",
    "glossary.html",
    "404.html",
)
ATTACK = "</h1></td></table><img src=x onerror=hit()><script>hit()</script>"
HOSTILE = Made(
    "hostile",
    "</title><script>hit()</script>&lt;b>",
    flag="none",
    toml={
        "summary": f'{ATTACK} **bold** [link](javascript:hit()) --8<-- "x" {{{{ 7*7 }}}}',
        "authors": ["<svg onload=hit()>", "`code` | cell"],
        "license": "'\"><script>hit()</script>",
        "paper": "https://example.org/?a=1&copy=hit()",
        "bibtex": "@misc{a,\n  title = {</code></pre><script>hit()</script>}\n}",
    },
)
HOSTILE_SHOTS = replace(
    HOSTILE, id="hostile_shots", track=TRACKS["image-detection"], versions=("1.0",), skill=(0.5,), flag="none"
)


@contextmanager
def opened(browser: Browser, address: str, **options: object) -> Iterator[Page]:
    """A page in a new context."""
    context = browser.new_context(**options)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    yield page
    context.close()
