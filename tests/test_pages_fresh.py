"""Fresh scores on the pages: columns, marks, and the key they were made with."""

import csv
import io
from dataclasses import replace
from pathlib import Path

from benchmark.fresh import Commitments, place_of, revealed, secret, sha256_of
from benchmark.pages.build import render
from benchmark.pages.downloads import table_csv
from benchmark.pages.gather import Face, gather
from benchmark.pages.tables import Cell, Table, main_table
from benchmark.ranking import Group, Standing, Standings
from benchmark.results import FILE_NAME, Fresh, Result, parse, save
from benchmark.stored import write
from tests.builders import CURRENT, TRACK, result
from tests.builders_site import ENTRIES, repository

KEY = "5" * 64


def scored(value: float | None, half: float, public: tuple[float, float, float]) -> Result:
    """A result with the AUROC `public` (value, low, high) and with `value` ± `half` on fresh seeds."""
    fresh = Fresh(
        key_sha256=sha256_of(KEY),
        metrics={"auroc": value},
        reasons={} if value is not None else {"auroc": "2 of 180 cases failed"},
        intervals={} if value is None else {"auroc": (value - half, value + half)},
        fingerprint="d" * 64,
    )
    metrics, ends = {"auroc": public[0]}, {"auroc": public[1:]}
    return result().model_copy(update={"metrics": metrics, "intervals": ends, "fresh": fresh})


def table_of(*results: Result | None) -> Table:
    rows = tuple(
        Standing(f"entry{n}", Group.CALIBRATED, found, found.metrics["auroc"] if found else None)
        for n, found in enumerate(results)
    )
    faces = {row.entry: Face(row.entry, row.entry, "", control=False) for row in rows}
    return main_table(Standings(TRACK, CURRENT, rows, frozenset()), faces)


def cells(table: Table, row: int) -> dict[str, Cell]:
    return dict(zip((column.key for column in table.columns), list(table.lines)[row].cells, strict=True))


def test_fresh_and_gap_stand_before_the_time_with_their_errors() -> None:
    # Half widths 0.0588 and 0.0784 are standard errors of 0.03 and 0.04, together 0.05.
    table = table_of(scored(0.75, 0.0784, (0.9, 0.8412, 0.9588)))
    assert [column.key for column in table.columns][-3:] == ["fresh", "gap", "seconds_per_case"]
    found = cells(table, 0)
    assert (found["fresh"].text, found["gap"].text) == ("0.750", "+0.150")
    assert found["gap"].error is not None and abs(found["gap"].error - 0.05) < 1e-6
    assert next(table.lines).remarks == ()


def test_a_gap_beyond_three_standard_errors_is_a_remark_that_says_which_way() -> None:
    table = table_of(
        scored(0.7, 0.0784, (0.9, 0.8412, 0.9588)), scored(0.9, 0.0588, (0.7, 0.6216, 0.7784)), None
    )
    assert [line.remarks for line in table.lines] == [
        ("gap above 3 standard errors",),
        ("gap below minus 3 standard errors",),
        (),
    ]


def test_a_fresh_run_that_failed_has_no_number_and_says_so() -> None:
    table = table_of(scored(None, 0.0, (0.9, 0.8, 1.0)))
    assert cells(table, 0)["fresh"].value is None and cells(table, 0)["gap"].value is None
    assert next(table.lines).remarks == ("no value on fresh seeds",)


def test_without_any_fresh_score_there_are_no_such_columns() -> None:
    keys = [column.key for column in table_of(result(), None).columns]
    assert "fresh" not in keys and "gap" not in keys


def test_downloads_name_the_interval_and_the_standard_error() -> None:
    table = table_of(scored(0.75, 0.0784, (0.9, 0.8412, 0.9588)), None)
    first, second = csv.DictReader(io.StringIO(table_csv(table)))
    assert (first["fresh"], first["fresh_low"], first["fresh_high"]) == ("0.75", "0.6716", "0.8284")
    assert abs(float(first["gap"]) - 0.15) < 1e-9 and abs(float(first["gap_standard_error"]) - 0.05) < 1e-6
    assert [second[name] for name in ("fresh", "gap", "gap_standard_error")] == ["", "", ""]


def site(root: Path, shown: bool) -> dict[str, str | bytes]:
    """The pages of one entry with a fresh score, its key revealed or not."""
    made = replace(ENTRIES[0], versions=("1.2",))
    repository(root, (made,))
    commitment = secret(KEY, "a <b>label</b>")
    keys = [revealed(commitment, KEY) if shown else commitment]
    write(
        Commitments(schema=1, track=TRACK.key, version="1.2", keys=keys),
        place_of(root / "results", TRACK.key, "1.2"),
    )
    path = root / "results" / TRACK.key / "1.2" / made.id / FILE_NAME
    found = parse(path.read_bytes(), str(path))
    fresh = Fresh(
        key_sha256=sha256_of(KEY),
        metrics=found.metrics,
        reasons=found.reasons,
        intervals=found.intervals,
        fingerprint="d" * 64,
    )
    save(found.model_copy(update={"fresh": fresh}), path)
    return render(gather(root), root / "templates")


def test_pages_tell_the_hash_and_only_a_revealed_key(tmp_path: Path) -> None:
    hidden, shown = site(tmp_path / "a", shown=False), site(tmp_path / "b", shown=True)
    for name in (f"{TRACK.key}/index.md", f"entries/{ENTRIES[0].id}.md"):
        assert sha256_of(KEY) in str(hidden[name]) and sha256_of(KEY) in str(shown[name])
        assert KEY not in str(hidden[name]) and KEY in str(shown[name])
        assert "<b>label" not in str(shown[name])
    assert "+0.000" not in str(shown[f"entries/{ENTRIES[0].id}.md"])
