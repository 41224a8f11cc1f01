"""What the image tracks share: a dataset's corner, its images, and the call that trains on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
import numpy.typing as npt

from benchmark.data.patched_bars import CORNERS, Images, PatchedBars, Recipe, generate_patched_bars
from benchmark.records import Call, CaseKey, Field, IntArray, Kind, Made
from benchmark.seeds import OFFSET_STRIDE, digest_of, generator
from benchmark.tracks.spec import Cell, ImageRow
from benchmark.training import state_size

VARIANT = "patch"
"""The one way the shortcut is carried."""


@dataclass(frozen=True)
class Dataset:
    """A dataset of a track, of which parts are drawn."""

    track: str
    """The track's key."""
    key: CaseKey
    """The case."""
    corner: int
    """Where its patch is, a place in `CORNERS`."""

    def draw(self, role: str, rho: float, n: int) -> PatchedBars:
        """n images of the part `role`; the patch agrees with the label with probability rho."""
        recipe = Recipe(rho, n, self.corner)
        return generate_patched_bars(recipe, generator(*_name(self.track, self.key), role))


def dataset(track: str, key: CaseKey, cells: Sequence[Cell]) -> Dataset:
    """The dataset of `key` in a suite of `cells`, its corner dealt.

    The corners are dealt in turn over all cases of a kind, in the order of the suite, from a shuffled deck:
    over any four seeds of a strength each comes up once, and over a suite no corner much more than another.
    """
    earlier = takewhile(lambda cell: (cell.strength, cell.kind) != (key.strength, key.kind), cells)
    start = sum(cell.seeds for cell in earlier if cell.kind is key.kind)
    deck = generator(track, "corners", key.kind.value, key.seed // OFFSET_STRIDE).permutation(len(CORNERS))
    return Dataset(track, key, int(deck[(start + key.seed) % len(CORNERS)]))


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


def sample_pictures(track: str, rho: float, cells: Sequence[Cell]) -> tuple[ImageRow, ...]:
    """Images of each label without and with the patch, from a dataset of a track at `rho`."""
    chosen = dataset(track, CaseKey(VARIANT, rho, 0, Kind.SHORTCUT), cells)
    drawn = chosen.draw("training", rho, 400)
    groups = [(label, patch) for label in (0, 1) for patch in (0, 1)]
    bars, patches = ("lying bar", "standing bar"), ("no patch", "patch")
    return (
        ImageRow(
            name="images",
            title=f"ρ = {rho:g}, the patch {CORNERS[chosen.corner]}",
            images=drawn.images[[_first_of(drawn, *group) for group in groups]].transpose(0, 2, 3, 1),
            captions=tuple(f"{bars[label]}, {patches[patch]}" for label, patch in groups),
        ),
    )


def _first_of(drawn: PatchedBars, label: int, patch: int) -> int:
    return int(np.flatnonzero((drawn.task_labels == label) & (drawn.attribute == patch))[0])
