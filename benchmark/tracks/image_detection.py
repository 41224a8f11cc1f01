"""image-detection: does a trained model rely on a hidden shortcut, and where is it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmark.data.patched_bars import painted_gray
from benchmark.records import (
    Arrays,
    BoolArray,
    Call,
    Caller,
    Case,
    CaseKey,
    Field,
    FloatArray,
    IntArray,
    Judgement,
    Kind,
    Made,
    Role,
)
from benchmark.seeds import entry_seed, generator
from benchmark.tracks.detection import FLAG, SCORE, score_of
from benchmark.tracks.patched_images import (
    VARIANT,
    TrainingSet,
    dataset,
    sample_pictures,
    training_call,
    training_seed,
)
from benchmark.tracks.pointing import Peaks, as_bytes, heat_bytes, peaks
from benchmark.tracks.spec import Cell, Signature, Track, VariantNote, Version
from benchmark.training import SHARED

KEY = "image-detection"
TRAINING_IMAGES, HELD_OUT_IMAGES = 1500, 400
NULLS, NULL_RHO = 9, 0.5
SEEDS = {0.9: 3, 0.95: 2, 0.98: 2, 1.0: 6}
"""rho -> how many seeds."""
LEAST_RELIANCE = 0.2
"""From which reliance on a model trained with a usable patch counts as a shortcut case."""
CELLS = (
    Cell(VARIANT, NULL_RHO, Kind.NULL, NULLS),
    *(Cell(VARIANT, rho, Kind.SHORTCUT, seeds, quick=int(rho in (0.9, 1.0))) for rho, seeds in SEEDS.items()),
)
SHOWN = {(NULL_RHO, 0), (0.98, 0), (1.0, 0), (1.0, 1), (1.0, 2), (1.0, 3)}
"""The cases, by rho and seed of the public suite, of which every entry's gallery shows the same images."""
SHOWN_IMAGES = 2
"""How many images of each of them."""
HEATMAPS = Field("heatmaps", "float64", (HELD_OUT_IMAGES, 32, 32), optional=True, finite=False)
TRUTH = ("corner", "reliance", "accuracy", "one_class", "patched")

SCAFFOLD = '''\
"""What this method does, in one sentence; where it comes from."""

import numpy as np
import torch


def detect(images, task_labels, model, seed):
    """How strongly the model relies on something that is in a fixed place of many images.

    images: float32 (400, 3, 32, 32) in [0, 1]. task_labels: int64 (400,) of 0 and 1. model: a torch module
    in eval mode, from images to logits (n, 2). seed: int. Returns a score, higher for more shortcut; or
    {"score": float, "flag": bool, "heatmaps": (400, 32, 32)}, where flag and heatmaps are optional.
    """
    inputs = torch.from_numpy(images).requires_grad_()
    logits = model(inputs)
    logits.max(dim=1).values.sum().backward()
    heatmaps = inputs.grad.abs().amax(dim=1).numpy()
    blocks = heatmaps.mean(axis=0).reshape(8, 4, 8, 4).mean(axis=(1, 3))
    return {"score": float(blocks.max() / np.median(blocks)), "heatmaps": heatmaps}
'''

