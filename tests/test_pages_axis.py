import pytest

from benchmark.metrics import METRICS
from benchmark.pages import axis
from benchmark.pages.axis import CIVIDIS, Axis, axis_for, number, rank_text, seconds, shade, span


def test_numbers_have_a_true_minus_and_no_negative_zero() -> None:
    assert [number(v) for v in (0.98765, -1.5, -0.0001, None)] == ["0.988", "−1.500", "0.000", ""]


def test_intervals_ranks_and_times() -> None:
    assert span((0.5, 1.0)) == "0.500–1.000" and span(None) == ""
    assert [rank_text(r) for r in ((1, 2), (3, 3), None)] == ["1–2", "3", ""]
    assert [seconds(v) for v in (0.0123, 1.25, 83.4, None)] == ["0.012", "1.2", "83", ""]


def test_an_axis_holds_all_values_and_chance() -> None:
    found = axis_for(METRICS["auroc"], [0.97, 0.62])
    assert (found.low, found.high, found.chance) == (0.5, 1.0, 0.5)
    assert [found.at(v) for v in (0.5, 0.75, 1.0, 7.0)] == [0, 50, 100, 100]


def test_an_axis_of_nothing_still_has_a_width() -> None:
    found = axis_for(METRICS["fpr"], [])
    assert found.high > found.low


def test_chance_is_a_tick_only_well_inside() -> None:
    assert Axis(0.0, 1.0, 0.5).ticks == (0.0, 0.5, 1.0)
    assert Axis(0.5, 1.0, 0.5).ticks == (0.5, 1.0)


@pytest.mark.parametrize(
    ("metric", "value", "fill"),
    [
        ("auroc", 1.0, CIVIDIS[-1]),
        ("auroc", 0.5, CIVIDIS[0]),
        ("auroc", 0.2, CIVIDIS[0]),
        ("fpr", 0.0, CIVIDIS[-1]),
    ],
)
def test_shades_run_from_chance_to_best(metric: str, value: float, fill: str) -> None:
    assert shade(METRICS[metric], value).fill == fill


@pytest.mark.parametrize("step", range(101))
def test_the_ink_of_a_shade_can_be_read(step: int) -> None:
    colors = shade(METRICS["fpr"], step / 100)
    lights = sorted(axis._luminance(color) for color in (colors.fill, colors.ink))
    assert (lights[1] + 0.05) / (lights[0] + 0.05) >= 4.5
