"""How the shared CNN is built and trained, in numbers; `models` is the code. Needs no torch."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Training:
    """The architecture and the training of the shared CNN."""

    channels: tuple[int, ...] = (16, 32, 64)
    """Output channels of its 3x3 convolutions."""
    classes: int = 2
    """How many labels there are."""
    epochs: int = 8
    """Passes over the training set."""
    batch_size: int = 64
    """Images in one step."""
    learning_rate: float = 3e-3
    """Of Adam."""
    statistics_batch: int = 250
    """Images in one batch of the pass that estimates the BatchNorm statistics after training."""
    memory_format: str = "channels_last"
    """The layout of images and weights, which decides the last bits of every sum."""


SHARED = Training()
"""What every shared CNN is trained with. Source: track specification, "Shared CNN"."""
IMAGE_CHANNELS, KERNEL = 3, 9
"""Colors of an image, and the weights of a 3x3 kernel for one pair of channels."""


def state_size(training: Training = SHARED) -> int:
    """How many float32 numbers a trained CNN is: weights, biases, and BatchNorm means and variances."""
    inputs = (IMAGE_CHANNELS, *training.channels[:-1])
    pairs = zip(inputs, training.channels, strict=True)
    blocks = sum(KERNEL * before * after + 4 * after for before, after in pairs)
    return blocks + math.prod((training.channels[-1] + 1, training.classes))
