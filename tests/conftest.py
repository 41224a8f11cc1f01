"""The built site and the browser, made once for each process that runs tests."""

import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from benchmark.pages.build import build
from tests.builders_site import all_entries, repository
from tests.site_pages import HOSTILE, HOSTILE_SHOTS


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository whose site is built, in its folder public."""
    root = repository(tmp_path_factory.mktemp("site"), (*all_entries(), HOSTILE, HOSTILE_SHOTS))
    build(root)
    return root


@pytest.fixture(scope="session")
def site(built: Path) -> Iterator[str]:
    handler = partial(Quiet, directory=str(built / "public"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"))
        yield browser
        browser.close()
