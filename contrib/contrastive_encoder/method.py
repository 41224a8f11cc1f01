"""How well an encoder trained to tell the attribute apart within the task labels does so on held-out rows.

On half of the rows a small network learns to place rows of equal A and Y close together, among the rows of
equal Y (supervised contrastive loss). The other half is then encoded and probed: a cross-validated ridge
probe of A given Y. The halves change roles. The permutation test shuffles A within the labels of a held-out
half; its encoder never saw these rows and stays as it is.

Source: P. Khosla et al., Supervised contrastive learning, NeurIPS (2020), equation 2; here with noise for
views.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import normalize

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

HIDDEN, OUTPUTS = 128, 16
STEPS = 100
LEARNING_RATE = 3e-3
WEIGHT_DECAY = 0.1
NOISE = 0.5
TEMPERATURE = 0.5
FOLDS = 5
PENALTY = 1.0
PERMUTATIONS = 199
ALPHA = 0.05


def detect(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> dict[str, Any]:
    """The gain of the encoded held-out rows over the label, and whether it is significant within the labels.

    embeddings: float64 (n, d). attribute, task_labels: int64 (n,) of 0 and 1. seed: int.
    """
    rng = np.random.default_rng(seed)
    half = rng.permutation(len(task_labels)) % 2
    shuffles = shuffled_within(attribute, 2 * task_labels + half, PERMUTATIONS, rng)
    attributes = np.vstack([attribute, shuffles])
    gains = np.zeros(len(attributes))
    for train, test in ((half == 0, half == 1), (half == 1, half == 0)):
        encode = trained_encoder(embeddings[train], attribute[train], task_labels[train], rng)
        folds = rng.permutation(test.sum()) % FOLDS
        gains += held_out_gains(encode(embeddings[test]), attributes[:, test], task_labels[test], folds) / 2
    above = np.count_nonzero(gains[1:] >= gains[0])
    return {"score": float(gains[0]), "flag": (1 + above) / (1 + PERMUTATIONS) <= ALPHA}


def trained_encoder(
    embeddings: Floats, attribute: Ints, labels: Ints, rng: np.random.Generator
) -> Callable[[Floats], Floats]:
    """A function from embeddings (m, d) to points (m, OUTPUTS) of length 1, trained on n rows."""
    inputs = embeddings.shape[1]
    first, second = (
        torch.tensor(rng.normal(0, rows**-0.5, (rows, columns)), dtype=torch.float32, requires_grad=True)
        for rows, columns in ((inputs, HIDDEN), (HIDDEN, OUTPUTS))
    )
    optimizer = torch.optim.AdamW([first, second], lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY, fused=True)

    def encode(rows: Floats) -> Tensor:
        return normalize(torch.relu(torch.from_numpy(rows).float() @ first) @ second)

    others = torch.from_numpy((labels[:, None] == labels) & ~np.eye(len(labels), dtype=bool))
    positives = others & torch.from_numpy(attribute[:, None] == attribute)
    for _ in range(STEPS):
        view = embeddings + NOISE * rng.standard_normal(embeddings.shape)
        optimizer.zero_grad()
        contrastive_loss(encode(view), positives, others).backward()
        optimizer.step()
    return lambda rows: encode(rows).detach().numpy().astype(float)


def contrastive_loss(points: Tensor, positives: Tensor, others: Tensor) -> Tensor:
    """The mean over rows of -log of a positive's share among the others, itself averaged over the positives.

    points: float32 (n, k) of length 1. positives, others: bool (n, n), by row; positives are among others.
    """
    similarity = (points @ points.T / TEMPERATURE).masked_fill(~others, -1e9)
    log_share = similarity.log_softmax(dim=1)
    counts = positives.sum(dim=1).clamp(min=1)
    return -((log_share * positives).sum(dim=1) / counts).mean()


def held_out_gains(points: Floats, attributes: Ints, labels: Ints, folds: Ints) -> Floats:
    """float64 (b,): the share of the squared error left by the label that the points (n, k) save.

    One value for each row of attributes (b, n), at most 1; negative where the probe only adds noise.
    folds: int64 (n,), the fold in which a row is held out.
    """
    by_label, by_probe = np.zeros((2, len(attributes)))
    for fold in range(FOLDS):
        train, test = folds != fold, folds == fold
        x = residuals(points, labels, train)
        a = residuals(attributes.T, labels, train)
        gram = x[train].T @ x[train] + PENALTY * np.eye(x.shape[1])
        weights = np.linalg.solve(gram, x[train].T @ a[train])
        by_label += (a[test] ** 2).sum(axis=0)
        by_probe += ((a[test] - x[test] @ weights) ** 2).sum(axis=0)
    return np.divide(by_label - by_probe, by_label, out=np.zeros_like(by_label), where=by_label > 0)


def residuals(values: npt.NDArray[Any], labels: Ints, train: Bools) -> Floats:
    """`values` (n, p) less their mean among the training rows of equal label."""
    result = values.astype(float)
    for label in np.unique(labels[train]):
        result[labels == label] -= values[train & (labels == label)].mean(axis=0)
    return result


def shuffled_within(values: Ints, strata: Ints, count: int, rng: np.random.Generator) -> Ints:
    """int64 (count, n): `values` (n,) shuffled among the rows of equal stratum, `count` times."""
    shuffles = np.tile(values, (count, 1))
    for stratum in np.unique(strata):
        rows = strata == stratum
        shuffles[:, rows] = rng.permuted(shuffles[:, rows], axis=1)
    return shuffles
