"""How often the model is right on images like those it was trained on.

A shortcut that holds in the held-out images too makes them easier, so a model that uses one is right more
often than the faint bar allows. That says neither what the shortcut is nor where, and an easy task looks the
same: it works here because all cases share one task. There is no flag, as nothing says what accuracy to
expect without a shortcut, and no heatmap.

Source: R. Geirhos et al., Shortcut learning in deep neural networks, Nature Machine Intelligence 2 (2020):
good results on data of the same law do not tell a shortcut from the intended solution.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from torch import nn

from benchmark.models import logits_of

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


def detect(images: Floats, task_labels: Ints, model: nn.Module, seed: int) -> dict[str, Any]:
    """The accuracy, in [0, 1]; an image whose two logits are equal counts half.

    images: float32 (n, 3, h, w). task_labels: int64 (n,) of 0 and 1. seed: not used.
    """
    logits = logits_of(model, images)
    margin = (logits[:, 1] - logits[:, 0]) * (2 * task_labels - 1)
    return {"score": float(np.mean((np.sign(margin) + 1) / 2))}
