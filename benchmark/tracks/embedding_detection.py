"""embedding-detection: do embeddings carry an attribute beyond what the task label explains."""

from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

from benchmark.data.conditional_synthetic import VARIANTS, Recipe, generate_conditional_synthetic
from benchmark.records import Case, CaseKey, FloatArray, IntArray, Kind
from benchmark.seeds import generator
from benchmark.tracks.detection import examine_detector
from benchmark.tracks.spec import Cell, Signature, Sketch, Track, VariantNote, Version

KEY = "embedding-detection"
STRENGTHS = (0.3, 0.6, 1.0)
ROWS = 600
AGREEMENT = 0.7
DECIMALS = 6

SCAFFOLD = '''\
"""What this method does, in one sentence; where it comes from."""

import numpy as np


def detect(embeddings, attribute, task_labels, seed):
    """How strongly the embeddings carry the attribute beyond the task label.

    embeddings: float64 (600, 64). attribute, task_labels: int64 (600,) of 0 and 1. seed: int.
    Returns a score, higher for more shortcut; or {"score": float, "flag": bool}, where a flag must
    then be given for every case and should fire on at most 20% of the null cases.
    """
    largest = 0.0
    for label in (0, 1):
        carries = embeddings[(task_labels == label) & (attribute == 1)]
        lacks = embeddings[(task_labels == label) & (attribute == 0)]
        error = np.sqrt(carries.var(axis=0) / len(carries) + lacks.var(axis=0) / len(lacks))
        statistic = np.abs(carries.mean(axis=0) - lacks.mean(axis=0)) / error
        largest = max(largest, float(statistic.max()))
    return {"score": largest, "flag": largest > 4.0}
'''

DATA = (
    "A case is a set of 600 embeddings of 64 dimensions with an attribute A and a task label Y, both 0 "
    "or 1. Y is balanced, and A agrees with Y for 70% of the samples. Four columns carry Y. In a "
    "shortcut case four more carry A, with strength δ and in one of three ways; in a null case (δ = 0) "
    "none does. The columns are shuffled in every case, and values are rounded to 6 decimals.",
    "In a null case A still goes along with Y, so the embeddings predict A through the columns that "
    "carry Y. A method that ignores Y fires on it.",
)
VARIANT_NOTES = (
    VariantNote("linear", "The mean of each column moves by δ standard deviations.", "The easy case."),
    VariantNote(
        "xor",
        "The sign of a product of two columns tells A; no mean differs.",
        "Methods that see more than lines.",
    ),
    VariantNote(
        "variance",
        "The means are equal; where A = 1 the standard deviation is 1 + δ.",
        "Methods that see more than means.",
    ),
)
LIMITS = (
    "A method that cannot see a variant scores 0.5 ± 0.075 on it (one standard deviation). Read a "
    "per-variant AUROC well under 0.5 as “blind to this variant”, not as worse than chance.",
    "The bootstrap interval of a perfect AUROC is [1, 1], although other seeds might give less.",
    "Intervals and ties are not corrected for the number of comparisons: of many pairs that are "
    "equally good, about one in twenty looks told apart.",
    "The public seeds can be made again by anyone, so a number on them is only as honest as the entry.",
)


def sketches() -> tuple[Sketch, ...]:
    """The samples of a case of each variant at its greatest strength."""
    keys = [CaseKey(variant, max(STRENGTHS), 0, Kind.SHORTCUT) for variant in VARIANTS]
    return tuple(_sketch(generate(key)) for key in keys)


def _sketch(case: Case) -> Sketch:
    """The samples of a case on the two attribute columns whose product tells the attribute best."""
    columns = case.seen["embeddings"][:, case.hidden["attribute_columns"]]
    group = case.seen["attribute"]
    products = {(i, j): columns[:, i] * columns[:, j] for i, j in combinations(range(columns.shape[1]), 2)}
    left, right = max(products, key=lambda pair: abs(_gap(products[pair], group)))
    return Sketch(
        name=f"case-{case.key.variant}",
        title=f"{case.key.variant}, δ = {case.key.strength:g}",
        x=columns[:, left],
        y=columns[:, right],
        group=group,
        x_label="a column that carries A",
        y_label="another",
        groups=("A = 0", "A = 1"),
    )


