"""How fast the site is built and opens with many made-up entries, each figure as a ratio to its limit.

build:  the whole site, strictly, for each number of entries, each entry on one of the tracks in turn: seconds
        of reading with the audit, of ranking, of rendering and of MkDocs, the most memory, and how much more
        an entry costs than it does with the fewest entries.
page:   a site whose entries are all on one track: what its page and the search weigh, compressed, and what
        Chromium needs to show the page, and to sort its table by a click until the frame is painted.

Prints a line for each figure. Exits with 1 when one is over its limit.

Run: .venv/bin/python -m perf.site [--entries 100 300 1000] [--keep DIR] [build] [page]
"""

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import TypeVar

import numpy as np
from playwright.sync_api import Page, sync_playwright

from benchmark.audit import load_all
from benchmark.commands import ROOT
from benchmark.entries import list_entries
from benchmark.pages.build import make_html, render, write
from benchmark.pages.gather import gather_from
from benchmark.pages.metadata import GENERATED
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Track
from tests.builders_site import Made, repository

LIMITS: Mapping[str, tuple[float, str]] = {
    "rendering": (10, "s"),
    "whole build": (60, "s"),
    "memory": (1000, "MB"),
    "growth": (1.2, "times the cost of an entry in the smallest site"),
    "track page": (100, "KB compressed"),
    "search index": (50, "KB"),
    "first content": (1000, "ms"),
    "DOM loaded": (2000, "ms"),
    "sort": (150, "ms to the painted frame"),
    "sort, all rows shown": (150, "ms to the painted frame"),
}
"""What each figure may be at most, and its unit; those of the build for the largest site."""
PAGE_TRACK = "embedding-detection"
"""The track that has all entries where its page is measured."""
T = TypeVar("T")
KINDS = ("calm", "none", "eager")
REPEATS = 5
SORTED = """async () => {
  const heads = [...document.querySelectorAll(".lb-table thead button.lb-th")];
  const times = [];
  for (const head of heads.slice(2, 6)) {
    const start = performance.now();
    head.click();
    await new Promise((done) => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = done;
      port2.postMessage(0);
    }));
    times.push(performance.now() - start);
    await new Promise((done) => setTimeout(done, 1000));
  }
  return times;
}"""
"""Clicks four headings and gives the milliseconds until the frame after each is painted."""


def entries(count: int, tracks: list[Track]) -> tuple[Made, ...]:
    """Made-up entries on `tracks` in turn: all skills, with and without flags, every 25th a control."""
    random = np.random.default_rng(count)
    found = []
    for number in range(count):
        turn, place = divmod(number, len(tracks))
        toml: dict[str, object] = {"family": f"family-{turn % 7}"}
        if turn % 25 == 24:
            toml["kind"] = "control"
        track = tracks[place]
        skill = tuple(random.uniform(0, 8, 3).tolist())
        name = f"Made-up entry {number}"
        made = Made(f"entry_{number:04}", name, skill, KINDS[turn % 3], track, (track.version,), toml=toml)
        found.append(made)
    return tuple(found)


def built(root: Path) -> dict[str, float]:
    """Builds the site in a process of its own; gives the seconds of each part and the most memory, in MB."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "perf.site", "--build", str(root)]
    output = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(output.stdout)
    return found


def build(root: Path) -> dict[str, float]:
    """What `built` gives, measured in this process."""
    found: dict[str, float] = {}

    def timed(name: str, work: Callable[[], T]) -> T:
        started = time.perf_counter()
        result = work()
        found[name] = time.perf_counter() - started
        return result

    read = timed("reading and audit", lambda: (list_entries(root / "contrib"), load_all(root / "results")))
    board = timed("ranking", lambda: gather_from(root, *read))
    timed("rendering", lambda: write(render(board, root / "templates"), root / GENERATED))
    timed("MkDocs", lambda: make_html(root))
    found["whole build"] = sum(found.values())
    usage = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return found | {"memory": sum(usage) / 1024}


def tree(folder: Path, count: int, tracks: list[Track]) -> Path:
    """A repository of made-up entries, made unless it is there."""
    root = folder / f"{count}-on-{len(tracks)}"
    if not root.exists():
        print(f"making {count} entries on {len(tracks)} of the tracks", flush=True)
        repository(root, entries(count, tracks))
    return root


def builds(folder: Path, counts: list[int]) -> Iterator[bool]:
    """Prints what each size costs; gives whether the largest one is within the limits."""
    costs: dict[int, float] = {}
    for count in counts:
        found = built(tree(folder, count, list(TRACKS.values())))
        costs[count] = found["whole build"] / count
        parts = ", ".join(f"{name} {value:.1f} s" for name, value in found.items() if name != "memory")
        print(f"{count} entries on {len(TRACKS)} tracks: {parts}", flush=True)
    found["growth"] = costs[counts[-1]] / costs[counts[0]]
    yield from (verdict(name, found[name]) for name in ("rendering", "whole build", "memory", "growth"))


def pages(folder: Path, count: int) -> Iterator[bool]:
    """Prints what the page of a track with so many rows weighs and takes; gives what is within its limit."""
    root = tree(folder, count, [TRACKS[PAGE_TRACK]])
    found = built(root)
    parts = ", ".join(f"{name} {value:.1f} s" for name, value in found.items() if name != "memory")
    print(f"{count} entries on one track: {parts}, memory {found['memory']:.0f} MB", flush=True)
    page = root / "public" / "leaderboard" / PAGE_TRACK / "index.html"
    yield verdict("track page", len(gzip.compress(page.read_bytes(), 9)) / 1000)
    yield verdict("search index", (root / "public" / "search" / "search_index.json").stat().st_size / 1000)
    for name, value in opened(root / "public").items():
        yield verdict(name, value)


def opened(folder: Path) -> dict[str, float]:
    """Milliseconds that Chromium needs for the page, the medians of a few visits with nothing remembered."""
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/leaderboard/{PAGE_TRACK}/index.html"
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"))
        visits = []
        for _ in range(REPEATS):
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            visits.append(visit(context.new_page(), address))
            context.close()
        browser.close()
        server.shutdown()
    return {name: median(found[name] for found in visits) for name in visits[0]}


def visit(page: Page, address: str) -> dict[str, float]:
    """Milliseconds of one visit: to the first content, to the loaded document, and of sorting the table."""
    page.goto(address, wait_until="load")
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length > 0")
    first = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    loaded = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    found = {"first content": first, "DOM loaded": loaded, "sort": max(page.evaluate(SORTED))}
    more = page.locator("[data-lb-all]")
    if more.is_visible():
        more.click()
        found["sort, all rows shown"] = max(page.evaluate(SORTED))
    return found


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *_arguments: object) -> None:
        """Says nothing."""


def verdict(name: str, value: float) -> bool:
    """Prints a figure beside its limit; gives whether it is within it."""
    limit, unit = LIMITS[name]
    fine = value < limit
    word = "" if fine else ": OVER"
    print(f"  {name}: {value:.4g} {unit}, {value / limit:.2f} of the limit of {limit:g}{word}", flush=True)
    return fine


def main() -> None:
    """Runs the parts named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="*", default=["build", "page"])
    parser.add_argument("--entries", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--keep", type=Path, help="where the made-up repositories stay for the next time")
    parser.add_argument("--build", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.build:
        print(json.dumps(build(options.build)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        parts = {
            "build": lambda: list(builds(folder, sorted(options.entries))),
            "page": lambda: list(pages(folder, max(options.entries))),
        }
        fine = [all(parts[part]()) for part in options.part]
    raise SystemExit(not all(fine))


if __name__ == "__main__":
    main()
