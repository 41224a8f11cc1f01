"""What each pixel adds to the predicted label's logit, were the model linear around the image.

A map is the gradient of that logit times the pixel's difference from gray, summed over the three channels:
the first-order estimate of what is lost when the pixel is painted gray. The plain product takes black as
its reference; against it the gray background counts as evidence everywhere, and hides the rest.

The score is how far one small block stands out in the mean map: a bar may be anywhere, but a shortcut that
stays in its place piles up there. No place is singled out beforehand. There is no flag, since nothing says
how far a block stands out by chance.

Source: A. Shrikumar et al., Not just a black box, arXiv:1605.01713 (2016), for the product and for the
reference.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from numpy.lib.stride_tricks import sliding_window_view
from torch import nn

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]

GRAY = 0.5
SIZE = 4
BATCH = 100


def detect(images: Floats, task_labels: Ints, model: nn.Module, seed: int) -> dict[str, Any]:
    """How far one block stands out in the mean map, and a signed map for each image.

    images: float32 (n, 3, h, w). task_labels, seed: not used.
    """
    batches = torch.from_numpy(images).split(BATCH)
    heatmaps = np.concatenate([products(model, batch) for batch in batches]).astype(float)
    return {"score": prominence(heatmaps), "heatmaps": heatmaps}


def products(model: nn.Module, batch: torch.Tensor) -> Floats:
    """float32 (b, h, w): gradient of the largest logit times (pixel - GRAY), summed over the channels."""
    pixels = batch.clone().requires_grad_()
    largest = model(pixels).gather(1, predictions(model, batch)[:, None]).sum()
    (gradient,) = torch.autograd.grad(largest, pixels)
    found: Floats = (gradient * (batch - GRAY)).sum(dim=1).numpy()
    return found


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