def _gap(values: FloatArray, group: IntArray) -> float:
    """How far the mean of `values` (n,) differs between the groups 0 and 1 of `group` (n,)."""
    return float(np.mean(values[group == 1]) - np.mean(values[group == 0]))


def generate(key: CaseKey, decimals: int | None = None) -> Case:
    """The dataset of `key`: embeddings (600, 64), attribute and task labels, drawn for it alone.

    decimals: to how many the embeddings are rounded; None for not at all.
    """
    recipe = Recipe(variant=key.variant, delta=key.strength, rho=AGREEMENT, n=ROWS, decimals=decimals)
    name = (KEY, key.variant, key.strength)
    drawn = generate_conditional_synthetic(
        recipe, generator(*name, "rows", key.seed), generator(*name, "columns", key.seed)
    )
    return Case(
        key=key,
        kind=key.kind,
        seen={
            "embeddings": drawn.embeddings,
            "attribute": drawn.attribute,
            "task_labels": drawn.task_labels,
        },
        hidden={"attribute_columns": drawn.attribute_columns, "task_columns": drawn.task_columns},
    )


def _cells(nulls: int) -> tuple[Cell, ...]:
    """The suite with `nulls` null cases, and ten shortcut cases of each strength, for each variant."""
    return tuple(
        cell
        for variant in VARIANTS
        for cell in (
            Cell(variant, 0.0, Kind.NULL, nulls),
            *(Cell(variant, strength, Kind.SHORTCUT, 10) for strength in STRENGTHS),
        )
    )


TPR_BY_STRENGTH = tuple(f"tpr_delta_{strength}" for strength in STRENGTHS)

FIRST = Version(
    number="1.0",
    changes="First version: 10 null cases and 30 shortcut cases per variant.",
    why="It asks whether a method sees mean shifts, products and changes of spread.",
    cells=_cells(nulls=10),
    generate=generate,
    examine=examine_detector,
    metrics=("auroc", *(f"auroc_{variant}" for variant in VARIANTS), "fpr", "tpr", *TPR_BY_STRENGTH),
    ranking="auroc",
    secondary=TPR_BY_STRENGTH,
    breakdown=("auroc", "tpr"),
    suite_digest="80b722688412ad11d3a235a8b0d706850416f4733b63764f654087f728c43912",
)
MORE_NULLS = replace(
    FIRST,
    number="1.1",
    changes="30 null cases per variant instead of 10.",
    why=(
        "With 10 nulls a per-variant AUROC moved by about ±0.15 from seed noise alone; with 30 there are "
        "as many null as shortcut cases."
    ),
    cells=_cells(nulls=30),
    suite_digest="27a331f412715dcae945f023926dba27b4566551e6aff5ead20b3930dd3b0dd7",
)
ROUNDED = replace(
    MORE_NULLS,
    number="1.2",
    changes="All values are rounded to 6 decimals.",
    why=(
        "In 1.0 and 1.1 the last bits of a value told whether it had been shifted or scaled: an entry that "
        "read them, and saw next to no statistic, reached an AUROC of 1. Rounded values tell nothing of it."
    ),
    generate=partial(generate, decimals=DECIMALS),
    suite_digest="d8fa12f82c98498759402fea2e557c80b2a4cfa80352ad14bf3747b88faa0e92",
)

TRACK = Track(
    key=KEY,
    title="Embedding detection",
    question="Do embeddings carry an attribute beyond what the task label explains?",
    signature=Signature(
        name="detect",
        arguments=("embeddings", "attribute", "task_labels", "seed"),
        returns='float | {"score": float, "flag": bool}',
        shapes=(
            "float64 (600, 64): one row per sample",
            "int64 (600,) of 0 and 1: A, the attribute",
            "int64 (600,) of 0 and 1: Y, the task label",
            "int: seeds whatever the method draws at random",
        ),
    ),
    scaffold=SCAFFOLD,
    versions=(FIRST, MORE_NULLS, ROUNDED),
    grouped_by_flag=True,
    tolerance=1e-6,
    data=DATA,
    variant_notes=VARIANT_NOTES,
    strength_symbol="δ",
    limits=LIMITS,
    pictures=sketches,
)
