"""Writes the generated pages and has MkDocs make the site; public/ is replaced once all of it is made."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchmark.errors import SiteError
from benchmark.pages import badges, cards, feed, machine
from benchmark.pages.citation import FILE_NAME as CITATION
from benchmark.pages.citation import read_citation
from benchmark.pages.entry_page import entry_page
from benchmark.pages.gather import Board, gather
from benchmark.pages.home_page import home_parts
from benchmark.pages.metadata import GENERATED, served_at
from benchmark.pages.render import environment
from benchmark.pages.track_page import track_outputs
from benchmark.pages.trust_page import trust_output
from benchmark.pages.written_parts import written_parts

PUBLIC = Path("public")
"""Where the HTML goes."""


def build(root: Path) -> Path:
    """The start page of the site built from what is committed in the repository at `root`.

    Raises EntryError and ResultError with all faults of what is committed, and SiteError when MkDocs
    finds a fault; public/ then stays as it is.
    """
    files = render(gather(root), root / "templates")
    try:
        write(files, root / GENERATED)
        make_html(root)
    except OSError as error:
        got = f"{error.strerror or error} at {error.filename}"
        raise SiteError(f"{root}: expected folders to write the site to, got {got}; mend that") from None
    return root / PUBLIC / "index.html"


def render(board: Board, templates: Path) -> dict[str, str | bytes]:
    """Every generated file by its path below site/leaderboard/: text, or the bytes of an image.

    templates: the folder of the templates, beside which the repository's CITATION.cff lies.
    """
    jinja = environment(templates)
    citation = read_citation(templates.parent / CITATION)
    files: dict[str, str | bytes] = {**home_parts(board, jinja), **dict(badges.badges(board))}
    files |= written_parts(board, jinja, citation)
    files |= cards.cards(board)
    files[machine.FILE_NAME] = machine.leaderboard_json(board)
    files[feed.FILE_NAME] = feed.feed(board, served_at())
    for found in board.tracks:
        for output in track_outputs(board, found, jinja):
            files.update({page.path: page.text for page in output.pages})
            files.update(output.files)
    trust = trust_output(board, jinja)
    files.update({page.path: page.text for page in trust.pages})
    files.update(trust.files)
    for face in board.faces.values():
        page = entry_page(board, face, jinja, citation)
        files[page.path] = page.text
    return files


def write(files: Mapping[str, str | bytes], folder: Path) -> None:
    """Replaces `folder` by one that holds `files` and nothing else."""
    with _replacing(folder) as fresh:
        for name, content in files.items():
            path = fresh / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def make_html(root: Path) -> None:
    """Has MkDocs build public/ strictly. Raises SiteError with its warnings when it finds any."""
    with _replacing(root / PUBLIC) as fresh:
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(fresh)]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, env=_mkdocs_environment())
        if done.returncode:
            raise SiteError(*_complaints(done.stderr))


def _complaints(output: str) -> list[str]:
    """The lines in which MkDocs says what is wrong; all of them where it only says that it failed."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    found = [line for line in lines if line.startswith(("WARNING", "ERROR"))]
    return [f"mkdocs: {line}" for line in found or lines or ["failed without a word"]]


def _mkdocs_environment() -> dict[str, str]:
    return os.environ | {"NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": "0"}


@contextmanager
def _replacing(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder` that takes its place when the block ends well."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    fresh, old = work / "new", work / "old"
    fresh.mkdir()
    try:
        yield fresh
        if folder.exists():
            folder.rename(old)
        try:
            fresh.rename(folder)
        except OSError:
            if old.exists():
                old.rename(folder)
            raise
    finally:
        shutil.rmtree(work)