DATA = (
    "A case is a trained model with 400 held-out RGB images of 32 × 32 pixels and their labels. Each image "
    "holds one faint bar on a noisy background, lying (label 0) or standing (label 1). Some hold a red "
    "patch of 4 × 4 pixels in one corner, always the same within a case. The patch agrees with the label "
    "for a share ρ of the images, in the 1500 the model was trained on and in those the entry gets. "
    "In a null case ρ is 0.5: the patch is in half of the images and says nothing. Entries are not told "
    "which images hold the patch.",
    "Truth is measured, not assumed. The reliance of a model is the share of patched held-out images whose "
    "predicted label changes when the patch is painted gray. A model trained with ρ above 0.5 makes a "
    "shortcut case when its reliance is 0.2 or more, and an ambiguous one otherwise: those count in the "
    "rank correlation and nowhere else. Null cases are always nulls.",
)
VARIANT_NOTES = (
    VariantNote(
        VARIANT,
        "The patch goes along with the label: the lower ρ, the more of the bar the model learns.",
        "Methods that look at what the model uses, not at what the data hold.",
    ),
)
LIMITS = (
    "AUROC saturates: a method that correlates pixels with labels and never calls the model reaches it too, "
    "and points at the patch every time, as the data hold the patch whether the model uses it or not. How "
    "much the model relies on it the data do not tell: read the rank correlation, and look at the gallery.",
    "A heatmap that always peaks in one and the same corner hits in up to 0.3 of the images, since a suite "
    "has four corners only. Look at the gallery, at the null case most of all.",
    "One architecture, one kind of patch, a fixed corner: what finds this need not find another shortcut.",
    "There are 9 nulls: a flag's FPR moves in steps of 0.11. An interval of 1.000 to 1.000 is that of scores "
    "that separate these cases without an error; other seeds may give less.",
)
OUTCOMES = (
    ("a heatmap is all zero, all equal, or holds NaN or infinity", "it has no peak and counts as a miss"),
    (
        "a heatmap has several equal peaks",
        "it hits only if every one of them is on the patch or at most 2 pixels beside it",
    ),
    ("a heatmap has negative values", "its peak is the largest value, as for any other"),
    (
        "heatmaps have another shape, such as (400, 32, 32, 1) or (400, 3, 32, 32)",
        "the case fails as bad_output",
    ),
    (
        "heatmaps, or flags, are there for some cases only",
        "the cases without them fail as bad_output",
    ),
    ("the score is NaN or infinite", "the case fails as bad_output"),
    (
        "the method changes the model, its mode, or its input arrays",
        "nothing: each call has copies of its own, the model in eval mode",
    ),
    ("a model answers one class only", "its reliance is 0; such models are counted on this page"),
)


def generate(key: CaseKey) -> Case:
    """The held-out images of `key`; hidden, those its model is trained on."""
    source = dataset(KEY, key, CELLS)
    drawn = source.draw("training", key.strength, TRAINING_IMAGES)
    held_out = source.draw("held out", key.strength, HELD_OUT_IMAGES)
    return Case(
        key=key,
        kind=key.kind,
        seen={"images": held_out.images, "task_labels": held_out.task_labels},
        hidden={
            "attribute": held_out.attribute,
            "training_images": drawn.images,
            "training_task_labels": drawn.task_labels,
        },
        figures={"corner": float(source.corner)},
    )


def prepare(case: Case, laboratory: Caller) -> Case:
    """The case with its trained model, the model's reliance, and the kind that follows from it."""
    images, corner = case.seen["images"], int(case.figures["corner"])
    queries = np.concatenate([images, painted_gray(images, corner)])
    training = TrainingSet(case.hidden["training_images"], case.hidden["training_task_labels"])
    found = laboratory(training_call(training, queries, training_seed(KEY, case.key)))
    plain, painted = np.split(np.asarray(found["labels"]), 2)
    patched = case.hidden["attribute"] == 1
    truth = {
        **case.figures,
        "reliance": reliance(plain, painted, patched),
        "accuracy": float(np.mean(plain == case.seen["task_labels"])),
        "one_class": float(len(np.unique(plain)) == 1),
        "patched": float(patched.sum()),
    }
    return replace(case, kind=kind_of(case.key.kind, truth), derived={"state": found["state"]}, figures=truth)


def reliance(plain: IntArray, painted: IntArray, patched: BoolArray) -> float:
    """Share of the patched images whose label changes when the patch is painted gray, in [0, 1].

    plain, painted: int64 (n,), the labels predicted before and after. patched: bool (n,), not all false.
    Source: track specification, image-detection, "Ground truth is measured, not assumed".
    """
    return float(np.mean(plain[patched] != painted[patched]))


def kind_of(meant: Kind, truth: Mapping[str, float]) -> Kind:
    """What a case is: a null if meant as one, else a shortcut or ambiguous by its model's reliance."""
    if meant is Kind.NULL:
        return Kind.NULL
    return Kind.SHORTCUT if truth["reliance"] >= LEAST_RELIANCE else Kind.AMBIGUOUS


