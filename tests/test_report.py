"""What commands say of results."""

import io

from rich.console import Console

from benchmark.records import CaseKey, Judgement
from benchmark.report import metrics_table
from benchmark.results import Result
from benchmark.tracks import TRACKS
from tests.builders import outcomes, result

MITIGATION = TRACKS["image-mitigation"].current


def mitigated(suite: str) -> Result:
    def answer(key: CaseKey) -> Judgement:
        worst = 0.5 + key.strength / 10 + key.seed / 100
        return Judgement(
            figures={"worst_group_acc": worst, "mean_acc": worst + 0.1, "erm_worst_group_acc": 0.5}
        )

    return result(rows=outcomes(answer, MITIGATION, suite), version=MITIGATION, suite=suite)


def told(one: Result) -> str:
    text = io.StringIO()
    Console(file=text, width=120).print(metrics_table(one))
    return text.getvalue()


def test_values_come_with_intervals() -> None:
    full = mitigated("full")
    low, high = full.intervals["worst_group_acc"]
    assert low < full.metrics["worst_group_acc"] < high
    assert f"{low:.3f} to {high:.3f}" in told(full)


def test_of_one_case_a_setting_no_interval_is_made_up() -> None:
    quick = mitigated("quick")
    assert quick.intervals == {} and quick.metrics["worst_group_acc"] is not None
    assert told(quick).count("none of so few") == 3
