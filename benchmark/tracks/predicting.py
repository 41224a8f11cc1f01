"""What tracks share on which an entry fits a classifier: its labels and columns for rows it has not seen.

Rows go out in shuffled batches, and some of them once more, each alone, to a second fit in another process:
whoever looks at the rows beside one answers otherwise there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmark.records import LARGEST, Call, Caller, CallFailed, Case, Field, FloatArray, IntArray, Status
from benchmark.seeds import arrays_digest, entry_seed, generator

Rows = npt.NDArray[Any]
"""(n, ...): embeddings or images."""
BATCHES = 3
"""In how many batches, of shuffled rows, rows are predicted."""
ALONE = 64
"""How many of the rows are predicted again, each alone, by a second fit in a process that saw no other."""


@dataclass(frozen=True)
class Inputs:
    """What a track's classifiers read and give."""

    name: str
    """The argument that holds the rows: `embeddings` or `images`."""
    classes: int = 2
    """How many labels there are, counted from 0."""
    columns: str = ""
    """The method by which a classifier may also give columns of numbers for rows; empty for none."""
    widest: int = 1024
    """The most columns that it may give."""


@dataclass(frozen=True)
class Answers:
    """What a classifier gives for n rows."""

    labels: IntArray
    """int64 (n,)."""
    columns: FloatArray | None
    """float64 (n, k); None where the classifier gives none."""


def fit(case: Case, entry: Caller) -> None:
    """Has the entry fit a classifier to what it sees of the case, which stays in its process."""
    entry(Call("fit", {**case.seen, "seed": entry_seed(case.seen)}, returns=()))


def answers(entry: Caller, rows: Rows, inputs: Inputs) -> Answers:
    """What the fitted classifier gives for rows (n, ...), asked by shuffled batches.

    Raises CallFailed for other labels than there are, and for columns that are no numbers of a fixed width.
    """
    labels = np.empty(len(rows), dtype=np.int64)
    for batch in _batches(rows):
        labels[batch] = _predict(entry, rows[batch], inputs)
    return Answers(labels, _columns(entry, rows, inputs) if inputs.columns else None)


def check_alone(entry: Caller, rows: Rows, given: Answers, inputs: Inputs) -> None:
    """Nothing, where the classifier gives some of the rows (n, ...), each alone, what it gave the batches.

    Meant for a second fit in a process that has seen no other row. Raises CallFailed where an answer
    differs, which is also where two fits of one seed differ.
    """
    spread = None if given.columns is None else np.ptp(given.columns, axis=0)
    for row in _chosen(rows):
        alone = int(_predict(entry, rows[[row]], inputs)[0])
        if alone != given.labels[row]:
            raise CallFailed(
                Status.BAD_OUTPUT,
                "predict: expected a row's label to depend on the fit and on that row alone, got "
                f"{given.labels[row]} for row {row} in a batch and {alone} for it alone after a second fit; "
                "take out what looks at the other rows, and draw random numbers from the seed only",
            )
        if given.columns is not None and spread is not None:
            _check_columns(given.columns[row], spread, _columns_of(entry, rows[[row]], inputs), inputs, row)


def _predict(entry: Caller, rows: Rows, inputs: Inputs) -> IntArray:
    """int64 (n,) from 0 up to the classes for rows (n, ...). Raises CallFailed for other labels."""
    field = Field("predict", "int64", (len(rows),))
    call = Call("predict", {inputs.name: rows}, returns=(field,), bare="predict")
    labels: IntArray = entry(call)["predict"]
    wrong = labels[(labels < 0) | (labels >= inputs.classes)]
    if wrong.size:
        known = "0 and 1" if inputs.classes == 2 else f"0 to {inputs.classes - 1}"
        raise CallFailed(
            Status.BAD_OUTPUT, f"predict: expected labels {known}, got {wrong[0]}; return int64 labels"
        )
    return labels


def _columns(entry: Caller, rows: Rows, inputs: Inputs) -> FloatArray | None:
    """float64 (n, k): the columns that the classifier gives for the rows; None where it gives none."""
    batches = list(_batches(rows))
    parts = [_columns_of(entry, rows[batch], inputs) for batch in batches]
    held = [part for part in parts if part is not None]
    widths = {part.shape[1] for part in held}
    if not held:
        return None
    if len(held) < len(parts) or len(widths) > 1:
        got = "none at times" if len(held) < len(parts) else f"{min(widths)} and {max(widths)}"
        raise CallFailed(
            Status.BAD_OUTPUT, f"{inputs.columns}: expected the same number of columns each time, got {got}"
        )
    columns = np.empty((len(rows), held[0].shape[1]))
    columns[np.concatenate(batches)] = np.concatenate(held)
    return columns


def _columns_of(entry: Caller, rows: Rows, inputs: Inputs) -> FloatArray | None:
    name = inputs.columns
    field = Field(name, "float64", (len(rows), None), most=inputs.widest, optional=True)
    part: FloatArray | None = entry(Call(name, {inputs.name: rows}, returns=(field,), bare=name)).get(name)
    if part is not None and np.abs(part).max() > LARGEST:
        largest = f"{np.abs(part).max():.3g}"
        raise CallFailed(
            Status.BAD_OUTPUT, f"{name}: expected numbers of size up to {LARGEST:g}, got {largest}"
        )
    return part


def _check_columns(
    among: FloatArray, spread: FloatArray, alone: FloatArray | None, inputs: Inputs, row: int
) -> None:
    """Raises CallFailed unless a row's columns alone, (1, k), are what they are among others, (k,).

    spread: float64 (k,), the range of each column over the rows, a ten-thousandth of which is rounding.
    """
    name = inputs.columns
    if alone is None or alone.shape[1] != len(among):
        got = "nothing" if alone is None else f"{alone.shape[1]} columns"
        raise CallFailed(
            Status.BAD_OUTPUT, f"{name}: expected {len(among)} columns for row {row} alone, got {got}"
        )
    if (np.abs(alone[0] - among) > 1e-4 * spread + 1e-9 * np.abs(among)).any():
        raise CallFailed(
            Status.BAD_OUTPUT,
            f"{name}: expected a row's columns to depend on the fit and on that row alone, got others for "
            f"row {row} alone after a second fit than in a batch; take out what looks at the other rows",
        )


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
