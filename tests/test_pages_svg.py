from benchmark.pages.gather import Face
from benchmark.pages.svg import case_panels, strip
from benchmark.ranking import Group, Standing, Standings
from benchmark.records import CaseKey, Judgement, Kind
from benchmark.results import row_of
from tests.builders import CURRENT, TRACK, failure, outcome


def case(
    strength: float, seed: int, score: float, flag: bool | None = None, variant: str = "linear"
) -> object:
    kind = Kind.SHORTCUT if strength else Kind.NULL
    return row_of(outcome(CaseKey(variant, strength, seed, kind), Judgement(score, flag)))


def test_a_strip_has_a_dot_for_each_value_and_moves_close_ones_apart() -> None:
    rows = tuple(
        Standing(name, Group.RANKED, None, value)
        for name, value in (("a", 1.0), ("b", 1.0), ("c", 0.5), ("d", None))
    )
    faces = {row.entry: Face(row.entry, row.entry.upper(), "", row.entry == "c") for row in rows}
    found = strip(Standings(TRACK, CURRENT, rows, frozenset()), faces, chosen="b")
    assert [(dot.face.id, dot.x, dot.lane, dot.chosen) for dot in found.dots] == [
        ("c", 0.0, 0, False), ("a", 100.0, 0, False), ("b", 100.0, -1, True),
    ]  # fmt: skip
    assert found.dots[0].label == "C: 0.500"


def test_cases_are_placed_by_the_rank_of_their_score() -> None:
    rows = [case(0.0, 0, -5.0), case(1.0, 0, 80.0, True), case(0.3, 0, 2.0, False), case(0.0, 1, 2.0)]
    (panel,) = case_panels(rows, "δ")
    assert [(line.label, line.null, [dot.x for dot in line.dots]) for line in panel.lines] == [
        ("null", True, [0.0, 50.0]), ("δ = 0.3", False, [50.0]), ("δ = 1", False, [100.0]),
    ]  # fmt: skip
    assert panel.lines[2].dots[0].flagged and not panel.lines[1].dots[0].flagged


def test_failed_cases_have_no_place() -> None:
    rows = [row_of(failure(CaseKey("xor", 0.0, 0, Kind.NULL))), case(0.3, 0, 2.0), case(0.3, 1, 1.0)]
    assert [panel.variant for panel in case_panels(rows, "δ")] == ["linear"]
    assert case_panels(rows[:2], "δ") == ()
