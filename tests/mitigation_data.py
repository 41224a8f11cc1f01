"""Datasets for the entries of embedding-mitigation: as the track draws them, and degenerate ones."""

from dataclasses import dataclass

import numpy as np

from benchmark.data.conditional_synthetic import (
    ConditionalSynthetic,
    Recipe,
    generate_conditional_synthetic,
)
from benchmark.records import IntArray
from benchmark.seeds import generator
from tests.contrib_methods import Seen, dataset, seen


@dataclass(frozen=True)
class Split:
    """Training and test data with the same columns."""

    train: ConditionalSynthetic
    """2000 rows in which the attribute follows the label."""
    test: ConditionalSynthetic
    """4000 rows in which it does not."""

    @property
    def given(self) -> Seen:
        """What an entry is trained on."""
        return seen(self.train.embeddings, self.train.attribute, self.train.task_labels)


def split(rho: float, delta: float, seed: int = 0) -> Split:
    """Data of the track's size and law, with 64 columns."""
    key = ("test of the entries", rho, delta, seed)
    train, test = (
        generate_conditional_synthetic(
            Recipe("linear", delta, agreement, rows), generator(*key, role), generator(*key, "columns")
        )
        for role, agreement, rows in (("train", rho, 2000), ("test", 0.5, 4000))
    )
    return Split(train, test)


def worst_group_accuracy(predicted: IntArray, labels: IntArray, attribute: IntArray) -> float:
    """The accuracy in the worst of the four groups, counted by a plain loop."""
    return min(
        float(np.mean(predicted[(labels == label) & (attribute == value)] == label))
        for label in (0, 1)
        for value in (0, 1)
    )


def plain(rho: float = 0.8) -> Seen:
    """300 rows of 8 columns with an attribute that is easy to see."""
    return dataset("linear", 1.0, rho=rho)


def constant_column() -> Seen:
    drawn = plain()
    drawn["embeddings"][:, 0] = 0.1
    return drawn


def constant_embeddings() -> Seen:
    return {**plain(), "embeddings": np.full((300, 8), 0.1)}


def empty_group() -> Seen:
    drawn = plain()
    return {**drawn, "attribute": drawn["attribute"] * drawn["task_labels"]}


def attribute_equal_to_the_label() -> Seen:
    drawn = plain()
    return {**drawn, "attribute": drawn["task_labels"].copy()}


def attribute_of_one_class() -> Seen:
    return {**plain(), "attribute": np.ones(300, dtype=np.int64)}


def column_equal_to_the_attribute() -> Seen:
    drawn = plain()
    drawn["embeddings"][:, 0] = drawn["attribute"]
    return drawn


def group_of_one_row() -> Seen:
    drawn = plain()
    labels = drawn["task_labels"]
    attribute = labels.copy()
    attribute[[labels.argmin(), labels.argmax()]] = [1, 0]
    return {**drawn, "attribute": attribute}


def few_rows() -> Seen:
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    return seen(np.random.default_rng(0).standard_normal((8, 4)), np.array([0, 1, 0, 1, 1, 0, 1, 1]), labels)


DEGENERATE = [
    constant_column,
    constant_embeddings,
    empty_group,
    attribute_equal_to_the_label,
    attribute_of_one_class,
    column_equal_to_the_attribute,
    group_of_one_row,
    few_rows,
]
