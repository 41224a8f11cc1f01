import numpy as np
import pytest

from benchmark.data.conditional_synthetic import (
    ConditionalSynthetic,
    Recipe,
    generate_conditional_synthetic,
)
from benchmark.seeds import generator

N = 40_000


def draw(variant: str, delta: float, rho: float = 0.7, n: int = N, seed: int = 0) -> ConditionalSynthetic:
    recipe = Recipe(variant=variant, delta=delta, rho=rho, n=n)
    return generate_conditional_synthetic(recipe, generator("rows", seed), generator("columns", seed))


def cells(data: ConditionalSynthetic) -> list[np.ndarray]:
    """The rows of each (label, attribute) cell."""
    return [(data.task_labels == y) & (data.attribute == a) for y in (0, 1) for a in (0, 1)]


def test_shapes_and_balance() -> None:
    data = draw("linear", 0.3, n=600)
    assert data.embeddings.shape == (600, 64) and data.embeddings.dtype == np.float64
    assert data.embeddings.flags["C_CONTIGUOUS"]
    assert data.task_labels.sum() == 300
    assert set(data.attribute) == {0, 1}
    assert not set(data.attribute_columns) & set(data.task_columns)
    assert len(data.attribute_columns) == len(data.task_columns) == 4


def test_attribute_agrees_with_the_label_at_rho() -> None:
    data = draw("linear", 0.0, rho=0.7)
    agreement = (data.attribute == data.task_labels).mean()
    assert abs(agreement - 0.7) < 4 * np.sqrt(0.21 / N)


def test_task_columns_and_no_others_differ_by_the_task_effect() -> None:
    data = draw("variance", 0.0)
    gap = data.embeddings[data.task_labels == 1].mean(axis=0) - data.embeddings[data.task_labels == 0].mean(
        axis=0
    )
    expected = np.zeros(64)
    expected[data.task_columns] = 0.8
    assert np.abs(gap - expected).max() < 5 * 2 / np.sqrt(N)


@pytest.mark.parametrize("delta", [0.3, 1.0])
def test_linear_shifts_the_mean_by_delta_within_each_label(delta: float) -> None:
    data = draw("linear", delta)
    none, some, none_1, some_1 = (data.embeddings[cell].mean(axis=0) for cell in cells(data))
    expected = np.zeros(64)
    expected[data.attribute_columns] = delta
    for gap in (some - none, some_1 - none_1):
        assert np.abs(gap - expected).max() < 0.07


@pytest.mark.parametrize("delta", [0.3, 1.0])
def test_variance_scales_one_group_and_moves_no_mean(delta: float) -> None:
    data = draw("variance", delta)
    for cell, scale in zip(cells(data), (1.0, 1.0 + delta, 1.0, 1.0 + delta), strict=True):
        carrying = data.embeddings[cell][:, data.attribute_columns]
        assert np.abs(carrying.std(axis=0) / scale - 1).max() < 0.04
        assert np.abs(carrying.mean(axis=0)).max() < 0.08


@pytest.mark.parametrize("delta", [0.3, 0.6, 1.0])
def test_xor_writes_the_sign_of_a_product_and_nothing_marginal(delta: float) -> None:
    data = draw("xor", delta)
    carrying = data.embeddings[:, data.attribute_columns]
    assert np.abs(carrying.mean(axis=0)).max() < 0.025
    assert np.abs(carrying.std(axis=0) - 1).max() < 0.02
    sign = 2 * data.attribute - 1
    correlation = np.einsum("ij,ik,i->jk", carrying, carrying, sign) / N
    strongest = np.sort(np.abs(correlation[np.triu_indices(4, 1)]))[::-1]
    assert strongest[:2] == pytest.approx(2 * delta / np.pi, abs=0.03)  # two disjoint pairs
    assert strongest[2:].max() < 0.03
    pairs = [divmod(flat, 4) for flat in np.argsort(-np.abs(np.triu(correlation, 1)).ravel())[:2]]
    assert sorted(column for pair in pairs for column in pair) == [0, 1, 2, 3]
    agreement = [(np.sign(carrying[:, i] * carrying[:, j]) == sign).mean() for i, j in pairs]
    assert agreement == pytest.approx([0.5 + delta / 2] * 2, abs=0.01)


def test_sets_share_columns_exactly_when_their_column_keys_agree() -> None:
    recipe = Recipe(variant="linear", delta=1.0, rho=0.9, n=200)
    train = generate_conditional_synthetic(recipe, generator("train"), generator("columns", 1))
    test = generate_conditional_synthetic(recipe, generator("test"), generator("columns", 1))
    other = generate_conditional_synthetic(recipe, generator("test"), generator("columns", 2))
    assert (train.attribute_columns == test.attribute_columns).all()
    assert (train.embeddings != test.embeddings).all()
    assert (other.attribute_columns != test.attribute_columns).any()


@pytest.mark.parametrize(
    "wrong",
    [
        {"variant": "cubic"},
        {"delta": -0.1},
        {"variant": "xor", "delta": 1.5},
        {"delta": float("nan")},
        {"rho": 1.2},
        {"n": 601},
        {"n": 0},
        {"attribute_dimensions": 3},
        {"dimensions": 6},
    ],
)
def test_impossible_recipes_are_refused(wrong: dict[str, object]) -> None:
    fields = {"variant": "linear", "delta": 0.3, "rho": 0.7, "n": 600} | wrong
    with pytest.raises(ValueError, match="expected"):
        Recipe(**fields)  # type: ignore[arg-type]
