import csv
import io
import json
from dataclasses import replace

import pytest

from benchmark.pages.downloads import _guarded, table_csv, table_json
from benchmark.pages.tables import main_table
from tests.test_pages_tables import FACES, TABLE

MAIN = main_table(TABLE, FACES)


def rows() -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table_csv(MAIN))))


def test_csv_has_a_row_for_each_entry_in_table_order() -> None:
    assert [(row["entry"], row["group"]) for row in rows()] == [
        ("good", "calibrated"), ("eager", "over-firing"), ("broken", "incomplete"), ("new", "waiting"),
    ]  # fmt: skip


def test_csv_holds_ranks_intervals_and_blanks() -> None:
    good, _, broken, _ = rows()
    assert [good[key] for key in ("rank_low", "rank_high", "tie", "auroc", "auroc_low", "auroc_high")] == [
        "1", "2", "a", "0.9", "0.85", "0.95",
    ]  # fmt: skip
    assert [broken[key] for key in ("rank_low", "auroc", "auroc_high", "note")] == ["", "", "", "It failed."]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", " =", "＝", "＠"])
def test_text_cannot_start_a_formula(start: str) -> None:
    face = replace(FACES["good"], title=f"{start}1+1")
    table = main_table(TABLE, FACES | {"good": face})
    assert next(csv.DictReader(io.StringIO(table_csv(table))))["title"] == f"'{start}1+1"


def test_negative_numbers_stay_numbers() -> None:
    assert _guarded(-0.5) == "-0.5"


def test_json_says_the_same_with_null_for_nothing() -> None:
    found = json.loads(table_json(MAIN, TABLE))
    assert (found["schema"], found["track"], found["version"], found["ranking"]) == (
        1, "embedding-detection", "1.2", "auroc",
    )  # fmt: skip
    assert found["rows"][0]["auroc"] == 0.9 and found["rows"][3]["auroc"] is None
    assert [list(row) for row in found["rows"]] == [list(rows()[0])] * 4
