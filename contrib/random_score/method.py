"""A score and a flag from the seed alone: what a method scores that never looks at the data.

Its flag fires at the nominal level of 5%, so its FPR and TPR both lie near 0.05, and its AUROC near 0.5.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ALPHA = 0.05


def detect(embeddings: Floats, attribute: Ints, task_labels: Ints, seed: int) -> dict[str, Any]:
    """A uniform score in [0, 1), and whether it is among the highest 5%. Only the seed is used."""
    score = np.random.default_rng(seed).random()
    return {"score": score, "flag": score >= 1 - ALPHA}
