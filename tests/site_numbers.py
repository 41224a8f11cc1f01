"""What the tables of a built site show, read back from its HTML, and what the raw results say."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import html5lib

from benchmark.metrics import METRICS
from benchmark.tracks import TRACKS
from benchmark.tracks.figures import FIGURES
from benchmark.tracks.spec import Version

Raw = dict[str, Any]
"""A results.json as it was read, without the code that pages are made with."""
BLANK = "–"
TIME, FRESH, GAP = "seconds_per_case", "fresh", "gap"


@dataclass(frozen=True)
class Table:
    """A table of entries as a page shows it."""

    place: str
    """The page and the caption."""
    version: Version
    """The version it is about."""
    track: str
    """The track's key."""
    ranking: str
    """The metric that ranks it."""
    keys: tuple[str, ...]
    """Its columns of numbers."""
    rows: tuple[tuple[str, tuple[str, ...] | None], ...]
    """The id and the words of each cell of each entry; None where one cell says why there are none."""
    downloads: dict[str, str]
    """The texts of its downloads by kind: csv, json."""


def parsed(path: Path) -> Element:
    """The root of a page."""
    text = path.read_text(encoding="utf-8")
    found: Element = html5lib.parse(text, namespaceHTMLElements=False)
    return found


def text_of(cell: Element) -> str:
    """The words of a cell that can be seen, with single blanks."""
    parts = [cell.text or ""]
    for part in cell:
        parts += ["" if "lb-hidden" in (part.get("class") or "") else text_of(part), part.tail or ""]
    return " ".join(" ".join(parts).split())


def raw(root: Path, track: str, version: str, entry: str) -> Raw | None:
    """The results.json of an entry; None where there is none."""
    path = root / "results" / track / version / entry / "results.json"
    found: Raw | None = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    return found


def fixed(value: float, digits: int = 3) -> str:
    """A number with so many decimals, halves to even as they stand in binary, and a true minus sign."""
    text = str(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN))
    return text.lstrip("-") if Decimal(text) == 0 else text.replace("-", "−")


def gap_of(found: Raw, metric: str) -> tuple[float, float]:
    """How much better the public seeds did than fresh ones, and the standard error."""
    sides = (found, found["fresh"])
    public, fresh = (side["metrics"][metric] for side in sides)
    errors = [(high - low) / (2 * 1.959964) for low, high in (side["intervals"][metric] for side in sides)]
    return (public - fresh if METRICS[metric].higher_is_better else fresh - public), math.hypot(*errors)


def time_of(found: Raw) -> str:
    mean = math.fsum(found["timing"]["per_case"].values()) / len(found["timing"]["per_case"])
    return seconds(mean)


def seconds(value: float) -> str:
    return fixed(value, 0 if value >= 10 else 1 if value >= 1 else 3)


def plus(value: float) -> str:
    text = fixed(value)
    return f"+{text}" if value > 0 and text != "0.000" else text


def value_of(found: Raw, key: str) -> float | None:
    """The number behind a column of metrics."""
    value: float | None
    if "/" in key:
        metric, variant, strength = key.split("/")
        value = found["details"]["by_strength"].get(metric, {}).get(variant, {}).get(strength)
    else:
        value = found["metrics"].get(key)
    return value


def expected(found: Raw, key: str, ranking: str) -> str:
    """What a cell should say."""
    if key == TIME:
        return time_of(found)
    if key in (FRESH, GAP):
        if not found["fresh"] or found["fresh"]["metrics"][ranking] is None:
            return BLANK
        difference, error = gap_of(found, ranking)
        fresh = fixed(found["fresh"]["metrics"][ranking])
        return fresh if key == FRESH else f"{plus(difference)} ± {fixed(error)}"
    value = value_of(found, key)
    if value is None:
        return BLANK
    low_high = [fixed(end) for end in found["intervals"][key]] if key == ranking else []
    return " ".join([fixed(value), *(["–".join(low_high)] if low_high else [])])


def known(key: str) -> bool:
    """Whether a column's numbers are in results.json."""
    return key in (TIME, FRESH, GAP) or key.split("/")[0] in METRICS


def tables(root: Path) -> Iterator[Table]:
    """All tables of entries on all pages of tracks, old versions too."""
    for track in TRACKS.values():
        folder = root / "public" / "leaderboard" / track.key
        for version in track.versions:
            place = folder / ("" if version is track.current else version.number) / "index.html"
            if place.exists():
                yield from _tables_of(place, track.key, version)


def _tables_of(place: Path, track: str, version: Version) -> Iterator[Table]:
    page = parsed(place)
    downloads: dict[int, dict[str, str]] = {}
    seen: list[Element] = []
    for element in page.iter():
        if element.tag == "table" and element.find(".//th[@data-key='rank']") is not None:
            seen.append(element)
            downloads[len(seen)] = {}
        if element.tag == "a" and element.get("download") is not None:
            path = place.parent / str(element.get("href"))
            downloads[len(seen)][path.suffix.lstrip(".")] = path.read_text(encoding="utf-8")
    for number, table in enumerate(seen, 1):
        caption = str(table.findtext("caption"))
        named = re.search(r" (\d+\.\d+), best first", caption)
        versions = {one.number: one for one in TRACKS[track].versions}
        own = versions[named[1]] if named else version
        where = f"{place.parent.name}: {caption}"
        yield Table(where, own, track, own.ranking, _keys(table), _rows(table), downloads[number])


def _keys(table: Element) -> tuple[str, ...]:
    """The keys of its columns from left to right, but for rank and entry."""
    keys: list[str] = []
    for head in table.findall("thead/tr[1]/th"):
        keys += (head.get("data-keys") or head.get("data-key") or "").split()
    assert keys[:2] == ["rank", "entry"]
    return tuple(keys[2:])


def _rows(table: Element) -> tuple[tuple[str, tuple[str, ...] | None], ...]:
    rows = []
    for row in table.findall("tbody/tr"):
        if row.get("data-entry"):
            cells = [*row][2:]
            spanning = [cell for cell in cells if cell.get("colspan")]
            rows.append((str(row.get("data-entry")), None if spanning else tuple(map(text_of, cells))))
    return tuple(rows)


def case_text(found: Raw, row: Raw, title: str, kinds: dict[str, str]) -> str:
    """What a cell of a table of cases should say in the column with this heading."""
    if title == "Score":
        return BLANK if row["score"] is None else f"{row['score']:.4g}"
    if title == "Flag":
        return {None: BLANK, True: "fired", False: "quiet"}[row["flag"]]
    if title == "Seconds":
        taken = found["timing"]["per_case"].get(row["case"])
        return BLANK if taken is None else seconds(taken)
    if title in ("Kind", "Case", "Status"):
        said = str(row[title.lower()])
        return f"{said}: {row['reason']}" if title == "Status" and row["reason"] else said
    name = kinds[title]
    value, figure = row.get(name), FIGURES[name]
    if value is None:
        return BLANK
    return figure.words[int(value)] if figure.words else fixed(value, figure.digits)
