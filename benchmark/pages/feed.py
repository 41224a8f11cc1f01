"""New and changed rows as an Atom feed."""

import hashlib
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from benchmark.metrics import METRICS
from benchmark.pages.axis import number, rank_text, span
from benchmark.pages.escape import plain
from benchmark.pages.gather import Board, folder_of
from benchmark.ranking import Standing, Standings

FILE_NAME = "feed.xml"
"""The file, below site/leaderboard/."""
ATOM = "http://www.w3.org/2005/Atom"
MOST = 50
"""How many rows the feed holds, the newest ones."""
NAMESPACE = uuid.UUID("5b0f6b1e-6a63-5d0e-9c53-2f0d6a3f9a11")
"""The namespace of the feed's own ids."""
EPOCH = "1970-01-01T00:00:00+00:00"
"""When an empty feed was updated."""


@dataclass(frozen=True)
class _Item:
    """A result, as the feed tells it."""

    board: Board
    """What it stands on."""
    table: Standings
    """The table it stands in."""
    row: Standing
    """Its row."""

    @property
    def scored_at(self) -> str:
        """When it was scored."""
        return self.row.result.timing.scored_at if self.row.result else ""


def feed(board: Board, base: str = "") -> str:
    """The newest results under current versions as Atom (RFC 4287), the newest first.

    base: the address of site/leaderboard/ with a slash at its end; without it links are relative to the feed.
    """
    items = sorted(_items(board), key=lambda item: (item.scored_at, item.row.entry), reverse=True)[:MOST]
    ElementTree.register_namespace("", ATOM)
    root = ElementTree.Element(f"{{{ATOM}}}feed")
    _add(root, "id", _id("feed"))
    _add(root, "title", "Shortcut Leaderboard: new and changed rows")
    _add(root, "updated", items[0].scored_at if items else EPOCH)
    _add(root, "author/name", "Shortcut Leaderboard")
    _link(root, "self", f"{base}{FILE_NAME}")
    _link(root, "alternate", f"{base}../index.html")
    for item in items:
        _entry(root, item, base)
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _items(board: Board) -> Iterator[_Item]:
    for found in board.tracks:
        for row in found.current.rows:
            if row.result is not None:
                yield _Item(board, found.current, row)


def _entry(root: ElementTree.Element, item: _Item, base: str) -> None:
    row, track, version = item.row, item.table.track, item.table.version
    face = item.board.faces[row.entry]
    entry = ElementTree.SubElement(root, f"{{{ATOM}}}entry")
    _add(entry, "id", _id(track.key, version.number, row.entry, item.scored_at))
    _add(entry, "title", plain(f"{face.title} on {track.title} {version.number}"))
    _add(entry, "updated", item.scored_at)
    _link(entry, "alternate", f"{base}{face.page}#{track.key}")
    _link(entry, "related", f"{base}{folder_of(item.table)}/index.html")
    _add(entry, "summary", plain(_summary(item)))


def _summary(item: _Item) -> str:
    row, metric = item.row, METRICS[item.table.version.ranking]
    if row.value is None:
        return row.note or "It has no value of the ranking metric."
    ends = f" (95% interval {span(row.interval)})" if row.interval else ""
    rank = f" Rank {rank_text(row.rank)}." if row.rank else f" {row.note or 'Not ranked.'}"
    return f"{metric.title} {number(row.value)}{ends}.{rank}"


def _id(*parts: str) -> str:
    """An id that stays the same as long as what it names does."""
    return uuid.uuid5(NAMESPACE, hashlib.sha256("\n".join(parts).encode()).hexdigest()).urn


def _add(parent: ElementTree.Element, path: str, text: str) -> None:
    for name in path.split("/"):
        parent = ElementTree.SubElement(parent, f"{{{ATOM}}}{name}")
    parent.text = text


def _link(parent: ElementTree.Element, kind: str, address: str) -> None:
    ElementTree.SubElement(parent, f"{{{ATOM}}}link", {"rel": kind, "href": address})
