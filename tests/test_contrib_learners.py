"""The forest, the encoder and the random control."""

import numpy as np
import pytest
import torch

from tests.contrib_methods import dataset, method


def test_the_forest_gains_from_a_shift_and_from_spread_but_not_from_the_label_alone() -> None:
    detect = method("random_forest_probe").detect
    nulls = [detect(**dataset(seed=seed), seed=1) for seed in range(5)]
    for variant in ("linear", "variance", "xor"):
        assert detect(**dataset(variant, 1.0), seed=1) > max(nulls), variant


def test_the_label_alone_predicts_a_row_from_the_other_rows_of_its_label() -> None:
    rates = method("random_forest_probe").leave_one_out_rates(
        np.array([1, 1, 0, 0, 1]), np.array([0, 0, 0, 1, 2])
    )
    assert rates.tolist() == [0.5, 0.5, 1.0, 0.5, 0.5]


def test_the_contrastive_loss_is_equation_2_of_its_paper() -> None:
    module = method("contrastive_encoder")
    angles = torch.tensor([0.1, 0.5, 2.0, 2.3])
    points = torch.stack([angles.cos(), angles.sin()], dim=1)
    attribute = [0, 0, 1, 1]
    losses = []
    for i in range(4):
        others = [j for j in range(4) if j != i]
        share = {j: np.exp(np.cos(float(angles[i] - angles[j])) / module.TEMPERATURE) for j in others}
        alike = [j for j in others if attribute[j] == attribute[i]]
        losses.append(-np.mean([np.log(share[j] / sum(share.values())) for j in alike]))
    off_diagonal = ~torch.eye(4, dtype=torch.bool)
    same = torch.tensor([[p == q for q in attribute] for p in attribute])
    found = module.contrastive_loss(points, same & off_diagonal, off_diagonal)
    assert float(found) == pytest.approx(np.mean(losses), rel=1e-5)


def test_the_encoder_sees_a_shift_and_is_quiet_on_a_null() -> None:
    detect = method("contrastive_encoder").detect
    shifted, null = detect(**dataset("linear", 1.0), seed=1), detect(**dataset(seed=1), seed=1)
    assert shifted["flag"]
    assert not null["flag"]
    assert shifted["score"] > null["score"]


def test_the_encoder_puts_each_row_by_itself_on_the_unit_sphere() -> None:
    module, drawn = method("contrastive_encoder"), dataset("linear", 1.0)
    encode = module.trained_encoder(
        drawn["embeddings"], drawn["attribute"], drawn["task_labels"], np.random.default_rng(0)
    )
    points = encode(drawn["embeddings"][:3])
    assert points.shape == (3, module.OUTPUTS)
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    assert encode(drawn["embeddings"][:1])[0] == pytest.approx(points[0], abs=1e-5)


def test_the_random_score_looks_at_the_seed_alone() -> None:
    detect = method("random_score").detect
    assert detect(**dataset("linear", 1.0), seed=5) == detect(**dataset(seed=9), seed=5)
    answers = [detect(**dataset(), seed=seed) for seed in range(400)]
    assert 8 <= sum(answer["flag"] for answer in answers) <= 34
    assert len({answer["score"] for answer in answers}) == 400