def examine(case: Case, entry: Caller, laboratory: Caller) -> Judgement:
    """The score, flag and pointing hits that `detect` gives for a case. Lets `CallFailed` through."""
    arguments: Mapping[str, npt.NDArray[Any] | int | Made] = {
        **case.seen,
        "model": Made("benchmark.models:cnn_of", {"state": case.derived["state"]}),
        "seed": entry_seed(case.seen),
    }
    answer = entry(Call("detect", arguments, returns=(SCORE, FLAG, HEATMAPS), bare="score"))
    flag, figures = answer.get("flag"), dict(case.figures)
    pictures: Arrays = {}
    if "heatmaps" in answer:
        found = peaks(answer["heatmaps"], int(case.figures["corner"]))
        figures["hits"] = float(found.hit[case.hidden["attribute"] == 1].sum())
        pictures = pictures_of(case, answer["heatmaps"], found)
    return Judgement(
        score=score_of(answer),
        flag=None if flag is None else bool(flag),
        figures=figures,
        answered=frozenset(answer) & {"flag", "heatmaps"},
        pictures=pictures,
    )


def pictures_of(case: Case, heatmaps: FloatArray, found: Peaks) -> Arrays:
    """A few images of a case with their heatmaps float64 (400, 32, 32), for the gallery.

    The same images for every entry of some cases, and of every shortcut case one hit and one miss of this
    entry, where it has them. All hold the patch.
    """
    patched = case.hidden["attribute"] == 1
    random = generator("gallery", case.key.id)
    chosen: list[tuple[int, Role]] = []
    if (case.key.strength, case.key.seed) in SHOWN:
        chosen += [(int(row), Role.SHARED) for row in _some(random, patched, SHOWN_IMAGES)]
    if case.kind is Kind.SHORTCUT:
        for role, wanted in ((Role.HIT, patched & found.hit), (Role.MISS, patched & ~found.hit)):
            chosen += [(int(row), role) for row in _some(random, wanted, 1)]
    rows = np.array([row for row, _ in chosen], dtype=np.int64)
    return {
        "image": as_bytes(case.seen["images"][rows]),
        "heatmap": heat_bytes(heatmaps[rows]),
        "peak": found.place[rows].astype(np.int16),
        "hit": found.hit[rows],
        "row": rows.astype(np.int16),
        "role": np.array([role for _, role in chosen], dtype=np.int8),
        "corner": np.full(len(rows), case.figures["corner"], dtype=np.int8),
    }


def _some(random: np.random.Generator, wanted: BoolArray, count: int) -> npt.NDArray[np.int64]:
    """Up to `count` places where `wanted` (n,) holds, drawn without replacement."""
    places = np.flatnonzero(wanted)
    return random.permutation(places)[:count]


FIRST = Version(
    number="1.0",
    changes="First version.",
    why="It asks whether a method sees what a trained model uses, and where.",
    cells=CELLS,
    generate=generate,
    prepare=prepare,
    laboratory="cnn",
    training=SHARED,
    examine=examine,
    metrics=("auroc", "reliance_spearman", "pointing_game", "fpr", "tpr"),
    ranking="auroc",
    breakdown=("auroc", "tpr", "pointing_game"),
    answers=("score",),
    optional=("flag", "hits"),
    pictured="hits",
    truth=TRUTH,
    graded="reliance",
    kind_of=kind_of,
    strata=("variant", "null"),
    suite_digest="1785d15e485a6e259c9e8ca839eb8c5e1be1f8090df9a9c0bf2b945ce8982d21",
)

TRACK = Track(
    key=KEY,
    title="Image detection",
    question="Does a trained model rely on a hidden shortcut, and where is it?",
    signature=Signature(
        name="detect",
        arguments=("images", "task_labels", "model", "seed"),
        returns='float | {"score": float, "flag": bool, "heatmaps": (400, 32, 32)}',
        shapes=(
            "float32 (400, 3, 32, 32) in [0, 1]",
            "int64 (400,) of 0 and 1: 0 for a lying bar, 1 for a standing one",
            "torch.nn.Module in eval mode: from images to logits (n, 2)",
            "int: seeds whatever the method draws at random",
        ),
    ),
    scaffold=SCAFFOLD,
    versions=(FIRST,),
    grouped_by_flag=True,
    tolerance=0.02,
    call_seconds=120.0,
    memory_mib=4096,
    shared_models=True,
    data=DATA,
    variant_notes=VARIANT_NOTES,
    strength_symbol="ρ",
    limits=LIMITS,
    outcomes=OUTCOMES,
    pictures=partial(sample_pictures, KEY, 0.9, CELLS),
)
