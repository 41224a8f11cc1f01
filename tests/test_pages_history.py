"""The history of an entry's results, and the days of verification in tables."""

import csv
import io
from dataclasses import replace

from benchmark.pages.downloads import table_csv
from benchmark.pages.entry_history import history
from benchmark.pages.gather import board_of
from benchmark.pages.tables import main_table
from benchmark.tracks import TRACKS
from tests.builders import TRACK, entry, result
from tests.test_pages_tables import FACES, TABLE
from tests.test_verified import verification

ALL = tuple(TRACKS.values())


def test_each_version_with_a_result_is_a_row_newest_first() -> None:
    made = [result(version=version) for version in (TRACK.versions[0], TRACK.versions[2])]
    found = board_of([entry()], made, ALL)
    past = history(found.tracks[0], "some_entry", found.entries["some_entry"])
    assert [(one.version, one.rank, one.value, one.files) for one in past] == [
        ("1.2", "1 of 1", 1.0, "as now"),
        ("1.0", "1 of 1", 1.0, "as now"),
    ]
    assert (past[0].scored_at, past[0].commit, past[1].folder) == (
        "2026-01-01 00:00", "c" * 10, f"{TRACK.key}/1.0",
    )  # fmt: skip


def test_files_that_changed_or_are_gone_are_told() -> None:
    found = board_of([], [result()], ALL)
    assert [one.files for one in history(found.tracks[0], "some_entry", None)] == ["gone since"]
    later = replace(entry(), digest="e" * 64)
    assert [one.files for one in history(found.tracks[0], "some_entry", later)] == ["changed since"]
    assert history(found.tracks[0], "another", None) == ()


def test_the_last_column_says_when_a_result_was_verified() -> None:
    days = {"good": verification("good"), "eager": verification("eager", stands=False)}
    table = main_table(TABLE, FACES, days)
    assert (table.columns[-1].title, table.columns[-1].directed) == ("Verified", False)
    last = [line.cells[-1] for line in table.lines]
    assert [cell.text for cell in last] == ["2026-03-08", "differed 2026-03-08", "not yet", ""]
    assert [cell.value is None for cell in last] == [False, False, True, True]
    rows = csv.DictReader(io.StringIO(table_csv(table)))
    assert [row["verified"] for row in rows] == ["2026-03-08", "2026-03-08", "", ""]


def test_without_any_verification_there_is_no_such_column() -> None:
    assert "verified" not in [column.key for column in main_table(TABLE, FACES, {}).columns]
