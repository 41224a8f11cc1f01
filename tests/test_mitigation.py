"""What the scorer makes of a fitted classifier's answers, by a caller that plays the entry."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmark.records import Arrays, Call, CallFailed, Case, CaseKey, Kind, Status
from benchmark.tracks.mitigation import ALONE, BATCHES, Inputs, accuracies, examine_mitigator

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
        derived={"erm_predictions": attribute},
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
        return {} if self.transform is None else {"transform": np.asarray(self.transform(rows), dtype=float)}


def laboratory(call: Call) -> Arrays:
    """Finds less than chance."""
    assert call.function == "leakage"
    return {"auroc": np.array(0.4)}


def judged(predict: Predict, transform: Predict | None = None) -> Any:
    return examine_mitigator(case(), Entry(predict, transform), laboratory, Inputs("embeddings", True))


def by_label(rows: np.ndarray) -> np.ndarray:
    return rows[:, 0]


def test_accuracies_are_the_worst_and_the_mean_over_groups() -> None:
    labels, attribute = np.array([0, 0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 0, 1, 1, 1])
    predicted = np.array([0, 1, 0, 1, 1, 0, 0])
    # groups: (0,0) 1/2, (0,1) 1, (1,0) 1, (1,1) 1/3
    found = accuracies(predicted, {"test_task_labels": labels, "test_attribute": attribute})
    assert found == pytest.approx({"worst_group_acc": 1 / 3, "mean_acc": (0.5 + 1 + 1 + 1 / 3) / 4})


def test_a_perfect_classifier_gains_all_that_plain_training_lacks() -> None:
    # Plain training follows the attribute: 0 where it differs from the label.
    judgement = judged(by_label)
    assert judgement.figures == {"worst_group_acc": 1.0, "mean_acc": 1.0, "gain_over_erm": 1.0}
    assert judgement.answered == frozenset() and judgement.score is None


def test_one_class_is_scored() -> None:
    judgement = judged(lambda rows: np.zeros(len(rows)))
    assert judgement.figures == {"worst_group_acc": 0.0, "mean_acc": 0.5, "gain_over_erm": 0.0}


def test_rows_go_out_in_shuffled_batches_and_some_alone_each_apart() -> None:
    entry = Entry(by_label)
    examine_mitigator(case(), entry, laboratory, Inputs("embeddings", False))
    fit, *predictions = entry.calls
    assert fit.function == "fit" and fit.returns == () and not fit.apart
    assert set(fit.arguments) == {"embeddings", "attribute", "task_labels", "seed"}
    assert all(call.function == "predict" and call.apart for call in predictions)
    sizes = [len(call.arguments["embeddings"]) for call in predictions]
    assert sizes == [14, 13, 13, *[1] * ALONE] and BATCHES == 3
    order = np.concatenate([call.arguments["embeddings"][:, 2] for call in predictions[:BATCHES]])
    assert sorted(order) == list(range(40)) != list(order)


def test_labels_other_than_0_and_1_fail_the_case() -> None:
    with pytest.raises(CallFailed, match="predict: expected labels 0 and 1, got 2") as failed:
        judged(lambda rows: 2 * rows[:, 0])
    assert failed.value.status is Status.BAD_OUTPUT


def test_a_label_that_depends_on_the_other_rows_fails_the_case() -> None:
    with pytest.raises(CallFailed, match="predict: expected a row's label to depend on that row alone"):
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

    found = examine_mitigator(
        case(), Entry(by_label, lambda rows: rows * 2), note, Inputs("embeddings", True)
    )
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
        "expected a row's columns to depend on that row alone",
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
