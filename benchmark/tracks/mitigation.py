"""What the mitigation tracks share: an entry fits a classifier, which then predicts row by row."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmark.records import (
    LARGEST,
    Arrays,
    Call,
    Caller,
    CallFailed,
    Case,
    Field,
    FloatArray,
    IntArray,
    Judgement,
    Status,
)
from benchmark.seeds import arrays_digest, entry_seed, generator

Rows = npt.NDArray[Any]
"""(n, ...): embeddings or images."""
BATCHES = 3
"""In how many batches, of shuffled rows, the test set is predicted."""
ALONE = 64
"""How many of its rows are predicted again, each alone, by a second fit in a process that saw no other."""
METRICS = ("worst_group_acc", "mean_acc", "gain_over_erm")
"""The metrics of every mitigation track."""
ANSWERS = ("worst_group_acc", "mean_acc")
"""What every answer becomes."""
TRUTH = ("erm_worst_group_acc",)
"""What is measured before any entry sees the case: how far plain training gets."""
LEAKAGE = "leakage_auroc"
WIDEST = 1024
"""The most columns that `transform` may give."""


@dataclass(frozen=True)
class Inputs:
    """How a mitigation track names what a classifier reads."""

    name: str
    """The argument of `fit`, `predict` and `transform`: `embeddings` or `images`."""
    transforms: bool
    """Whether entries may offer `transform`."""

    def test_rows(self, case: Case) -> Rows:
        """The test set of a case, (n, ...)."""
        return case.hidden[f"test_{self.name}"]


def examine_mitigator(case: Case, entry: Caller, laboratory: Caller, inputs: Inputs) -> Judgement:
    """The accuracies of the classifier that an entry fits, and what its transform leaks.

    The test rows go out in shuffled batches. Raises CallFailed for what is no classifier.
    """
    _fit(case, entry)
    rows = inputs.test_rows(case)
    predicted = _predictions(entry, rows, inputs.name)
    transformed = _transformed(entry, rows, inputs.name) if inputs.transforms else None
    figures = {**accuracies(predicted, case.hidden), **case.figures}
    if transformed is None:
        return Judgement(figures=figures, kept={"predicted": predicted})
    figures[LEAKAGE] = _leakage(laboratory, transformed, case.hidden)
    kept = {"predicted": predicted, "transformed": transformed}
    return Judgement(figures=figures, answered=frozenset({"transform"}), kept=kept)


def confirm_mitigator(case: Case, entry: Caller, judgement: Judgement, inputs: Inputs) -> None:
    """Nothing, where a second fit gives some of the test rows, each alone, what the first gave the batches.

    Its process has seen no other test row, so what a classifier learns from the rows beside one shows.
    Raises CallFailed where it does, or where two fits of one seed differ.
    """
    _fit(case, entry)
    rows, predicted = inputs.test_rows(case), judgement.kept["predicted"]
    transformed = judgement.kept.get("transformed")
    spread = None if transformed is None else np.ptp(transformed, axis=0)
    for row in _chosen(rows):
        alone = int(_predict(entry, rows[[row]], inputs.name)[0])
        if alone != predicted[row]:
            raise CallFailed(
                Status.BAD_OUTPUT,
                "predict: expected a row's label to depend on the fit and on that row alone, got "
                f"{predicted[row]} for row {row} in a batch and {alone} for it alone after a second fit; "
                "take out what looks at the other rows, and draw random numbers from the seed only",
            )
        if transformed is not None and spread is not None:
            _check_alone(transformed[row], spread, _transform(entry, rows[[row]], inputs.name), row)


def accuracies(predicted: IntArray, hidden: Arrays) -> dict[str, float]:
    """The worst and the mean accuracy over the groups of label and attribute that the test set holds.

    predicted: int64 (n,) of 0 and 1. hidden: `test_task_labels` and `test_attribute`, int64 (n,) of 0 and 1.
    Source: track specification, embedding-mitigation, "Metrics".
    """
    labels, attribute = hidden["test_task_labels"], hidden["test_attribute"]
    groups = 2 * labels + attribute
    held = [float(np.mean(predicted[groups == g] == labels[groups == g])) for g in np.unique(groups)]
    return {"worst_group_acc": min(held), "mean_acc": float(np.mean(held))}


def with_baseline(case: Case, predicted: IntArray) -> Case:
    """The case with how far plain training gets, which predicts int64 (n,) for its test rows."""
    return replace(
        case, figures={"erm_worst_group_acc": accuracies(predicted, case.hidden)["worst_group_acc"]}
    )


def _fit(case: Case, entry: Caller) -> None:
    entry(Call("fit", {**case.seen, "seed": entry_seed(case.seen)}, returns=()))


def _predictions(entry: Caller, rows: Rows, name: str) -> IntArray:
    """int64 (n,): the label of each row, by shuffled batches."""
    predicted = np.empty(len(rows), dtype=np.int64)
    for batch in _batches(rows):
        predicted[batch] = _predict(entry, rows[batch], name)
    return predicted


def _predict(entry: Caller, rows: Rows, name: str) -> IntArray:
    """int64 (n,) of 0 and 1 for rows (n, ...). Raises CallFailed for other labels."""
    field = Field("predict", "int64", (len(rows),))
    labels: IntArray = entry(Call("predict", {name: rows}, returns=(field,), bare="predict"))["predict"]
    wrong = labels[(labels != 0) & (labels != 1)]
    if wrong.size:
        raise CallFailed(
            Status.BAD_OUTPUT, f"predict: expected labels 0 and 1, got {wrong[0]}; return int64 labels"
        )
    return labels


def _transformed(entry: Caller, rows: Rows, name: str) -> FloatArray | None:
    """float64 (n, k): the rows as the entry's `transform` gives them; None where it has none."""
    batches = list(_batches(rows))
    parts = [_transform(entry, rows[batch], name) for batch in batches]
    held = [part for part in parts if part is not None]
    widths = {part.shape[1] for part in held}
    if not held:
        return None
    if len(held) < len(parts) or len(widths) > 1:
        got = "none at times" if len(held) < len(parts) else f"{min(widths)} and {max(widths)}"
        raise CallFailed(
            Status.BAD_OUTPUT, f"transform: expected the same number of columns each time, got {got}"
        )
    transformed = np.empty((len(rows), held[0].shape[1]))
    transformed[np.concatenate(batches)] = np.concatenate(held)
    return transformed


