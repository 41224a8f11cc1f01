"""Galleries: which pictures stand where, and what their files hold."""

import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from benchmark import gallery
from benchmark.errors import ResultError
from benchmark.pages.axis import CIVIDIS
from benchmark.pages.build import render
from benchmark.pages.gallery_page import choices, gallery_files, gallery_page
from benchmark.pages.gather import Board, Face, gather
from benchmark.pages.raster import HEATS, cut_at, png_color, png_column, png_heat
from benchmark.pages.render import environment
from benchmark.pages.shots import Gallery, Shot, examples, gallery_of
from benchmark.ranking import Group, Standing, Standings
from benchmark.records import Kind
from benchmark.tracks import TRACKS
from tests.builders import result
from tests.builders_site import SOURCE, Made, answers, repository

TRACK = TRACKS["image-detection"]
VERSION = TRACK.current
GOOD = Made("good", "Good", (8.0,), track=TRACK, versions=("1.0",))
POOR = Made("poor", "Poor", (1.0,), track=TRACK, versions=("1.0",))
PLAIN = Made("plain", "Plain", track=TRACK, versions=("1.0",), plain=True)


def made(*entries: Made) -> tuple[Board, Standings]:
    """A board and a table with the pictures of `entries`."""
    held = {entry.id: answers(entry, VERSION) for entry in entries}
    results = {name: result(name, rows, VERSION) for name, rows in held.items()}
    pictures = {results[name].place: gallery.joined(rows) for name, rows in held.items()}
    faces = {entry.id: Face(entry.id, entry.title, "", False) for entry in entries}
    board = Board((), {}, faces, {place: found for place, found in pictures.items() if found is not None})
    rows = tuple(Standing(name, Group.CALIBRATED, results[name], 1.0, None, (1, 1)) for name in results)
    return board, Standings(TRACK, VERSION, rows, frozenset())


def found(*entries: Made) -> Gallery:
    held = gallery_of(*made(*entries))
    assert held is not None
    return held


def pixels(png: bytes) -> npt.NDArray[np.uint8]:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def shot(**given: object) -> Shot:
    case = result("x", answers(GOOD, VERSION), VERSION).details.per_dataset[0]
    values: Mapping[str, object] = {
        "place": 0, "case": case, "image": 3, "role": 0, "corner": 3, "hit": False, "peak": (4, 9), **given,
    }  # fmt: skip
    return Shot(**values)  # type: ignore[arg-type]


def test_without_pictures_there_is_no_gallery() -> None:
    assert gallery_of(*made(PLAIN)) is None and gallery_of(*made()) is None


def test_rows_are_the_images_all_entries_share_and_columns_the_entries_with_pictures() -> None:
    held = found(GOOD, PLAIN, POOR)
    assert [reel.face.id for reel in held.reels] == ["good", "poor"]
    named = [(image.shot.case.case, image.shot.image) for image in held.images]
    assert named == [
        (f"patch/{case}", image)
        for case in ("0.5/0", "0.5/2", "1.0/0", "1.0/2")
        for image in (3, 13)
    ]  # fmt: skip
    for image in held.images:
        cells = [cell for cell in image.cells if cell is not None]
        assert {(cell.case.case, cell.image, cell.role) for cell in cells} == {
            (image.shot.case.case, image.shot.image, 0)
        }
        assert len(cells) == 2


def test_an_image_that_one_entry_lacks_leaves_its_cell_empty() -> None:
    board, table = made(GOOD, POOR)
    place = table.rows[1].result.place if table.rows[1].result else Path()
    held = board.galleries[place]
    kept = np.flatnonzero(held["case"] != "patch/0.5/0")
    fewer = {**board.galleries, place: {name: array[kept] for name, array in held.items()}}
    found = gallery_of(Board((), {}, board.faces, fewer), table)
    assert found is not None
    assert [cell is None for cell in found.images[0].cells] == [False, True]
    assert [cell is None for cell in found.images[-1].cells] == [False, False]


def test_every_shot_is_cut_from_its_own_place_of_the_file() -> None:
    (reel,) = found(GOOD).reels
    picture = pixels(reel.content)
    assert picture.shape == (34 * reel.count, 32, 3)
    for each in reel.shots[:5]:
        alone = png_heat(*(reel.arrays[name][[each.place]] for name in ("image", "heatmap")))
        assert (picture[34 * each.place : 34 * each.place + 34] == pixels(alone)).all()
        # object-position p% puts the picture's row p% of (its height - the box) at the top of the box
        top = cut_at(each.place, reel.count) / 100 * (34 * reel.count - 32)
        assert top == pytest.approx(34 * each.place + 1, abs=0.01)


def test_the_ends_of_a_picture_are_repeated_so_that_no_neighbor_shows() -> None:
    image = np.arange(2 * 3 * 4 * 4, dtype=np.uint8).reshape(2, 3, 4, 4)
    column = pixels(png_column(image))
    assert (column[[0, 5]] == column[[1, 4]]).all() and (column[[6, 11]] == column[[7, 10]]).all()


