"""The models that tracks and entries share. Entries may import this module: it needs numpy and torch alone.

With the same seed and data the trained weights are the same, bit for bit, wherever the numbers are pinned to
one thread and one instruction set, as they are for entries and for the scorer's own training.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.optim.swa_utils import update_bn

from benchmark.training import SHARED

Images = npt.NDArray[np.float32]
"""float32 (n, 3, 32, 32) in [0, 1]."""
Labels = npt.NDArray[np.int64]
"""int64 (n,)."""
Loss = Callable[[Tensor, Tensor], Tensor]
"""From logits float32 (b, 2) and the rows int64 (b,) they are of, to a loss to step down."""
LAYOUT: torch.memory_format = getattr(torch, SHARED.memory_format)


@dataclass(frozen=True)
class Passes:
    """How a training goes over its images: by default each once an epoch, in a new order, as it is."""

    order: Callable[[np.random.Generator], Labels] | None = None
    """The rows of one epoch, int64 (m,); each row once in a random order by default."""
    augment: Callable[[Tensor, np.random.Generator], Tensor] | None = None
    """What becomes of a batch of images, float32 (b, 3, 32, 32), before the model sees it."""


def make_cnn(seed: int = 0) -> nn.Sequential:
    """A new, untrained shared CNN: float32 images (n, 3, 32, 32) to logits (n, 2).

    Three 3x3 convolutions of 16, 32 and 64 channels, each with BatchNorm and ReLU, max-pooling after the
    first two, then the mean over all places and a linear head. seed: of the weights it starts from; torch's
    global generator stays as it is. Source: track specification, "Shared CNN".
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers: list[nn.Module] = []
        inputs = 3
        for place, channels in enumerate(SHARED.channels):
            layers += [nn.Conv2d(inputs, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)]
            layers += [nn.ReLU(), *([nn.MaxPool2d(2)] if place < 2 else [])]
            inputs = channels
        layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, SHARED.classes)]
        model: nn.Sequential = nn.Sequential(*layers).to(memory_format=LAYOUT)  # type: ignore[call-overload]
        return model


def train_classifier(
    model: nn.Module, images: Images, labels: Labels, weights: npt.ArrayLike | None = None, seed: int = 0
) -> nn.Module:
    """`model`, trained on cross-entropy and in eval mode.

    images: float32 (n, 3, 32, 32). labels: int64 (n,) of 0 and 1. weights: (n,) of mean 1, what each image
    counts; all the same by default. seed: of the order of the images. See `optimize` for how.
    """
    target = torch.from_numpy(labels)
    if weights is None:
        return optimize(model, images, lambda logits, rows: cross_entropy(logits, target[rows]), seed)
    counts = torch.as_tensor(np.asarray(weights, dtype=np.float32))

    def weighted(logits: Tensor, rows: Tensor) -> Tensor:
        return (counts[rows] * cross_entropy(logits, target[rows], reduction="none")).mean()

    return optimize(model, images, weighted, seed)


def optimize(
    model: nn.Module, images: Images, loss: Loss, seed: int = 0, passes: Passes | None = None
) -> nn.Module:
    """`model` after the shared training on any loss, in eval mode.

    8 epochs of fused Adam (learning rate 3e-3) in batches of 64; then one more pass over the images, in
    order and as they are, estimates the BatchNorm statistics anew. The running ones lag behind at this
    learning rate, and displace the threshold between the classes. images: float32 (n, 3, 32, 32).
    """
    passes = passes or Passes()
    data = torch.from_numpy(images).contiguous(memory_format=LAYOUT)
    rng = np.random.default_rng(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=SHARED.learning_rate, fused=True)
    model.train()
    for _ in range(SHARED.epochs):
        order = torch.from_numpy(passes.order(rng) if passes.order else rng.permutation(len(images)))
        for start in range(0, len(order), SHARED.batch_size):
            rows = order[start : start + SHARED.batch_size]
            batch = data[rows]
            if passes.augment:
                batch = passes.augment(batch, rng)
            _step_down(optimizer, loss(model(batch.contiguous(memory_format=LAYOUT)), rows))
    update_bn(_batches(data, SHARED.statistics_batch), model)
    return model.eval()


def _step_down(optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    """One step of the optimizer down the gradient of a loss."""
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()


def _batches(images: Tensor, size: int) -> list[Tensor]:
    """The images in order, in batches of up to `size`."""
    return [images[start : start + size] for start in range(0, len(images), size)]


def logits_of(model: nn.Module, images: Images, batch_size: int = 500) -> npt.NDArray[np.float32]:
    """float32 (n, 2): the logits of images float32 (n, 3, 32, 32), computed batch by batch."""
    with torch.no_grad():
        batches = _batches(torch.from_numpy(images), batch_size)
        parts = [model(batch.contiguous(memory_format=LAYOUT)).numpy() for batch in batches]
    return np.concatenate(parts) if parts else np.zeros((0, SHARED.classes), np.float32)


def predicted(model: nn.Module, images: Images) -> Labels:
    """int64 (n,): the label that the model in eval mode gives each image float32 (n, 3, 32, 32)."""
    labels: Labels = logits_of(model, images).argmax(axis=1)
    return labels


def state_of(model: nn.Module) -> npt.NDArray[np.float32]:
    """float32 (state_size(),): all that a trained shared CNN has learnt, in a fixed order."""
    return np.concatenate([tensor.detach().numpy().ravel() for tensor in _learnt(model)])


def cnn_of(state: npt.NDArray[np.float32]) -> nn.Module:
    """A shared CNN of its own, in eval mode, with the state float32 (state_size(),) of a trained one."""
    model = make_cnn()
    start = 0
    with torch.no_grad():
        for tensor in _learnt(model):
            stop = start + tensor.numel()
            tensor.copy_(torch.from_numpy(state[start:stop]).reshape(tensor.shape))
            start = stop
    return model.eval()


def _learnt(model: nn.Module) -> Iterator[Tensor]:
    """The tensors of a model that training changes, less BatchNorm's counters of batches."""
    return (tensor for tensor in model.state_dict().values() if tensor.is_floating_point())
