from benchmark.pages.gather import Face
from benchmark.pages.svg import strip
from benchmark.ranking import Group, Standing, Standings
from tests.builders import CURRENT, TRACK


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