def test_examples_are_the_same_shortcut_images_of_the_leading_entries() -> None:
    shown = examples(found(GOOD, POOR), entries=2, pictures=3)
    assert [(reel.face.id, each.case.case, each.image) for reel, each in shown] == [
        ("good", "patch/1.0/0", 3), ("poor", "patch/1.0/0", 3), ("good", "patch/1.0/0", 13),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "hit", "peak", "word"),
    [
        (Kind.SHORTCUT, True, (1, 1), "hit"),
        (Kind.SHORTCUT, False, (1, 1), "miss"),
        (Kind.NULL, True, (1, 1), "on the patch"),
        (Kind.NULL, False, (1, 1), "off the patch"),
        (Kind.AMBIGUOUS, True, (1, 1), "on the patch"),
        (Kind.SHORTCUT, False, None, "miss, no peak"),
        (Kind.NULL, False, None, "no peak"),
    ],
)
def test_hits_count_in_shortcut_cases_only(
    kind: Kind, hit: bool, peak: tuple[int, int] | None, word: str
) -> None:
    case = shot().case.model_copy(update={"kind": kind})
    found = shot(case=case, hit=hit, peak=peak)
    assert (found.word, found.outcome) == (word, word.removesuffix(", no peak"))


def test_a_shot_says_where_things_are() -> None:
    assert (shot().corner_word, shot().patch) == ("bottom right", (28, 28, 4, 4))
    assert shot(corner=1).patch == (28, 0, 4, 4)
    assert shot().peak_words == "the heatmap peaks in row 5, column 10 of 32"
    assert shot(peak=None).peak_words == "the heatmap has no peak"


def test_choices_are_what_there_is() -> None:
    held = choices([shot(corner=3), shot(corner=0, hit=True), shot(corner=3, peak=None)])
    assert (held.strengths, held.corners) == ((0.5,), ("top left", "bottom right"))
    assert held.outcomes == ("no peak", "off the patch", "on the patch")


def test_heat_is_lighter_the_higher_it_is_on_any_gray() -> None:
    steps = np.linspace(0, 255, HEATS).astype(np.uint8)
    heat = np.tile(steps, (1, 2, 1))
    image = np.zeros((1, 3, 2, HEATS), dtype=np.uint8)
    image[:, :, 1] = 255
    light = pixels(png_heat(image, heat)).astype(float) @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(light[0]) > 0).all()
    top = [int(CIVIDIS[-1][i : i + 2], 16) for i in (1, 3, 5)]
    assert pixels(png_heat(image, heat))[0, -1].tolist() == [round(0.85 * value) for value in top]


def test_images_keep_their_colors() -> None:
    image = np.arange(2 * 3 * 4 * 4, dtype=np.uint8).reshape(2, 3, 4, 4)
    assert (pixels(png_column(image))[7:11] == image[1].transpose(1, 2, 0)).all()
    one = np.arange(27, dtype=np.uint8).reshape(3, 3, 3)
    assert (pixels(png_color(one)) == one).all() and png_color(one) == png_color(one)


def test_the_pages_of_a_track_with_pictures_have_a_gallery_and_its_files(tmp_path: Path) -> None:
    root = repository(tmp_path, (GOOD, POOR, PLAIN))
    files = render(gather(root), root / "templates")
    folder = "image-detection/gallery"
    assert {name for name in files if name.startswith(folder)} == {
        f"{folder}/{name}" for name in ("index.md", "good.png", "poor.png", "shared-images.png")
    }
    assert isinstance(files[f"{folder}/good.png"], bytes)
    assert 'src="../image-detection/gallery/good.png"' in str(files["entries/good.md"])
    assert "What it looks at" not in str(files["entries/plain.md"])
    assert 'href="gallery/index.html"' in str(files["image-detection/index.md"])


def test_an_older_version_has_its_gallery_below_its_own_page() -> None:
    older = replace(VERSION, number="0.9")
    board, table = made(GOOD)
    table = replace(table, track=replace(TRACK, versions=(older, VERSION)), version=older)
    held = gallery_of(board, table)
    assert held is not None
    page = gallery_page(board, table, held, environment(SOURCE / "templates"))
    assert (page.path, page.searched) == ("image-detection/0.9/gallery/index.md", False)
    assert 'href="../../../entries/good.html"' in page.body and 'href="../index.html"' in page.body
    assert sorted(gallery_files(table, held)) == [
        "image-detection/0.9/gallery/good.png", "image-detection/0.9/gallery/shared-images.png",
    ]  # fmt: skip


def test_a_gallery_of_ten_entries_is_light(tmp_path: Path) -> None:
    entries = [Made(f"entry_{n}", f"Entry {n}", (8.0,), track=TRACK, versions=("1.0",)) for n in range(10)]
    root = repository(tmp_path, tuple(entries))
    files = render(gather(root), root / "templates")
    sizes = [len(content) for name, content in files.items() if name.startswith("image-detection/gallery/")]
    assert len(sizes) == 12 and sum(sizes) < 1_000_000


def test_pictures_that_are_not_those_of_the_result_are_refused(tmp_path: Path) -> None:
    root = repository(tmp_path, (GOOD,))
    (root / "results/image-detection/1.0/good/gallery.npz").write_bytes(b"no gallery")
    with pytest.raises(ResultError, match=r"gallery\.npz"):
        gather(root)
