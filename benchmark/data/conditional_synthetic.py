"""Embeddings that carry a task label and, conditionally on it, an attribute."""

from dataclasses import dataclass

import numpy as np

from benchmark.records import FloatArray, IntArray

VARIANTS = ("linear", "xor", "variance")
"""The ways an attribute can be carried."""


@dataclass(frozen=True)
class Recipe:
    """What fixes the law of a dataset; the random generators fix the draw."""

    variant: str
    """One of `VARIANTS`."""
    delta: float
    """Strength of the attribute's signal, at least 0 (at most 1 for `xor`, where it is a probability)."""
    rho: float
    """Probability that the attribute agrees with the task label, in [0, 1]."""
    n: int
    """Number of rows, even and positive."""
    dimensions: int = 64
    """Number of columns of the embeddings."""
    task_dimensions: int = 4
    """How many columns carry the task label."""
    attribute_dimensions: int = 4
    """How many further columns carry the attribute; even."""
    task_effect: float = 0.8
    """Difference between the label's class means in a task column, in standard deviations."""
    decimals: int | None = None
    """To how many decimals every value is rounded at last; None for not at all, whereupon the last bits of
    a value tell whether it has been shifted or scaled."""

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise ValueError(f"variant: expected one of {VARIANTS}, got {self.variant!r}")
        if not (self.delta >= 0 and (self.variant != "xor" or self.delta <= 1)):
            raise ValueError(f"delta: expected at least 0 (at most 1 for xor), got {self.delta}")
        if not 0 <= self.rho <= 1:
            raise ValueError(f"rho: expected 0 to 1, got {self.rho}")
        if self.n < 2 or self.n % 2:
            raise ValueError(f"n: expected an even number of at least 2 rows, got {self.n}")
        if self.attribute_dimensions % 2:
            raise ValueError(
                f"attribute_dimensions: expected an even number, got {self.attribute_dimensions}"
            )
        if self.task_dimensions + self.attribute_dimensions > self.dimensions:
            raise ValueError(
                f"dimensions: expected room for {self.task_dimensions} task and "
                f"{self.attribute_dimensions} attribute columns, got {self.dimensions}"
            )


@dataclass(frozen=True)
class ConditionalSynthetic:
    """One draw."""

    embeddings: FloatArray
    """float64 (n, dimensions), in units of the noise's standard deviation."""
    attribute: IntArray
    """int64 (n,) of 0 and 1: A, which agrees with the label with probability rho."""
    task_labels: IntArray
    """int64 (n,) of 0 and 1: Y, exactly balanced."""
    attribute_columns: IntArray
    """int64 (attribute_dimensions,): the columns that carry A."""
    task_columns: IntArray
    """int64 (task_dimensions,): the columns that carry Y."""


def generate_conditional_synthetic(
    recipe: Recipe, rows: np.random.Generator, columns: np.random.Generator
) -> ConditionalSynthetic:
    """One dataset drawn by `recipe`: rows from one generator, the shuffle of columns from another.

    Datasets whose `columns` generators come from one key share their columns, as a training and a
    test set must. Given Y, A shifts the mean of each attribute column by delta (`linear`), scales it
    by 1 + delta where A = 1 (`variance`), or, for disjoint pairs of columns and with probability
    delta for each row, makes the sign of the pair's product tell A (`xor`). Only numpy generators
    and elementwise float64 arithmetic are used, so the bytes are the same on every machine.

    Source: track specification, embedding-detection, "Data".
    """
    labels = rows.permutation(np.repeat(np.array([0, 1], dtype=np.int64), recipe.n // 2))
    attribute = np.where(rows.random(recipe.n) < recipe.rho, labels, 1 - labels)
    noise = rows.standard_normal((recipe.n, recipe.dimensions))
    first, last = recipe.task_dimensions, recipe.task_dimensions + recipe.attribute_dimensions
    noise[:, :first] += recipe.task_effect * (labels[:, None] - 0.5)
    noise[:, first:last] = _carry(noise[:, first:last], attribute, recipe, rows)
    if recipe.decimals is not None:
        noise = rounded(noise, recipe.decimals)
    order = columns.permutation(recipe.dimensions)
    place = np.argsort(order)
    return ConditionalSynthetic(
        embeddings=np.ascontiguousarray(noise[:, order]),
        attribute=attribute,
        task_labels=labels,
        attribute_columns=np.sort(place[first:last]),
        task_columns=np.sort(place[:first]),
    )


def rounded(values: FloatArray, decimals: int) -> FloatArray:
    """The values rounded to so many decimals; never a negative zero, whose sign would outlive its digits."""
    return np.round(values, decimals) + 0.0


def _carry(noise: FloatArray, attribute: IntArray, recipe: Recipe, rows: np.random.Generator) -> FloatArray:
    """The attribute columns (n, k) after the attribute has been written into standard noise (n, k)."""
    if recipe.variant == "linear":
        return noise + recipe.delta * (attribute[:, None] - 0.5)
    if recipe.variant == "variance":
        return noise * (1.0 + recipe.delta * attribute[:, None])
    carried = noise.copy()
    left, right = noise[:, 0::2], noise[:, 1::2]
    written = rows.random(left.shape) < recipe.delta
    told = np.abs(right) * np.sign(left) * (2 * attribute[:, None] - 1)
    carried[:, 1::2] = np.where(written, told, right)
    return carried
