"""A score, a flag and heatmaps from the seed alone: what a method gets that never looks at images or model.

Its flag fires at the nominal level of 5%. A uniform peak is within 2 pixels of a 4x4 patch in the corner of
a 32x32 image with probability (6 / 32)^2 = 0.035: the chance level of the pointing game.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

ALPHA = 0.05


def detect(images: Floats, task_labels: Ints, model: object, seed: int) -> dict[str, Any]:
    """A uniform score in [0, 1), whether it is among the highest 5%, and uniform heatmaps in [0, 1).

    images: float32 (n, 3, h, w); only their shape is used. task_labels, model: not used.
    """
    rng = np.random.default_rng(seed)
    score = rng.random()
    heatmaps = rng.random((len(images), *images.shape[2:]))
    return {"score": score, "flag": score >= 1 - ALPHA, "heatmaps": heatmaps}