def _transform(entry: Caller, rows: Rows, name: str) -> FloatArray | None:
    field = Field("transform", "float64", (len(rows), None), most=WIDEST, optional=True)
    call = Call("transform", {name: rows}, returns=(field,), bare="transform")
    part: FloatArray | None = entry(call).get("transform")
    if part is not None and np.abs(part).max() > LARGEST:
        largest = f"{np.abs(part).max():.3g}"
        raise CallFailed(
            Status.BAD_OUTPUT, f"transform: expected numbers of size up to {LARGEST:g}, got {largest}"
        )
    return part


def _check_alone(among: FloatArray, spread: FloatArray, alone: FloatArray | None, row: int) -> None:
    """Raises CallFailed unless a row transformed alone, (1, k), is what it is among others, (k,).

    spread: float64 (k,), the range of each column over the test set, a ten-thousandth of which is rounding.
    """
    if alone is None or alone.shape[1] != len(among):
        got = "nothing" if alone is None else f"{alone.shape[1]} columns"
        raise CallFailed(
            Status.BAD_OUTPUT, f"transform: expected {len(among)} columns for row {row} alone, got {got}"
        )
    if (np.abs(alone[0] - among) > 1e-4 * spread + 1e-9 * np.abs(among)).any():
        raise CallFailed(
            Status.BAD_OUTPUT,
            f"transform: expected a row's columns to depend on the fit and on that row alone, got others for "
            f"row {row} alone after a second fit than in a batch; take out what looks at the other rows",
        )


def _leakage(laboratory: Caller, transformed: FloatArray, hidden: Arrays) -> float:
    """The out-of-fold AUROC of a probe of the attribute, in [0.5, 1]: less than chance earns nothing."""
    asked = {
        "columns": transformed,
        "attribute": hidden["test_attribute"],
        "task_labels": hidden["test_task_labels"],
    }
    found = laboratory(Call("leakage", asked, returns=(Field("auroc", "float64"),), bare="auroc"))
    return max(0.5, float(found["auroc"]))


def _batches(rows: Rows) -> Iterator[IntArray]:
    """The places of all rows (n, ...) in a shuffled order, in batches."""
    return iter(np.array_split(_shuffle(rows).permutation(len(rows)), BATCHES))


def _chosen(rows: Rows) -> list[int]:
    """The places of the rows that are looked at alone."""
    chosen = _shuffle(rows, "alone").choice(len(rows), size=min(ALONE, len(rows)), replace=False)
    return [int(row) for row in chosen]


def _shuffle(rows: Rows, *use: str) -> np.random.Generator:
    """A generator made of rows that no entry sees before it is asked."""
    return generator("test order", *use, arrays_digest({"rows": rows}))
