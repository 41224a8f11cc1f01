"""What the scorer makes of a fitted classifier's answers, by a caller that plays the entry."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmark.records import Arrays, Call, CallFailed, Case, CaseKey, Judgement, Kind, Status
from benchmark.tracks.mitigation import accuracies, confirm_mitigator, examine_mitigator, with_baseline
from benchmark.tracks.predicting import BATCHES, Inputs

Predict = Callable[[np.ndarray], Any]


def case(n: int = 40) -> Case:
    """Test rows whose first column is the label and whose second is the attribute."""
    labels = np.arange(n) % 2
    attribute = np.arange(n) // 2 % 2
    rows = np.column_stack([labels, attribute, np.arange(n)]).astype(np.float64)
    return Case(
        key=CaseKey("rho-0.9", 1.0, 0, Kind.SHORTCUT),
        kind=Kind.SHORTCUT,
        seen={"embeddings": rows[:4], "attribute": attribute[:4], "task_labels": labels[:4]},
        hidden={"test_embeddings": rows, "test_attribute": attribute, "test_task_labels": labels},
        figures={"erm_worst_group_acc": 0.0},
    )


class Entry:
    """Answers calls as a worker would, with functions of the rows."""

    def __init__(self, predict: Predict, transform: Predict | None = None) -> None:
        self.predict = predict
        self.transform = transform
        self.calls: list[Call] = []

    def __call__(self, call: Call) -> Arrays:
        self.calls.append(call)
        if call.function == "fit":
            return {}
        rows = call.arguments["embeddings"]
        if call.function == "predict":
            return {"predict": np.asarray(self.predict(rows), dtype=np.int64)}
        given = None if self.transform is None else self.transform(rows)
        return {} if given is None else {"transform": np.asarray(given, dtype=float)}


def laboratory(call: Call) -> Arrays:
    """Finds less than chance."""
    assert call.function == "leakage"
    return {"auroc": np.array(0.4)}


INPUTS = Inputs("embeddings", columns="transform")


def judged(predict: Predict, transform: Predict | None = None) -> Judgement:
    """The judgement, confirmed by the same entry."""
    judgement = examine_mitigator(case(), Entry(predict, transform), laboratory, INPUTS)
    confirm_mitigator(case(), Entry(predict, transform), judgement, INPUTS)
    return judgement


def by_label(rows: np.ndarray) -> np.ndarray:
    return rows[:, 0]


def test_accuracies_are_the_worst_and_the_mean_over_groups() -> None:
    labels, attribute = np.array([0, 0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 0, 1, 1, 1])
    predicted = np.array([0, 1, 0, 1, 1, 0, 0])
    # groups: (0,0) 1/2, (0,1) 1, (1,0) 1, (1,1) 1/3
    found = accuracies(predicted, {"test_task_labels": labels, "test_attribute": attribute})
    assert found == pytest.approx({"worst_group_acc": 1 / 3, "mean_acc": (0.5 + 1 + 1 + 1 / 3) / 4})


def test_a_perfect_classifier_is_judged_beside_plain_training() -> None:
    judgement = judged(by_label)
    assert judgement.figures == {"worst_group_acc": 1.0, "mean_acc": 1.0, "erm_worst_group_acc": 0.0}
    assert judgement.answered == frozenset() and judgement.score is None


def test_the_baseline_is_the_worst_group_of_plain_predictions() -> None:
    # They follow the attribute: always wrong where it differs from the label.
    attribute = case().hidden["test_attribute"]
    assert with_baseline(case(), attribute).figures == {"erm_worst_group_acc": 0.0}


def test_one_class_is_scored() -> None:
    judgement = judged(lambda rows: np.zeros(len(rows)))
    assert judgement.figures["worst_group_acc"] == 0.0 and judgement.figures["mean_acc"] == 0.5


def test_rows_go_out_in_shuffled_batches() -> None:
    entry = Entry(by_label)
    examine_mitigator(case(), entry, laboratory, Inputs("embeddings"))
    fit, *predictions = entry.calls
    assert fit.function == "fit" and fit.returns == ()
    assert set(fit.arguments) == {"embeddings", "attribute", "task_labels", "seed"}
    assert [call.function for call in predictions] == ["predict"] * BATCHES
    assert [len(call.arguments["embeddings"]) for call in predictions] == [14, 13, 13]
    order = np.concatenate([call.arguments["embeddings"][:, 2] for call in predictions])
    assert sorted(order) == list(range(40)) != list(order)


def test_a_second_fit_is_asked_for_rows_alone() -> None:
    judgement = examine_mitigator(case(), Entry(by_label), laboratory, INPUTS)
    entry = Entry(by_label)
    confirm_mitigator(case(), entry, judgement, INPUTS)
    fit, *alone = entry.calls
    assert fit.function == "fit"
    assert [(call.function, len(call.arguments["embeddings"])) for call in alone] == [("predict", 1)] * 40


def test_what_the_first_process_learnt_from_the_batches_does_not_carry_over() -> None:
    middle = float(np.median(case().hidden["test_embeddings"][:, 2]))

    def above_the_median(rows: np.ndarray) -> np.ndarray:
        return rows[:, 2] > middle

    judgement = examine_mitigator(case(), Entry(above_the_median), laboratory, INPUTS)
    with pytest.raises(CallFailed, match="for it alone after a second fit"):
        confirm_mitigator(case(), Entry(lambda rows: rows[:, 2] > np.median(rows[:, 2])), judgement, INPUTS)


def test_labels_other_than_0_and_1_fail_the_case() -> None:
    with pytest.raises(CallFailed, match="predict: expected labels 0 and 1, got 2") as failed:
        judged(lambda rows: 2 * rows[:, 0])
    assert failed.value.status is Status.BAD_OUTPUT


def test_a_label_that_depends_on_the_other_rows_fails_the_case() -> None:
    with pytest.raises(CallFailed, match="predict: expected a row's label to depend on the fit and on that"):
        judged(lambda rows: rows[:, 0] if len(rows) > 1 else 1 - rows[:, 0])


def test_leakage_below_chance_earns_nothing() -> None:
    judgement = judged(by_label, transform=lambda rows: rows)
    assert judgement.figures["leakage_auroc"] == 0.5
    assert judgement.answered == {"transform"}


def test_the_probe_sees_the_rows_in_their_own_order() -> None:
    asked: list[Call] = []

    def note(call: Call) -> Arrays:
        asked.append(call)
        return {"auroc": np.array(0.75)}

    found = examine_mitigator(case(), Entry(by_label, lambda rows: rows * 2), note, INPUTS)
    assert found.figures["leakage_auroc"] == 0.75
    arguments = asked[0].arguments
    assert np.array_equal(arguments["columns"], case().hidden["test_embeddings"] * 2)
    assert np.array_equal(arguments["attribute"], case().hidden["test_attribute"])
    assert np.array_equal(arguments["task_labels"], case().hidden["test_task_labels"])


BROKEN: dict[str, tuple[Predict, str]] = {
    "another width each time": (
        lambda rows: np.ones((len(rows), 1 + len(rows) % 2)),
        "expected the same number of columns each time, got 1 and 2",
    ),
    "another width alone": (
        lambda rows: np.ones((len(rows), 1 if len(rows) == 1 else 2)),
        "expected 2 columns for row .* alone, got 1 columns",
    ),
    "centered by the batch": (
        lambda rows: rows - rows.mean(axis=0),
        "expected a row's columns to depend on the fit and on that row alone",
    ),
    "centered beside a huge constant": (
        lambda rows: np.column_stack([rows - rows.mean(axis=0), np.full(len(rows), 1e12)]),
        "expected a row's columns to depend on the fit and on that row alone",
    ),
    "centered and tiny": (
        lambda rows: (rows - rows.mean(axis=0)) * 1e-9,
        "expected a row's columns to depend on the fit and on that row alone",
    ),
    "there at times": (
        lambda rows: rows if len(rows) == 14 else None,
        "expected the same number of columns each time, got none at times",
    ),
    "huge": (lambda rows: rows * 1e13, r"expected numbers of size up to 1e\+12, got 3.9e\+14"),
}


@pytest.mark.parametrize(("transform", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_transform_that_is_no_function_of_the_row_fails_the_case(transform: Predict, reason: str) -> None:
    with pytest.raises(CallFailed, match=f"transform: {reason}") as failed:
        judged(by_label, transform)
    assert failed.value.status is Status.BAD_OUTPUT


def test_rounding_between_batch_and_single_row_is_let_pass() -> None:
    judgement = judged(by_label, lambda rows: rows + 1e-7 * len(rows))
    assert "leakage_auroc" in judgement.figures
