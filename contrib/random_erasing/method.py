"""The shared CNN, trained on images of which some have a random rectangle painted gray.

Each time an image is seen, it loses a rectangle with probability 1/2. Of the paper's fills this is the mean
value; uniform noise did much worse here. The attribute is not used. A patch that is erased now and then is
still there most of the time, and a bar that is erased leaves the patch as the only clue, so the method has
no reason to help: it stands for augmentation that does not know the shortcut.

Source: Z. Zhong et al., Random erasing data augmentation, AAAI (2020), algorithm 1.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from benchmark.models import Passes, make_cnn, optimize, predicted

Images = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

PROBABILITY = 0.5
AREA = (0.02, 0.4)
ASPECT = (0.3, 1 / 0.3)
"""The paper's own: the share of the image, and height to width."""
GRAY = 0.5
"""The mean of the track's images, nearly."""


@dataclass(frozen=True)
class Classifier:
    """What labels images."""

    model: nn.Module
    """A trained CNN in eval mode."""

    def predict(self, images: Images) -> Ints:
        """int64 (n,) of 0 and 1: the labels of images float32 (n, 3, 32, 32), each by itself."""
        return predicted(self.model, images)


def fit(images: Images, attribute: Ints, task_labels: Ints, seed: int) -> Classifier:
    """A classifier of the task label.

    images: float32 (n, 3, 32, 32) in [0, 1]. attribute: not used. task_labels: int64 (n,) of 0 and 1.
    seed: int, of the first weights, of the order of the images and of what is erased.
    """
    target = torch.from_numpy(task_labels)

    def loss(logits: Tensor, rows: Tensor) -> Tensor:
        return cross_entropy(logits, target[rows])

    return Classifier(optimize(make_cnn(seed), images, loss, seed, Passes(augment=erased)))


def erased(batch: Tensor, rng: np.random.Generator) -> Tensor:
    """A copy of images (b, c, h, w) in which each has lost a rectangle with probability PROBABILITY."""
    result = batch.clone()
    for image in result:
        if rng.random() < PROBABILITY:
            rows, columns = rectangle(image.shape[1], image.shape[2], rng)
            image[:, rows, columns] = GRAY
    return result


def rectangle(height: int, width: int, rng: np.random.Generator) -> tuple[slice, slice]:
    """The rows and the columns of a rectangle inside an image, its area and aspect uniform in their ranges.

    One that does not fit is drawn again. The sides are rounded to pixels.
    """
    while True:
        area, aspect = rng.uniform(*AREA) * height * width, rng.uniform(*ASPECT)
        tall, wide = round((area * aspect) ** 0.5), round((area / aspect) ** 0.5)
        if tall < height and wide < width:
            top, left = rng.integers(height - tall + 1), rng.integers(width - wide + 1)
            return slice(top, top + tall), slice(left, left + wide)
