import numpy as np
import pytest

from benchmark.data.patched_bars import (
    CORNERS,
    PatchedBars,
    Recipe,
    generate_patched_bars,
    painted_gray,
    patch_slices,
)


def drawn(rho: float = 0.9, n: int = 2000, corner: int = 0, seed: int = 0) -> PatchedBars:
    return generate_patched_bars(Recipe(rho, n, corner), np.random.default_rng(seed))


def test_labels_are_balanced_and_the_patch_agrees_with_them_as_often_as_rho() -> None:
    made = drawn(rho=0.9)
    assert made.task_labels.sum() == 1000
    agreement = np.mean(made.attribute == made.task_labels)
    assert agreement == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / 2000))


def test_images_are_float32_in_the_unit_range_on_a_background_of_half() -> None:
    made = drawn()
    assert made.images.dtype == np.float32 and made.images.shape == (2000, 3, 32, 32)
    assert made.images.min() == 0.0 and made.images.max() == 1.0
    # A pixel in the middle is covered by a bar now and then; the corner without a patch hardly ever.
    corner = made.images[made.attribute == 0][:, :, 0, 0]
    assert corner.mean() == pytest.approx(0.5, abs=0.01)
    assert corner.std() == pytest.approx(0.197, abs=0.01)  # 0.2, a little less for the clipping at 2.5 sd


def test_the_bar_lies_for_label_0_and_stands_for_label_1_and_adds_its_effect() -> None:
    made = drawn(rho=0.5, n=4000)
    lying, standing = (made.images[made.task_labels == label].mean(axis=(0, 1)) for label in (0, 1))
    # 32 of 1024 pixels by 0.14 each, less what is clipped away
    assert lying.mean() - 0.5 == pytest.approx(32 * 0.14 / 1024, abs=0.0015)
    # a lying bar reaches the left edge's middle rows only when it starts there: 1 of 17 places, 2 of 31 rows
    assert lying[:, 15].mean() > lying[:, 0].mean() + 0.005
    assert abs(lying[0, :].mean() - lying[15, :].mean()) < 0.006
    assert np.allclose(standing, lying.T, atol=0.03)


@pytest.mark.parametrize("corner", range(4))
def test_the_patch_is_red_and_only_in_its_corner(corner: int) -> None:
    made = drawn(rho=0.5, corner=corner)
    contrast = made.images[made.attribute == 1].mean(axis=0) - made.images[made.attribute == 0].mean(axis=0)
    rows, columns = patch_slices(corner)
    # Half of the color (0.9, 0.1, 0.1) over a mean of about 0.5 moves it by 0.2, -0.2, -0.2.
    assert contrast[:, rows, columns].mean(axis=(1, 2)) == pytest.approx([0.2, -0.2, -0.2], abs=0.02)
    contrast[:, rows, columns] = 0.0
    assert np.abs(contrast).max() < 0.06


def test_the_corners_are_named_by_where_they_are() -> None:
    places = {CORNERS[corner]: tuple(part.start == 0 for part in patch_slices(corner)) for corner in range(4)}
    assert places == {
        "top left": (True, True),
        "top right": (True, False),
        "bottom left": (False, True),
        "bottom right": (False, False),
    }


def test_painting_gray_changes_the_sixteen_pixels_alone_and_in_a_copy() -> None:
    images = drawn(n=4).images
    before = images.copy()
    painted = painted_gray(images, 3)
    assert np.array_equal(images, before)
    assert (painted[:, :, 28:, 28:] == 0.5).all()
    assert (painted != images).sum() == (images[:, :, 28:, 28:] != 0.5).sum()


def test_the_same_generator_gives_the_same_bytes() -> None:
    first, second, other = drawn(seed=1), drawn(seed=1), drawn(seed=2)
    assert first.images.tobytes() == second.images.tobytes() != other.images.tobytes()


@pytest.mark.parametrize(
    ("field", "values"),
    [("rho", (1.5, 10, 0)), ("n", (0.5, 3, 0)), ("n", (0.5, 0, 0)), ("corner", (0.5, 10, 4))],
)
def test_a_recipe_that_makes_no_sense_is_refused(field: str, values: tuple[float, int, int]) -> None:
    with pytest.raises(ValueError, match=f"^{field}: expected"):
        Recipe(*values)
