"""Rows whose figures cannot be are refused, whatever their metrics say."""

import re

import pytest

from benchmark.audit import faults
from benchmark.records import CaseKey, Judgement
from benchmark.results import Result
from benchmark.tracks import TRACKS
from benchmark.tracks.figures import FIGURES
from tests.builders import outcomes, result

MITIGATION = TRACKS["embedding-mitigation"].current
FINE = {"worst_group_acc": 0.5, "mean_acc": 0.7, "erm_worst_group_acc": 0.4, "leakage_auroc": 0.6}


def made(**changed: float) -> Result:
    """A result whose first case has figures changed."""

    def answer(key: CaseKey) -> Judgement:
        first = key == MITIGATION.keys()[0]
        return Judgement(figures={**FINE, **(changed if first else {})})

    return result(rows=outcomes(answer, MITIGATION), version=MITIGATION)


def test_figures_that_can_be_are_believed() -> None:
    assert list(faults(made())) == []
    assert list(faults(made(erm_worst_group_acc=0.9, worst_group_acc=0.7))) == []


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"worst_group_acc": 1.2, "mean_acc": 1.2}, "worst_group_acc: expected a value it can have, got 1.2"),
        ({"worst_group_acc": 0.8}, r"worst_group_acc: expected at most mean_acc \(0.7\), got 0.8"),
        ({"erm_worst_group_acc": -0.1}, "erm_worst_group_acc: expected a value it can have, got -0.1"),
        ({"leakage_auroc": 0.4}, "leakage_auroc: expected a value it can have, got 0.4"),
    ],
)
def test_figures_that_cannot_be_are_refused(changed: dict[str, float], fault: str) -> None:
    assert any(re.search(fault, line) for line in faults(made(**changed)))


@pytest.mark.parametrize(
    ("name", "fine", "wrong"),
    [
        ("corner", [0, 3], [-1, 4, 0.5]),
        ("one_class", [0, 1], [2, 0.1]),
        ("reliance", [0.0, 1.0], [-0.1, 1.1]),
        ("patched", [1, 400], [0, 1.5]),
        ("hits", [0, 200], [-1, 0.5]),
    ],
)
def test_a_figure_knows_which_values_it_can_have(name: str, fine: list[float], wrong: list[float]) -> None:
    assert all(FIGURES[name].holds(value) for value in fine)
    assert not any(FIGURES[name].holds(value) for value in wrong)
