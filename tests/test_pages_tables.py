from benchmark.metrics import METRICS
from benchmark.pages.gather import Face
from benchmark.pages.tables import HEADINGS, Cell, detail_table, main_table
from benchmark.ranking import Group, Standing, Standings
from tests.builders import CURRENT, TRACK, failure, result

GOOD = result("good")
ROWS = (
    Standing("good", Group.CALIBRATED, GOOD, 0.9, (0.85, 0.95), (1, 2), "a"),
    Standing(
        "eager", Group.OVERFIRING, result("eager"), 0.8, (0.7, 0.9), (3, 3), "", stale=True, changed=True
    ),
    Standing(
        "broken", Group.INCOMPLETE, result("broken", [failure(k) for k in CURRENT.keys()]), note="It failed."
    ),
    Standing("new", Group.WAITING, note="It waits."),
)
TABLE = Standings(TRACK, CURRENT, ROWS, frozenset())
FACES = {row.entry: Face(row.entry, row.entry.title(), "probe", False) for row in ROWS}


def test_the_main_table_has_every_metric_but_the_secondary_ones_and_the_time() -> None:
    assert [column.key for column in main_table(TABLE, FACES).columns] == [
        "auroc", "auroc_linear", "auroc_xor", "auroc_variance", "fpr", "tpr", "seconds_per_case",
    ]  # fmt: skip


def test_a_row_holds_the_standing_and_the_result() -> None:
    line = next(main_table(TABLE, FACES).lines)
    assert (line.rank, line.row.mark, line.face.title) == ("1–2", "a", "Good")
    assert line.cells[0] == Cell(0.9, "0.900", (0.85, 0.95))
    assert [cell.text for cell in line.cells[1:]] == ["1.000", "1.000", "1.000", "0.000", "1.000", "0.010"]


def test_groups_have_headings_in_order() -> None:
    blocks = main_table(TABLE, FACES).blocks
    assert [(block.group, len(block.lines)) for block in blocks] == [
        (Group.CALIBRATED, 1), (Group.OVERFIRING, 1), (Group.INCOMPLETE, 1), (Group.WAITING, 1),
    ]  # fmt: skip
    assert blocks[0].heading == "Calibrated flag (fires on at most 20% of nulls)"
    assert HEADINGS.keys() == set(Group)


def test_marks_are_in_words() -> None:
    eager = list(main_table(TABLE, FACES).lines)[1]
    assert [remark.split(":")[0] for remark in eager.remarks] == [
        "flag FPR > 0.2",
        "stale",
        "changed since it was scored",
    ]


def test_rows_without_any_metric_are_blank_even_where_time_was_spent() -> None:
    assert [line.blank for line in main_table(TABLE, FACES).lines] == [False, False, True, True]


def test_neighbors_share_the_heading_their_titles_share() -> None:
    overs = [(over, len(columns)) for over, columns in main_table(TABLE, FACES).overs]
    assert overs == [("", 1), ("AUROC", 3), ("", 1), ("", 1), ("", 1)]


def test_the_detail_table_goes_by_variant_and_strength() -> None:
    table = detail_table(TABLE, FACES, "auroc", secondary=True)
    assert [over for over, _ in table.overs] == ["AUROC, linear", "AUROC, xor", "AUROC, variance", "TPR"]
    assert [column.title for column in table.columns[:3]] == ["δ = 0.3", "δ = 0.6", "δ = 1"]
    assert [cell.value for cell in next(table.lines).cells] == [
        *(GOOD.details.by_strength["auroc"][v][s] for v in CURRENT.variants for s in ("0.3", "0.6", "1.0")),
        *(GOOD.metrics[name] for name in CURRENT.secondary),
    ]


def test_columns_without_any_value_are_left_out() -> None:
    waiting = Standings(TRACK, CURRENT, ROWS[3:], frozenset())
    assert detail_table(waiting, FACES, "auroc", secondary=False).columns == ()


def test_the_axis_holds_every_interval() -> None:
    axis = main_table(TABLE, FACES).axis
    assert (axis.low, axis.high, axis.chance) == (0.5, 1.0, METRICS["auroc"].chance)
