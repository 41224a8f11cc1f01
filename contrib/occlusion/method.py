"""How much the predicted label's logit falls when a window of the image is painted gray.

The windows tile the image: each pixel is in one of them, and a map holds for it the fall of the logit, less
than 0 where it rises. Computed by captum.

The score is how far one small block stands out in the mean map: a bar may be anywhere, but a shortcut that
stays in its place piles up there. No place is singled out beforehand. There is no flag, since nothing says
how far a block stands out by chance.

Source: M. Zeiler and R. Fergus, Visualizing and understanding convolutional networks, ECCV 2014, section
4.2.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from captum.attr import Occlusion
from numpy.lib.stride_tricks import sliding_window_view
from torch import nn

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]

GRAY = 0.5
WINDOW = 4
SIZE = 4
BATCH = 100


def detect(images: Floats, task_labels: Ints, model: nn.Module, seed: int) -> dict[str, Any]:
    """How far one block stands out in the mean map, and a signed map for each image.

    images: float32 (n, 3, h, w). task_labels, seed: not used.
    """
    batches = torch.from_numpy(images).split(BATCH)
    heatmaps = np.concatenate([falls(model, batch) for batch in batches]).astype(float)
    return {"score": prominence(heatmaps), "heatmaps": heatmaps}


def falls(model: nn.Module, batch: torch.Tensor) -> Floats:
    """float32 (b, h, w): the fall of the logit that is largest, by the window that holds the pixel."""
    window = (batch.shape[1], WINDOW, WINDOW)
    found = Occlusion(model).attribute(
        batch, sliding_window_shapes=window, strides=window, baselines=GRAY, target=predictions(model, batch)
    )
    first: Floats = found[:, 0].numpy()
    return first


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
