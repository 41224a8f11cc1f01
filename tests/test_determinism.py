"""What is said of cases that were run twice."""

import math

import pytest

from benchmark.determinism import Repeat, determinism, unsteady
from benchmark.records import Judgement
from benchmark.results import Determinism
from tests.builders import CURRENT, failure, outcome

KEY = CURRENT.keys()[0]


def repeat(score: float, flag: bool = True) -> Repeat:
    """A case answered 0.5 and a flag, then something else."""
    return Repeat(outcome(KEY, Judgement(0.5, True)), outcome(KEY, Judgement(score, flag)))


BROKEN = Repeat(outcome(KEY, Judgement(0.5, True)), failure(KEY))


@pytest.mark.parametrize(
    ("repeats", "expected"),
    [
        ([repeat(0.5)], Determinism(cases=1, differing=0, largest=0.0)),
        ([repeat(0.5), repeat(0.75), repeat(0.625)], Determinism(cases=3, differing=2, largest=0.25)),
        ([repeat(0.5), repeat(0.5, flag=False)], Determinism(cases=2, differing=1, largest=None)),
        ([repeat(0.75), BROKEN], Determinism(cases=2, differing=2, largest=None)),
        ([], None),
    ],
)
def test_the_largest_difference_is_recorded(repeats: list[Repeat], expected: Determinism | None) -> None:
    assert determinism(repeats) == expected


def test_a_failure_the_second_time_is_an_infinite_difference() -> None:
    assert BROKEN.difference == math.inf


def test_differing_cases_are_told_and_steady_ones_are_not() -> None:
    assert list(unsteady([repeat(0.5)])) == []
    first, *rest = unsteady([repeat(0.5), repeat(0.75), repeat(0.5, flag=False), BROKEN])
    assert first.startswith("3 of 4 cases that were run twice got another answer")
    assert rest == [
        f"  {KEY.id}: a difference of 0.25",
        f"  {KEY.id}: another flag",
        f"  {KEY.id}: crashed the second time: ValueError: no",
    ]
