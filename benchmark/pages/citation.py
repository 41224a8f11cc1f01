"""How to cite the site and a row of it, and how to show a badge elsewhere."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmark.errors import SiteError
from benchmark.metrics import METRICS
from benchmark.pages.axis import number, span
from benchmark.pages.badges import badge_of, standing_text
from benchmark.pages.escape import visible
from benchmark.pages.gather import Board, Face, scored, scored_at
from benchmark.text import fault

FILE_NAME = "CITATION.cff"
"""The file of the repository that says how to cite it."""
NO_ADDRESS = "https://example.org/leaderboard/"
"""Stands for the address of the generated pages where the build does not know it."""
SPECIAL = re.compile(r"[\\{}$&#%_~^]")
LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
"""What LaTeX has for the characters that a backslash does not make harmless."""


@dataclass(frozen=True)
class Citation:
    """What CITATION.cff says."""

    title: str
    """The title."""
    authors: tuple[str, ...]
    """Who is to be named."""
    version: str
    """The version of the software."""


@dataclass(frozen=True)
class Badge:
    """A badge of an entry, for its own page elsewhere."""

    picture: str
    """The picture, below site/leaderboard/."""
    words: str
    """What it says."""
    markdown: str
    """What shows it, with a link to the entry's page."""


def read_citation(path: Path) -> Citation:
    """What the CITATION.cff at `path` says. Raises SiteError when it lacks title, version or authors."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    held = dict(re.findall(r"^(title|version): (.+)$", text, re.MULTILINE))
    authors = tuple(re.findall(r"^  - name: (.+)$", text, re.MULTILINE))
    missing = [name for name in ("title", "version") if name not in held]
    missing += [] if authors else ["authors, each with a name"]
    if missing:
        raise SiteError(fault(path, "title, version and authors", f"no {' and no '.join(missing)}", "add it"))
    return Citation(held["title"], authors, held["version"])


def site_bibtex(citation: Citation, board: Board, base: str) -> str:
    """The BibTeX entry of the site with the day of its newest result."""
    day = _last(board)
    fields = {
        "title": f"{{{latex(citation.title)}}}",
        "author": " and ".join(f"{{{latex(author)}}}" for author in citation.authors),
        "year": day[:4],
        "version": citation.version,
        "note": f"Results as of {day}" if day else "",
        "url": f"{base.removesuffix('leaderboard/')}index.html" if base else "",
    }
    return _bibtex("shortcut_leaderboard", fields)


def row_bibtex(citation: Citation, board: Board, face: Face, base: str) -> str:
    """The BibTeX entry of the results of an entry under current versions; empty without any."""
    rows = list(_told(board, face))
    if not rows:
        return ""
    fields = {
        "title": f"{{{latex(face.title)}}} on the {{{latex(citation.title)}}}",
        "author": " and ".join(f"{{{latex(author)}}}" for author in citation.authors),
        "year": max(day for _, day in rows)[:4],
        "note": latex("; ".join(text for text, _ in rows)),
        "url": f"{base}{face.page}" if base else "",
    }
    return _bibtex(f"shortcut_leaderboard_{face.id}", fields)


def badges_of(board: Board, face: Face, base: str) -> list[Badge]:
    """The badges of an entry under current versions, in the order of tracks."""
    return [
        Badge(
            picture=badge_of(found.current, row),
            words=(words := f"{found.track.title}: {standing_text(found.current, row)}"),
            markdown=f"[![{words}]({address}{badge_of(found.current, row)})]({address}{face.page})",
        )
        for address in [base or NO_ADDRESS]
        for found in board.tracks
        for row in found.current.rows
        if row.entry == face.id
    ]


def latex(text: str) -> str:
    """`text` as LaTeX that shows it, on one line."""
    line = " ".join(visible(text).split())
    return SPECIAL.sub(lambda match: LATEX.get(match[0], f"\\{match[0]}"), line)


def _told(board: Board, face: Face) -> Iterator[tuple[str, str]]:
    """What each current result says, and its day."""
    for found in board.tracks:
        table = found.current
        for row in table.rows:
            if row.entry == face.id and row.result is not None:
                name = f"{found.track.title} {table.version.number}"
                value = f"{METRICS[table.version.ranking].title} {number(row.value)} ({span(row.interval)}), "
                stands = standing_text(table, row)
                day = scored_at(row)
                yield f"{name}: {value if row.value is not None else ''}{stands}, scored {day}", day


def _last(board: Board) -> str:
    """The day of the newest result under a current version; empty without any."""
    days = (scored_at(row) for found in board.tracks for row in scored(found.current))
    return max(days, default="")


def _bibtex(key: str, fields: dict[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", *lines, "}"])
