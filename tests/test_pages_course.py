"""The best result over time and by version."""

from xml.etree import ElementTree

from benchmark.pages.course_figure import Course, course, steps
from benchmark.pages.gather import Face, TrackBoard
from benchmark.ranking import Group, Standing, Standings
from tests.builders import TRACK, result

OLD, NEW = TRACK.versions[0], TRACK.current
NAMES = ("first", "second", "third", "floor")
FACES = {name: Face(name, f"<{name}>", "", False) for name in NAMES}


def row(name: str, day: int, value: float, group: Group = Group.CALIBRATED) -> Standing:
    found = result(name)
    timing = found.timing.model_copy(update={"scored_at": f"2026-03-{day:02}T12:00:00+00:00"})
    kept = found.model_copy(update={"timing": timing})
    rank = None if group is Group.CONTROL else (1, 1)
    return Standing(name, group, kept, value, (value - 0.1, min(1.0, value + 0.1)), rank)


def table(*rows: Standing, current: bool = True) -> Standings:
    return Standings(TRACK, NEW if current else OLD, rows, frozenset())


def of(*tables: Standings) -> Course:
    return course(TrackBoard(TRACK, tables[0], tables[1:]), FACES)


def test_only_results_that_led_when_they_were_scored_are_steps() -> None:
    found = steps(table(row("first", 5, 0.9), row("second", 2, 0.8), row("third", 3, 0.7)))
    assert [step.row.entry for step in found] == ["second", "first"]
    assert found[1].moment - found[0].moment == 3


def test_a_better_group_leads_whatever_the_value() -> None:
    calibrated, plain = row("first", 4, 0.6), row("second", 1, 0.9, Group.NO_FLAG)
    assert [step.row.entry for step in steps(table(calibrated, plain))] == ["second", "first"]


def test_controls_never_lead() -> None:
    assert steps(table(row("floor", 1, 0.5, Group.CONTROL))) == []


def test_one_day_and_one_version_leave_nothing_to_draw() -> None:
    assert of(table(row("first", 1, 0.9), row("second", 1, 0.8))) == Course(
        (), ("2026-03-01",), (NEW.number,)
    )
    assert of(table()) == Course((), (), ())


def test_days_are_drawn_over_time_and_versions_by_version() -> None:
    here, there = (
        table(row("first", 9, 0.9), row("second", 7, 0.8)),
        table(row("third", 9, 0.7), current=False),
    )
    assert [one.name for one in of(here).drawings] == ["best-over-time"]
    found = of(here, there)
    assert [one.name for one in found.drawings] == ["best-by-version", "best-over-time"]
    assert found.versions == ("1.0", "1.2") and found.days == ("2026-03-07", "2026-03-09")
    alt = "AUROC of the best entry by version: 1.0: <third> 0.700; 1.2: <first> 0.900."
    assert found.drawings[0].alt == alt


def test_the_figures_hold_names_and_days_as_text() -> None:
    found = of(table(row("first", 9, 0.9), row("second", 7, 0.8)), table(row("third", 9, 0.7), current=False))
    for drawing in found.drawings:
        for text in drawing.files.values():
            words = "".join(ElementTree.fromstring(text).itertext())
            assert "<first>" in words and "<third>" in words and "nan" not in words.lower()
    assert "2026-03-0" in found.drawings[1].files["dark"]


def test_versions_ranked_by_another_metric_are_left_out() -> None:
    other = Standings(
        TRACK, OLD.__class__(**{**OLD.__dict__, "ranking": "tpr"}), (row("third", 1, 0.7),), frozenset()
    )
    assert of(table(row("first", 1, 0.9)), other).versions == ("1.2",)
