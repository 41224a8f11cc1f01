from dataclasses import replace

import pytest

from benchmark.pages.figures import drawn
from benchmark.pages.sketch_figures import sketch_drawings
from benchmark.pages.strength_figures import spread, strength_drawings
from benchmark.ranking import Group, Standing, Standings
from tests.builders import CURRENT, TRACK
from tests.test_pages_tables import FACES, TABLE


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [([0.1, 0.5], [0.1, 0.5]), ([0.5, 0.5], [0.5, 0.6]), ([1.0, 1.0, 1.0], [0.8, 0.9, 1.0]), ([], [])],
)
def test_labels_are_moved_apart_and_stay_below_the_top(wanted: list[float], expected: list[float]) -> None:
    assert spread(wanted, gap=0.1, top=1.0) == pytest.approx(expected)


def test_strength_figures_name_the_entries_and_are_the_same_each_time() -> None:
    first, again = (dict(drawn(strength_drawings(TABLE, FACES))) for _ in range(2))
    assert first == again
    assert sorted(first) == sorted(f"auroc-{v}-{s}.svg" for v in CURRENT.variants for s in ("light", "dark"))
    text = first["auroc-xor-light.svg"]
    assert ">Good<" in text and ">Eager<" in text and "Broken" not in text


def test_names_in_figures_are_text() -> None:
    faces = {**FACES, "good": replace(FACES["good"], title="<script>$x^2$</script>")}
    text = dict(drawn(strength_drawings(TABLE, faces)))["auroc-xor-light.svg"]
    assert "&lt;script&gt;$x^2$&lt;/script&gt;" in text


def test_without_results_there_is_no_figure() -> None:
    waiting = Standings(TRACK, CURRENT, (Standing("new", Group.WAITING),), frozenset())
    assert strength_drawings(waiting, FACES) == []


def test_the_track_draws_a_case_of_each_variant() -> None:
    assert [drawing.name for drawing in sketch_drawings(TABLE)] == [
        "case-linear",
        "case-xor",
        "case-variance",
    ]
