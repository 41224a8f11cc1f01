"""What the mitigation tracks share: an entry fits a classifier, which then predicts row by row."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmark.records import (
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

BATCHES = 3
"""In how many batches, of shuffled rows, the test set is predicted."""
ALONE = 8
"""How many of its rows are predicted again, each alone."""
METRICS = ("worst_group_acc", "mean_acc", "gain_over_erm")
"""What every case of a mitigation track gives."""
LEAKAGE = "leakage_auroc"
WIDEST = 1024
"""The most columns that `transform` may give."""
LARGEST = 1e12
"""The largest size of a number that `transform` may give."""


@dataclass(frozen=True)
class Inputs:
    """How a mitigation track names what a classifier reads."""

    name: str
    """The argument of `fit`, `predict` and `transform`: `embeddings` or `images`."""
    transforms: bool
    """Whether entries may offer `transform`."""


def examine_mitigator(case: Case, entry: Caller, laboratory: Caller, inputs: Inputs) -> Judgement:
    """The accuracies of the classifier that an entry fits, and what its transform leaks.

    The test rows go out in shuffled batches, each to a copy of the fitted object that has seen no other,
    and some go out again alone: an answer that depends on the rows beside it fails the case. Raises
    CallFailed then, and for labels other than 0 and 1.
    """
    entry(Call("fit", {**case.seen, "seed": entry_seed(case.seen)}, returns=()))
    rows = case.hidden[f"test_{inputs.name}"]
    predicted = _predictions(entry, rows, inputs.name)
    figures = accuracies(predicted, case.hidden)
    plain = accuracies(np.asarray(case.derived["erm_predictions"]), case.hidden)
    figures["gain_over_erm"] = figures["worst_group_acc"] - plain["worst_group_acc"]
    transformed = _transformed(entry, rows, inputs.name) if inputs.transforms else None
    if transformed is None:
        return Judgement(figures=figures)
    figures[LEAKAGE] = _leakage(laboratory, transformed, case.hidden)
    return Judgement(figures=figures, answered=frozenset({"transform"}))


def accuracies(predicted: IntArray, hidden: Arrays) -> dict[str, float]:
    """The worst and the mean accuracy over the groups of label and attribute that the test set holds.

    predicted: int64 (n,) of 0 and 1. hidden: `test_task_labels` and `test_attribute`, int64 (n,) of 0 and 1.
    Source: track specification, embedding-mitigation, "Metrics".
    """
    labels, attribute = hidden["test_task_labels"], hidden["test_attribute"]
    groups = 2 * labels + attribute
    held = [float(np.mean(predicted[groups == g] == labels[groups == g])) for g in np.unique(groups)]
    return {"worst_group_acc": min(held), "mean_acc": float(np.mean(held))}


def _predictions(entry: Caller, rows: npt.NDArray[np.generic], name: str) -> IntArray:
    """int64 (n,): the label of each row, by shuffled batches, some of them checked alone."""
    predicted = np.empty(len(rows), dtype=np.int64)
    for batch in _batches(rows):
        predicted[batch] = _predict(entry, rows[batch], name)
    for row in _chosen(rows):
        alone = int(_predict(entry, rows[[row]], name)[0])
        if alone != predicted[row]:
            raise CallFailed(
                Status.BAD_OUTPUT,
                f"predict: expected a row's label to depend on that row alone, got {predicted[row]} for row "
                f"{row} among others and {alone} for it alone; take out what looks at the other rows",
            )
    return predicted


def _predict(entry: Caller, rows: npt.NDArray[np.generic], name: str) -> IntArray:
    """int64 (n,) of 0 and 1 for rows (n, ...). Raises CallFailed for other labels."""
    field = Field("predict", "int64", (len(rows),))
    answer = entry(Call("predict", {name: rows}, returns=(field,), bare="predict", apart=True))
    labels: IntArray = answer["predict"]
    wrong = labels[(labels != 0) & (labels != 1)]
    if wrong.size:
        raise CallFailed(
            Status.BAD_OUTPUT, f"predict: expected labels 0 and 1, got {wrong[0]}; return int64 labels"
        )
    return labels


def _transformed(entry: Caller, rows: npt.NDArray[np.generic], name: str) -> FloatArray | None:
    """float64 (n, k): the rows as the entry's `transform` gives them; None where it has none."""
    parts: dict[int, FloatArray] = {}
    for batch in _batches(rows):
        part = _transform(entry, rows[batch], name)
        if part is None:
            return None
        parts.update(zip(batch.tolist(), part, strict=True))
    widths = {len(row) for row in parts.values()}
    if len(widths) > 1:
        raise CallFailed(
            Status.BAD_OUTPUT,
            f"transform: expected the same number of columns each time, got {min(widths)} and {max(widths)}",
        )
    transformed = np.stack([parts[row] for row in range(len(rows))])
    for row in _chosen(rows):
        _check_alone(transformed[row], _transform(entry, rows[[row]], name), row)
    return transformed


def _transform(entry: Caller, rows: npt.NDArray[np.generic], name: str) -> FloatArray | None:
    field = Field("transform", "float64", (len(rows), None), most=WIDEST, optional=True)
    call = Call("transform", {name: rows}, returns=(field,), bare="transform", apart=True)
    part: FloatArray | None = entry(call).get("transform")
    if part is not None and np.abs(part).max() > LARGEST:
        largest = f"{np.abs(part).max():.3g}"
        raise CallFailed(
            Status.BAD_OUTPUT, f"transform: expected numbers of size up to {LARGEST:g}, got {largest}"
        )
    return part


def _check_alone(among: FloatArray, alone: FloatArray | None, row: int) -> None:
    """Raises CallFailed unless a row transformed alone is what it is among others, but for rounding."""
    if alone is None or alone.shape[1] != len(among):
        got = "nothing" if alone is None else f"{alone.shape[1]} columns"
        raise CallFailed(
            Status.BAD_OUTPUT, f"transform: expected {len(among)} columns for row {row} alone, got {got}"
        )
    slack = 1e-4 * max(1.0, float(np.abs(among).max()))
    if np.abs(alone[0] - among).max() > slack:
        raise CallFailed(
            Status.BAD_OUTPUT,
            f"transform: expected a row's columns to depend on that row alone, got others for row {row} "
            "alone than among others; take out what looks at the other rows",
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


def _batches(rows: npt.NDArray[np.generic]) -> Iterator[IntArray]:
    """The places of all rows (n, ...) in a shuffled order, in batches."""
    return iter(np.array_split(_shuffle(rows).permutation(len(rows)), BATCHES))


def _chosen(rows: npt.NDArray[np.generic]) -> list[int]:
    """The places of the rows that are looked at alone."""
    chosen = _shuffle(rows, "alone").choice(len(rows), size=min(ALONE, len(rows)), replace=False)
    return [int(row) for row in chosen]


def _shuffle(rows: npt.NDArray[np.generic], *use: str) -> np.random.Generator:
    """A generator made of rows that no entry sees before it is asked."""
    return generator("test order", *use, arrays_digest({"rows": rows}))
