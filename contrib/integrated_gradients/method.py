"""What each pixel adds to the predicted label's logit on the way from a gray image to this one.

A map is the integral of the logit's gradient along the straight line from gray, times the way, summed over
the three channels; it sums to the logit's difference between the two ends. The integral is a Gauss-Legendre
sum over STEPS points, computed by captum; with 16, maps of trained models miss it by a few percent.

The score is how far one small block stands out in the mean map: a bar may be anywhere, but a shortcut that
stays in its place piles up there. No place is singled out beforehand. There is no flag, since nothing says
how far a block stands out by chance.

Source: M. Sundararajan, A. Taly and Q. Yan, Axiomatic attribution for deep networks, ICML 2017, section 3,
equation 1.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from captum.attr import IntegratedGradients
from numpy.lib.stride_tricks import sliding_window_view
from torch import nn

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]

GRAY = 0.5
STEPS = 16
SIZE = 4
BATCH = 100


def detect(images: Floats, task_labels: Ints, model: nn.Module, seed: int) -> dict[str, Any]:
    """How far one block stands out in the mean map, and a signed map for each image.

    images: float32 (n, 3, h, w). task_labels, seed: not used.
    """
    batches = torch.from_numpy(images).split(BATCH)
    heatmaps = np.concatenate([integrals(model, batch) for batch in batches]).astype(float)
    return {"score": prominence(heatmaps), "heatmaps": heatmaps}


def integrals(model: nn.Module, batch: torch.Tensor) -> Floats:
    """float32 (b, h, w): integrated gradients of the logit that is largest, summed over the channels."""
    pixels = batch.clone().requires_grad_()
    target, points = predictions(model, batch), len(batch)
    found = IntegratedGradients(model).attribute(
        pixels, baselines=GRAY, target=target, n_steps=STEPS, internal_batch_size=points
    )
    summed: Floats = found.detach().sum(dim=1).numpy()
    return summed


def predictions(model: nn.Module, batch: torch.Tensor) -> torch.Tensor:
    """int64 (b,): the label that the model gives each image of a batch."""
    with torch.no_grad():
        return model(batch).argmax(dim=1)


def prominence(heatmaps: Floats) -> float:
    """How far the block with the most evidence stands out from the median block, in [0, 1].

    heatmaps: float64 (n, h, w). Evidence is the mean over the images of what is above 0. It is spread out
    where the model looks at things that may be anywhere, and piles up where it looks at a fixed place. With
    the means of all SIZE x SIZE blocks: 1 - median / largest; 0 if there is no evidence at all.
    """
    evidence = np.maximum(heatmaps, 0).mean(axis=0)
    blocks = sliding_window_view(evidence, (SIZE, SIZE)).mean(axis=(2, 3))
    largest = blocks.max()
    return float(1 - np.median(blocks) / largest) if largest > 0 else 0.0
