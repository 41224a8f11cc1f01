import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from benchmark.pages.cost_figure import Point, cost_drawing, front
from benchmark.pages.figures import drawn, spread
from benchmark.pages.gather import Face
from benchmark.pages.graded_figures import graded_drawings, graded_points, leading
from benchmark.pages.rank_map import rank_map
from benchmark.pages.sketch_figures import sample_rows, sketch_drawings
from benchmark.pages.strength_figures import flag_drawings, strength_drawings
from benchmark.ranking import Group, Standing, Standings
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import ImageRow
from tests.builders import CURRENT, TRACK, result
from tests.builders_site import Made, answers
from tests.test_pages_tables import FACES, GOOD, TABLE


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


@pytest.mark.parametrize(
    ("key", "sketches", "images"),
    [
        ("embedding-detection", ["case-linear", "case-xor", "case-variance"], []),
        ("embedding-mitigation", ["case-training", "case-test"], []),
        ("image-detection", [], ["images-1.png", "images-2.png", "images-3.png", "images-4.png"]),
        ("image-mitigation", [], ["images-1.png", "images-2.png", "images-3.png", "images-4.png"]),
    ],
)
def test_a_track_shows_what_its_cases_look_like(key: str, sketches: list[str], images: list[str]) -> None:
    make = TRACKS[key].pictures
    assert make is not None
    pictures = make()
    assert [drawing.name for drawing in sketch_drawings(pictures)] == sketches
    assert [image.file for row in sample_rows(pictures) for image in row.images] == images


def test_an_image_keeps_its_pixels_and_its_caption() -> None:
    corner = np.zeros((1, 2, 2, 3), dtype=np.float32)
    corner[0, 1, 0] = (1.0, 0.5, 0.0)
    (row,) = sample_rows([ImageRow("bars", "Two bars", corner, ("a bar",))])
    (image,) = row.images
    assert (row.title, image.file, image.caption) == ("Two bars", "bars-1.png", "a bar")
    shown = np.asarray(Image.open(io.BytesIO(image.content)))
    assert shown.tolist() == [[[0, 0, 0], [0, 0, 0]], [[255, 128, 0], [0, 0, 0]]]


def test_lines_of_accuracies_have_a_panel_for_each_variant() -> None:
    track = TRACKS["embedding-mitigation"]
    rows = answers(Made("some", "Some", track=track), track.current)
    row = Standing("some", Group.RANKED, result("some", rows, track.current), 0.5, None, (1, 1))
    table = Standings(track, track.current, (row,), frozenset())
    drawings = strength_drawings(table, {"some": Face("some", "Some", "", False)})
    assert [drawing.name for drawing in drawings] == ["worst_group_acc-rho-0.9", "worst_group_acc-rho-0.97"]
    assert ">Worst-group accuracy<" in drawings[0].files["light"]


def point(name: str, seconds: float, value: float, control: bool = False) -> Point:
    return Point(name, seconds, value, control)


def test_the_front_holds_those_that_no_other_beats_on_both() -> None:
    points = [
        point("slow and best", 9.0, 0.9),
        point("fast and poor", 1.0, 0.5),
        point("beaten by the next", 4.0, 0.6),
        point("middle", 3.0, 0.7),
        point("as fast as the poor one, and poorer", 1.0, 0.4),
        point("a control is never on it", 0.5, 1.0, control=True),
    ]
    assert [p.name for p in front(points, up=True)] == ["fast and poor", "middle", "slow and best"]
    # With lower values better, the poorest of the fastest beats all others.
    assert [p.name for p in front(points, up=False)] == ["as fast as the poor one, and poorer"]


def test_the_cost_figure_names_the_front_and_needs_three_entries() -> None:
    rows = tuple(
        Standing(name, Group.CALIBRATED, result(name), value, (value, value), (1, 3))
        for name, value in (("a", 0.9), ("b", 0.8), ("c", 0.7))
    )
    faces = {row.entry: Face(row.entry, f"<{row.entry}>", "", control=False) for row in rows}
    found = cost_drawing(Standings(TRACK, CURRENT, rows, frozenset()), faces)
    assert found is not None and sorted(found.files) == ["dark", "light"]
    assert found.alt.endswith("both faster and better than: <a>.")
    assert "&lt;a&gt;" in found.files["light"] and "&lt;b&gt;" not in found.files["light"]
    assert cost_drawing(Standings(TRACK, CURRENT, rows[:2], frozenset()), faces) is None


def test_the_rank_map_has_a_block_for_each_group_and_ends_after_thirty() -> None:
    found = rank_map(TABLE, FACES)
    assert found is not None
    assert [[(bar.low, bar.high, bar.text) for bar in block.bars] for block in found.blocks] == [
        [(1, 2, "1–2")],
        [(3, 3, "3")],
    ]
    rows = tuple(replace(TABLE.rows[0], entry=f"e{n}", rank=(n, n)) for n in range(1, 41))
    faces = {row.entry: Face(row.entry, row.entry, "", control=False) for row in rows}
    long = rank_map(Standings(TRACK, CURRENT, rows, frozenset()), faces)
    assert long is not None and (long.shown, long.ranked) == (30, 40)
    assert rank_map(Standings(TRACK, CURRENT, TABLE.rows[:1], frozenset()), FACES) is None


def test_flag_figures_name_entries_with_what_fires_on_nulls() -> None:
    text = dict(drawn(flag_drawings(TABLE, FACES)))["tpr-linear-light.svg"]
    fpr = GOOD.metrics["fpr"]
    assert fpr is not None and f">{fpr:.2f} Good<" in text
    track = TRACKS["embedding-mitigation"]
    assert flag_drawings(Standings(track, track.current, (), frozenset()), {}) == []


def graded_row(
    entry: str, group: Group = Group.CALIBRATED, rank: tuple[int, int] | None = (1, 1)
) -> Standing:
    track = TRACKS["image-detection"]
    made = Made(entry, entry, (8.0,), track=track)
    found = result(entry, answers(made, track.current), track.current)
    return Standing(entry, group, found, 0.9, (0.8, 1.0), None if group is Group.CONTROL else (1, 1))


def test_scores_by_the_graded_figure_are_ranks_with_ties_shared() -> None:
    row = graded_row("some_entry")
    assert row.result is not None
    points = graded_points(row, "reliance")
    held = row.result.details.per_dataset
    scores = [one.score for one in held]
    by_hand = [
        100 * (sum(o < s for o in scores) + (scores.count(s) - 1) / 2) / (len(scores) - 1)  # type: ignore[operator]
        for s in scores
    ]
    assert [point.rank for point in points] == pytest.approx(by_hand)
    assert [point.figure for point in points] == [one.__pydantic_extra__["reliance"] for one in held]


def test_leading_entries_and_a_control_have_a_panel_where_a_version_is_graded() -> None:
    track = TRACKS["image-detection"]
    rows = (
        *(graded_row(f"e{n}") for n in range(8)),
        graded_row("floor", Group.CONTROL),
        graded_row("other_floor", Group.CONTROL),
    )
    table = Standings(track, track.current, rows, frozenset())
    assert [row.entry for row in leading(table)] == ["e0", "e1", "e2", "e3", "e4", "floor"]
    faces = {row.entry: Face(row.entry, "<b>x</b>", "", control=False) for row in rows}
    drawings = graded_drawings(table, faces)
    assert [drawing.name for drawing in drawings] == [f"graded-{row.entry}" for row in leading(table)]
    assert "&lt;b&gt;x&lt;/b&gt;" in drawings[0].files["light"]
    assert graded_drawings(TABLE, FACES) == []
