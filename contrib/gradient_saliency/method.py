"""Where a small change of a pixel moves the predicted label's logit the most.

A map is the absolute gradient of that logit at the image, the largest over the three channels. Gradients
tell how strongly the model would react, not what in this image it did react to, and they change from pixel
to pixel: the single largest one is often beside the point.

The score is how far one small block stands out in the mean map: a bar may be anywhere, but a shortcut that
stays in its place piles up there. No place is singled out beforehand. There is no flag, since nothing says
how far a block stands out by chance.

Source: K. Simonyan, A. Vedaldi and A. Zisserman, Deep inside convolutional networks, ICLR workshop 2014,
section 3.1, equation 3.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from numpy.lib.stride_tricks import sliding_window_view
from torch import nn

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]

SIZE = 4
BATCH = 100


def detect(images: Floats, task_labels: Ints, model: nn.Module, seed: int) -> dict[str, Any]:
    """How far one block stands out in the mean map, and the absolute gradient of each image.

    images: float32 (n, 3, h, w). task_labels, seed: not used.
    """
    batches = torch.from_numpy(images).split(BATCH)
    heatmaps = np.concatenate([saliency(model, batch) for batch in batches]).astype(float)
    return {"score": prominence(heatmaps), "heatmaps": heatmaps}


def saliency(model: nn.Module, batch: torch.Tensor) -> Floats:
    """float32 (b, h, w): the largest |gradient| over the channels of the logit that is largest."""
    pixels = batch.clone().requires_grad_()
    largest = model(pixels).gather(1, predictions(model, batch)[:, None]).sum()
    (gradient,) = torch.autograd.grad(largest, pixels)
    found: Floats = gradient.abs().amax(dim=1).numpy()
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
