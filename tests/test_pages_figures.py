import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from benchmark.pages.figures import drawn
from benchmark.pages.gather import Face
from benchmark.pages.sketch_figures import sample_rows, sketch_drawings
from benchmark.pages.strength_figures import spread, strength_drawings
from benchmark.ranking import Group, Standing, Standings
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import ImageRow
from tests.builders import CURRENT, TRACK, result
from tests.builders_site import Made, answers
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
