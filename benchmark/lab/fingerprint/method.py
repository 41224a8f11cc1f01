"""A small computation whose last bits tell processors and libraries apart."""

from typing import Any

import numpy as np
import torch
from torch import nn

SIDE = 64


class Laboratory:
    """The computations of this laboratory, by name."""

    def probe(self, machine: int) -> dict[str, Any]:
        """What this machine makes of fixed numbers: the operations that differ where any do.

        machine: a number of the machine, so that one's answer is not remembered as another's; not used.
        Gives float32 `convolved` (8, 8, 32, 32), `gradient` (8, 3, 3, 3), `product`, `exponential`, and
        `root` (64, 64), and float64 `gemm` (64, 64) and `singular` (64,).
        """
        rng = np.random.default_rng(0)
        images = torch.from_numpy(rng.standard_normal((8, 3, 32, 32), dtype=np.float32))
        layer = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        weights = torch.from_numpy(rng.standard_normal((8, 3, 3, 3), dtype=np.float32))
        layer.weight = nn.Parameter(weights)
        convolved = layer(images)
        convolved.square().mean().backward()
        single = torch.from_numpy(rng.standard_normal((SIDE, SIDE), dtype=np.float32))
        double = rng.standard_normal((SIDE, SIDE))
        assert layer.weight.grad is not None
        return {
            "convolved": convolved.detach().numpy(),
            "gradient": layer.weight.grad.numpy(),
            "product": (single @ single).numpy(),
            "exponential": torch.exp(single).numpy(),
            "root": torch.sqrt(single.abs()).numpy(),
            "gemm": double @ double,
            "singular": np.linalg.svd(double, compute_uv=False),
        }


def laboratory() -> Laboratory:
    """The object whose methods are called."""
    return Laboratory()
