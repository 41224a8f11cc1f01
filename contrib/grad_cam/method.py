"""Where the last feature maps speak for the predicted label.

A map is the sum of the feature maps behind the last ReLU, each weighted by the mean gradient of the label's
logit, with what is below 0 cut off, enlarged bilinearly to the image. Under the shared CNN that is 8x8
places, each of which sees 18x18 pixels: coarse, but less noisy than a gradient. Computed by captum.

The score is how far one small block stands out in the mean map: a bar may be anywhere, but a shortcut that
stays in its place piles up there. No place is singled out beforehand. There is no flag, since nothing says
how far a block stands out by chance.

Source: R. Selvaraju et al., Grad-CAM, ICCV 2017, section 3, equations 1 and 2.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from captum.attr import LayerAttribution, LayerGradCam
from numpy.lib.stride_tricks import sliding_window_view
from torch import nn

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]

SIZE = 4
BATCH = 100


def detect(images: Floats, task_labels: Ints, model: nn.Module, seed: int) -> dict[str, Any]:
    """How far one block stands out in the mean map, and the class activation map of each image.

    images: float32 (n, 3, h, w). task_labels, seed: not used.
    """
    layer = last_relu(model)
    batches = torch.from_numpy(images).split(BATCH)
    heatmaps = np.concatenate([activations(model, layer, batch) for batch in batches]).astype(float)
    return {"score": prominence(heatmaps), "heatmaps": heatmaps}


def activations(model: nn.Module, layer: nn.Module, batch: torch.Tensor) -> Floats:
    """float32 (b, h, w), 0 or more: Grad-CAM of the logit that is largest, in the image's size."""
    pixels = batch.clone().requires_grad_()
    coarse = LayerGradCam(model, layer).attribute(
        pixels, target=predictions(model, batch), relu_attributions=True
    )
    fine = LayerAttribution.interpolate(coarse.detach(), batch.shape[2:], "bilinear")
    found: Floats = fine[:, 0].numpy()
    return found


def last_relu(model: nn.Module) -> nn.Module:
    """The ReLU that ends the last block. Raises ValueError if the model has none."""
    found = [module for module in model.modules() if isinstance(module, nn.ReLU)]
    if not found:
        raise ValueError("model: expected a ReLU behind the last convolution, got none; use the shared CNN")
    return found[-1]


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
