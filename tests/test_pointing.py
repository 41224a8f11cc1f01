import numpy as np
import pytest

from benchmark.tracks.pointing import as_bytes, heat_bytes, near_patch, peaks


def peaked(*places: tuple[int, int], base: float = 0.0, top: float = 1.0) -> np.ndarray:
    """One map (1, 32, 32) that is `base` but for `top` at the places."""
    heatmap = np.full((1, 32, 32), base)
    for row, column in places:
        heatmap[0, row, column] = top
    return heatmap


@pytest.mark.parametrize(
    ("corner", "inside", "outside"),
    [
        (0, (5, 5), (6, 0)),
        (1, (0, 26), (0, 25)),
        (2, (26, 5), (25, 3)),
        (3, (26, 26), (31, 25)),
    ],
)
def test_a_peak_hits_up_to_two_pixels_beside_the_patch(
    corner: int, inside: tuple[int, int], outside: tuple[int, int]
) -> None:
    assert peaks(peaked(inside), corner).hit.tolist() == [True]
    assert peaks(peaked(outside), corner).hit.tolist() == [False]
    assert peaks(peaked(inside), corner).place.tolist() == [list(inside)]
    assert near_patch(corner).sum() == 36


def test_the_whole_region_hits_and_nothing_else() -> None:
    hits = [[bool(peaks(peaked((row, column)), 0).hit[0]) for column in range(32)] for row in range(32)]
    assert np.array_equal(np.array(hits), np.pad(np.ones((6, 6), dtype=bool), ((0, 26), (0, 26))))


@pytest.mark.parametrize("value", [0.0, 7.0, -3.0, np.nan, np.inf, -np.inf])
def test_a_map_of_one_value_has_no_peak(value: float) -> None:
    found = peaks(np.full((1, 32, 32), value), 0)
    assert found.hit.tolist() == [False] and found.place.tolist() == [[-1, -1]]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_one_value_that_is_not_finite_spoils_a_map(value: float) -> None:
    heatmap = peaked((1, 1))
    heatmap[0, 20, 20] = value
    assert peaks(heatmap, 0).hit.tolist() == [False]


def test_equal_peaks_hit_only_if_all_of_them_do() -> None:
    assert peaks(peaked((0, 0), (3, 4)), 0).hit.tolist() == [True]
    assert peaks(peaked((0, 0), (20, 20)), 0).hit.tolist() == [False]


def test_the_peak_of_a_signed_map_is_its_largest_value() -> None:
    assert peaks(peaked((2, 2), base=-5.0, top=-1.0), 0).hit.tolist() == [True]
    assert peaks(peaked((2, 2), base=0.0, top=-9.0), 0).hit.tolist() == [False]


def test_maps_are_judged_one_by_one() -> None:
    maps = np.concatenate([peaked((0, 0)), np.zeros((1, 32, 32)), peaked((30, 30))])
    found = peaks(maps, 0)
    assert found.hit.tolist() == [True, False, False]
    assert found.place.tolist() == [[0, 0], [-1, -1], [30, 30]]


def test_heat_goes_from_least_to_largest_whatever_the_size() -> None:
    ramp = np.linspace(-1.0, 1.0, 1024).reshape(1, 32, 32)
    for scale in (1.0, 1e-300, 8e307):
        drawn = heat_bytes(ramp * scale)
        assert drawn.dtype == np.uint8 and drawn[0, 0, 0] == 0 and drawn[0, -1, -1] == 255
        assert abs(int(drawn[0, 15, 31]) - 127) <= 1
    assert (heat_bytes(np.full((1, 32, 32), 3.0)) == 0).all()
    assert (heat_bytes(np.full((1, 32, 32), np.nan)) == 0).all()


def test_bytes_are_rounded_and_clipped() -> None:
    assert as_bytes(np.array([-1.0, 0.0, 0.5, 1.0, 2.0])).tolist() == [0, 0, 128, 255, 255]
