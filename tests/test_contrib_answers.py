"""What the reference entries on embedding-detection keep to: finite, repeatable answers to any input."""

import numpy as np
import pytest

from benchmark.entries import list_entries
from tests.contrib_methods import CONTRIB, Seen, dataset, method, score_of, seen

MAINTAINERS = ("Shortcut Leaderboard maintainers",)
ENTRIES = [
    entry.id
    for entry in list_entries(CONTRIB)
    if "embedding-detection" in entry.tracks and entry.authors == MAINTAINERS
]
"""The reference entries; a contributor's need not bear what these bear."""


def test_the_reference_entries_are_there() -> None:
    assert len(ENTRIES) == 11


def constant_column() -> Seen:
    drawn = dataset()
    drawn["embeddings"][:, 0] = 0.1
    return drawn


def constant_embeddings() -> Seen:
    return {**dataset(), "embeddings": np.full((300, 8), 0.1)}


def attribute_constant_within_a_label() -> Seen:
    drawn = dataset()
    return {**drawn, "attribute": drawn["attribute"] * drawn["task_labels"]}


def attribute_equal_to_the_label() -> Seen:
    drawn = dataset()
    return {**drawn, "attribute": drawn["task_labels"].copy()}


def attribute_of_one_class() -> Seen:
    return {**dataset(), "attribute": np.ones(300, dtype=np.int64)}


def column_equal_to_the_attribute() -> Seen:
    drawn = dataset()
    drawn["embeddings"][:, 0] = drawn["attribute"]
    return drawn


def few_rows() -> Seen:
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    return seen(np.random.default_rng(0).standard_normal((8, 4)), np.array([0, 1, 0, 1, 1, 0, 1, 1]), labels)


SHUFFLING = ["conditional_probe", "contrastive_encoder", "omnibus_test", "quadratic_probe"]

DEGENERATE = [
    constant_column,
    constant_embeddings,
    attribute_constant_within_a_label,
    attribute_equal_to_the_label,
    attribute_of_one_class,
    column_equal_to_the_attribute,
    few_rows,
]


@pytest.mark.parametrize("make", DEGENERATE, ids=lambda make: make.__name__)
@pytest.mark.parametrize("entry", ENTRIES)
def test_the_score_is_finite_on_degenerate_input(entry: str, make: object) -> None:
    assert callable(make)
    assert np.isfinite(score_of(method(entry).detect(**make(), seed=3)))


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_same_seed_gives_the_same_answer_and_the_input_is_left_alone(entry: str) -> None:
    detect, given, untouched = method(entry).detect, dataset("linear", 0.6), dataset("linear", 0.6)
    assert detect(**given, seed=7) == detect(**given, seed=7)
    assert all(np.array_equal(given[name], untouched[name]) for name in given)


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_attribute_that_is_the_label_is_no_shortcut(entry: str) -> None:
    answer = method(entry).detect(**attribute_equal_to_the_label(), seed=3)
    within_the_label = isinstance(answer, dict) and entry not in ("marginal_probe", "random_score")
    assert not (within_the_label and answer["flag"])


@pytest.mark.parametrize("entry", SHUFFLING)
def test_shuffles_keep_how_often_each_label_has_the_attribute(entry: str) -> None:
    attribute, labels = np.array([1, 1, 1, 0, 0, 0, 0, 1]), np.array([0, 0, 0, 0, 1, 1, 1, 1])
    shuffles = method(entry).shuffled_within(attribute, labels, 50, np.random.default_rng(0))
    assert np.all(shuffles[:, labels == 0].sum(axis=1) == 3)
    assert np.all(shuffles[:, labels == 1].sum(axis=1) == 1)
    assert len(np.unique(shuffles, axis=0)) > 10
