"""What the image tracks share: a dataset's corner, its images, and the call that trains on them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmark.data.patched_bars import CORNERS, Images, PatchedBars, Recipe, generate_patched_bars
from benchmark.records import Call, CaseKey, Field, IntArray, Kind, Made
from benchmark.seeds import digest_of, generator
from benchmark.tracks.spec import ImageRow
from benchmark.training import state_size

VARIANT = "patch"
"""The one way the shortcut is carried."""


@dataclass(frozen=True)
class Draw:
    """A part of a dataset of a track."""

    track: str
    """The track's key."""
    key: CaseKey
    """The case."""
    role: str
    """`training`, `held out` or `test`."""

    def images(self, rho: float, n: int) -> PatchedBars:
        """n images, the patch in the dataset's corner, agreeing with the label with probability rho."""
        recipe = Recipe(rho, n, corner_of(self.track, self.key))
        return generate_patched_bars(recipe, generator(*_name(self.track, self.key), self.role))


def corner_of(track: str, key: CaseKey) -> int:
    """The dataset's corner, a place in `CORNERS`: each once in every four seeds of a strength, shuffled."""
    block, place = divmod(key.seed, len(CORNERS))
    dealt = generator(track, key.variant, key.strength, "corners", block).permutation(len(CORNERS))
    return int(dealt[place])


@dataclass(frozen=True)
class TrainingSet:
    """What a shared CNN is trained on."""

    images: Images
    """float32 (n, 3, 32, 32) in [0, 1]."""
    task_labels: IntArray
    """int64 (n,) of 0 and 1."""


def training_seed(track: str, key: CaseKey) -> int:
    """A training seed drawn for a dataset of a track alone, which no entry can know."""
    return int.from_bytes(digest_of(*_name(track, key), "training seed")[:4], "big") >> 1


def training_call(training: TrainingSet, queries: Images, seed: int) -> Call:
    """The call that trains the shared CNN and has it label `queries` float32 (m, 3, 32, 32).

    It gives `state`, float32 (state_size(),), the trained weights, and `labels`, int64 (m,). seed: of the
    weights it starts from and of the order of its batches.
    """
    arguments: dict[str, npt.NDArray[np.generic] | int | Made] = {
        "images": training.images,
        "task_labels": training.task_labels,
        "queries": queries,
        "seed": seed,
    }
    fields = (Field("state", "float32", (state_size(),)), Field("labels", "int64", (len(queries),)))
    return Call("trained_cnn", arguments, returns=fields)


def _name(track: str, key: CaseKey) -> tuple[str, str, float, int]:
    return (track, key.variant, key.strength, key.seed)


def sample_pictures(track: str, rho: float) -> tuple[ImageRow, ...]:
    """Images of each label without and with the patch, from a dataset of a track at `rho`."""
    key = CaseKey(VARIANT, rho, 0, Kind.SHORTCUT)
    drawn = Draw(track, key, "training").images(rho, 400)
    groups = [(label, patch) for label in (0, 1) for patch in (0, 1)]
    chosen = [_first_of(drawn, label, patch) for label, patch in groups]
    bars, patches = ("lying bar", "standing bar"), ("no patch", "patch")
    return (
        ImageRow(
            name="images",
            title=f"ρ = {rho:g}, the patch {CORNERS[corner_of(track, key)]}",
            images=drawn.images[chosen].transpose(0, 2, 3, 1),
            captions=tuple(f"{bars[label]}, {patches[patch]}" for label, patch in groups),
        ),
    )


def _first_of(drawn: PatchedBars, label: int, patch: int) -> int:
    return int(np.flatnonzero((drawn.task_labels == label) & (drawn.attribute == patch))[0])
