"""Whether the links of a built site lead somewhere: files, anchors, and nothing fetched from other hosts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from posixpath import normpath
from urllib.parse import SplitResult, unquote, urlsplit

from benchmark.text import fault

FETCHED = {
    ("script", "src"),
    ("img", "src"),
    ("img", "srcset"),
    ("source", "src"),
    ("source", "srcset"),
    ("link", "href"),
    ("iframe", "src"),
    ("object", "data"),
    ("use", "href"),
    ("image", "href"),
}
"""The attributes from which a browser fetches something by itself."""
FOLLOWED = {("a", "href"), ("area", "href"), ("form", "action")}
"""The attributes that a reader follows."""
NAMED_ONLY = {"canonical", "alternate", "prev", "next", "license", "author", "help"}
"""The kinds of <link> that fetch nothing."""
OUTSIDE = {"http", "https", "mailto"}
"""What a reader's link to elsewhere may begin with."""


@dataclass(frozen=True)
class _Seen:
    """What a page holds."""

    ids: set[str] = field(default_factory=set)
    """Its anchors."""
    fetched: set[str] = field(default_factory=set)
    """The addresses a browser fetches by itself."""
    followed: set[str] = field(default_factory=set)
    """The addresses a reader may follow."""


class _Reader(HTMLParser):
    """Collects the anchors and addresses of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.seen = _Seen()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remembers a tag's id and addresses."""
        held = {name: value or "" for name, value in attrs}
        for name in ("id", "name") if tag == "a" else ("id",):
            if held.get(name):
                self.seen.ids.add(held[name])
        kinds = set(held.get("rel", "").split())
        for name, value in held.items():
            if (tag, name) in FOLLOWED or (tag == "link" and name == "href" and kinds & NAMED_ONLY):
                self.seen.followed.add(value)
            elif (tag, name) in FETCHED:
                self.seen.fetched.update(_addresses(name, value))


def _addresses(name: str, value: str) -> Iterator[str]:
    """The addresses in an attribute: one, or those of a srcset."""
    if name != "srcset":
        yield value
        return
    yield from (part.split()[0] for part in value.split(",") if part.strip())


@dataclass(frozen=True)
class Checked:
    """A site whose links were looked at."""

    pages: int
    """How many pages it has."""
    links: int
    """How many different addresses its pages hold, summed over the pages."""
    faults: tuple[str, ...]
    """One line for each link that leads nowhere."""


def check_site(folder: Path, base: str = "/") -> Checked:
    """What the links of the site in `folder` lead to.

    base: the path that the site is served below; addresses that begin with a slash begin with it.
    """
    pages = {path.relative_to(folder).as_posix(): _read(path) for path in sorted(folder.rglob("*.html"))}
    site = _Site(folder, base, pages)
    faults = [line for name, seen in pages.items() for line in _faults(site, name, seen)]
    return Checked(len(pages), sum(len(s.fetched) + len(s.followed) for s in pages.values()), tuple(faults))


@dataclass(frozen=True)
class _Site:
    """A built site."""

    folder: Path
    """Where it lies."""
    base: str
    """The path it is served below."""
    pages: Mapping[str, _Seen]
    """What its pages hold, by path."""

    def target(self, page: str, link: SplitResult) -> str | None:
        """The file of the site that a link on `page` leads to; None where it leads out of the site."""
        path = unquote(link.path)
        if path.startswith("/"):
            if not path.startswith(self.base):
                return None
            place = path.removeprefix(self.base)
        else:
            place = (PurePosixPath(page).parent / path).as_posix() if path else page
        place = normpath(place) if place else "."
        if place == ".." or place.startswith("../"):
            return None
        return place if not (self.folder / place).is_dir() else normpath(f"{place}/index.html")


def _read(path: Path) -> _Seen:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    return reader.seen


def _faults(site: _Site, page: str, seen: _Seen) -> Iterator[str]:
    for address in sorted(seen.fetched):
        link = urlsplit(address)
        if link.scheme == "data":
            continue
        if link.scheme or link.netloc:
            yield fault(page, "only files of the site to be fetched", address, "keep a copy in the site")
        else:
            yield from _missing(site, page, address, link)
    for address in sorted(seen.followed):
        link = urlsplit(address)
        if link.scheme or link.netloc:
            if link.scheme not in OUTSIDE:
                yield fault(page, f"links that begin with {', '.join(sorted(OUTSIDE))}", address, "mend it")
        else:
            yield from _missing(site, page, address, link)


def _missing(site: _Site, page: str, address: str, link: SplitResult) -> Iterator[str]:
    place = site.target(page, link)
    if place is None or not (site.folder / place).is_file():
        yield fault(page, "links to files of the site", address, "mend the link")
    elif link.fragment and place in site.pages and not _has(site.pages[place], unquote(link.fragment)):
        yield fault(page, f"an anchor that {place} has", address, "mend the link")


def _has(seen: _Seen, anchor: str) -> bool:
    return anchor in seen.ids or anchor == "top"
