"""The tables as CSV and JSON."""

import csv
import io
import json
from collections.abc import Iterator
from itertools import zip_longest

from benchmark.pages.tables import Table
from benchmark.ranking import Standings

SCHEMA = 1
"""The version of the JSON's layout."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""What a spreadsheet takes for the start of a formula."""


def table_csv(table: Table) -> str:
    """The rows in the order shown, numbers in full precision; text cannot start a formula."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(_header(table))
    writer.writerows([_guarded(value) for value in record.values()] for record in records(table))
    return buffer.getvalue()


def table_json(table: Table, standings: Standings) -> str:
    """An object with schema, track, version and rows; numbers in full precision, null for none."""
    content = {
        "schema": SCHEMA,
        "track": standings.track.key,
        "version": standings.version.number,
        "ranking": standings.version.ranking,
        "rows": list(records(table)),
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _header(table: Table) -> list[str]:
    first = ["group", "rank_low", "rank_high", "tie", "entry", "title", "family"]
    return [*first, *(name for names in _names(table) for name in names), "remarks", "note"]


def _names(table: Table) -> list[tuple[str, ...]]:
    """For each column its key, and the keys of what stands beside its values in some row."""
    named = []
    for place, column in enumerate(table.columns):
        parts = dict.fromkeys(part for line in table.lines for part in line.cells[place].beside)
        named.append((column.key, *(f"{column.key}_{part}" for part in parts)))
    return named


def records(table: Table) -> Iterator[dict[str, str | float | None]]:
    """The rows in the order shown, each by column: text, a number in full precision, or None."""
    named = _names(table)
    for line in table.lines:
        low, high = line.row.rank or (None, None)
        record: dict[str, str | float | None] = {
            "group": line.row.group.value,
            "rank_low": low,
            "rank_high": high,
            "tie": line.row.mark,
            "entry": line.face.id,
            "title": line.face.title,
            "family": line.face.family,
        }
        for names, cell in zip(named, line.cells, strict=True):
            record.update(zip_longest(names, (cell.day or cell.value, *cell.beside.values())))
        yield record | {"remarks": "; ".join(line.remarks), "note": line.row.note}


def _guarded(value: str | float | None) -> str:
    """A cell's text: empty for None, numbers exact, an apostrophe before what would be a formula."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value.lstrip(" ").startswith(FORMULA_STARTS) else value
    return repr(value)
