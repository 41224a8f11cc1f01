"""embedding-mitigation: train a task classifier that does not lean on the attribute."""

from dataclasses import replace
from functools import partial

from benchmark.data.conditional_synthetic import Recipe, generate_conditional_synthetic
from benchmark.records import Call, Caller, Case, CaseKey, Field, Kind
from benchmark.seeds import generator
from benchmark.tracks import mitigation
from benchmark.tracks.predicting import Inputs
from benchmark.tracks.spec import Cell, Signature, Sketch, Track, VariantNote, Version

KEY = "embedding-mitigation"
TRAINING_ROWS, TEST_ROWS = 2000, 4000
AGREEMENTS = {"rho-0.9": 0.9, "rho-0.97": 0.97}
"""Variant -> how often the attribute agrees with the label in training."""
STRENGTHS = (1.0, 2.0)
SEEDS = 5
DECIMALS = 6
INPUTS = Inputs("embeddings", columns="transform")

SCAFFOLD = '''\
"""What this method does, in one sentence; where it comes from."""

import numpy as np
from sklearn.linear_model import LogisticRegression


class EmbeddingClassifier:
    """A fitted classifier."""

    def __init__(self, model):
        self.model = model

    def predict(self, embeddings):
        """int64 (n,) of 0 and 1 for float64 (n, 64); each row's label must depend on that row alone."""
        return self.model.predict(embeddings)

    # Optional: transform(embeddings) -> float64 (n, k), the embeddings with the attribute taken out.


def fit(embeddings, attribute, task_labels, seed):
    """A classifier of the task label that does not lean on the attribute.

    embeddings: float64 (2000, 64). attribute, task_labels: int64 (2000,) of 0 and 1. seed: int.
    """
    group = 2 * task_labels + attribute
    counts = np.bincount(group, minlength=4)
    weights = len(group) / (4 * np.maximum(counts, 1))[group]
    return EmbeddingClassifier(LogisticRegression(max_iter=1000).fit(embeddings, task_labels, weights))
'''

DATA = (
    "A case is a training set of 2000 embeddings of 64 dimensions with an attribute A and a task label Y, "
    "both 0 or 1, and a test set of 4000 that no entry sees before it predicts. Y is balanced. Four columns "
    "carry Y, and four others carry A: their means differ by δ standard deviations. In training A agrees "
    "with Y for 90% or 97% of the samples (ρ), so a classifier does well by leaning on A.",
    "In the test set A agrees with Y for half of the samples. There it says nothing of the label, and "
    "whoever leans on it fails where A and Y differ. Entries see A in training, not in the test. Values are "
    "rounded to 6 decimals.",
)
VARIANT_NOTES = (
    VariantNote("rho-0.9", "A agrees with Y for 90% of the training samples.", "The easier case."),
    VariantNote(
        "rho-0.97",
        "A agrees with Y for 97%: of 2000 samples, about 30 of each label show them apart.",
        "Methods that make much of few samples.",
    ),
)
LIMITS = (
    "The best that any method can reach is about 0.78: the four columns that carry Y tell no more.",
    "Leakage looks for traces that are linear once each column is brought to a normal shape. A transform may "
    "hide the attribute from such a probe and still carry it.",
    "Leakage is of the transform alone: nothing makes predict use it, and a transform that gives next to "
    "nothing leaks nothing. Read it beside the worst-group accuracy of a method that predicts from it.",
    "Differences of worst-group accuracy below about 0.006 mean nothing: the minimum over four groups of "
    "about 1000 test rows moves by as much.",
    "That labels depend on one row alone is checked on 64 rows of each test set.",
)
OUTCOMES = (
    ("fit returns None, or an object without predict", "the case fails as bad_output"),
    (
        "predict gives probabilities, floats, strings, a wrong length, or labels other than 0 and 1",
        "the case fails as bad_output",
    ),
    ("predict gives one class only", "it is scored: worst-group accuracy 0"),
    (
        "predict or transform gives a row another answer alone, after a second fit, than among others",
        "the case fails as bad_output",
    ),
    (
        "transform gives NaN, infinity, no column, more than 1024, or not the same number each time",
        "the case fails as bad_output",
    ),
    ("transform gives constants only", "it is scored: leakage 0.5, as nothing is left"),
    (
        "there is no transform",
        "leakage has no value; for some cases only, those without one fail as bad_output",
    ),
)


def generate(key: CaseKey, decimals: int | None = None) -> Case:
    """The training and the test set of `key`, which share their columns and nothing else.

    decimals: to how many the embeddings are rounded; None for not at all.
    """
    name = (KEY, key.variant, key.strength)
    training = Recipe("linear", key.strength, AGREEMENTS[key.variant], TRAINING_ROWS, decimals=decimals)
    test = replace(training, rho=0.5, n=TEST_ROWS)
    drawn, held_out = (
        generate_conditional_synthetic(
            recipe, generator(*name, role, key.seed), generator(*name, "columns", key.seed)
        )
        for role, recipe in (("training", training), ("test", test))
    )
    return Case(
        key=key,
        kind=key.kind,
        seen={
            "embeddings": drawn.embeddings,
            "attribute": drawn.attribute,
            "task_labels": drawn.task_labels,
        },
        hidden={
            "test_embeddings": held_out.embeddings,
            "test_attribute": held_out.attribute,
            "test_task_labels": held_out.task_labels,
            "attribute_columns": drawn.attribute_columns,
            "task_columns": drawn.task_columns,
        },
    )


def sketches() -> tuple[Sketch, ...]:
    """The training and the test samples of a case, on a column that carries A and one that carries Y."""
    case = generate(CaseKey("rho-0.97", max(STRENGTHS), 0, Kind.SHORTCUT))
    carries_a, carries_y = (int(case.hidden[f"{name}_columns"][0]) for name in ("attribute", "task"))
    parts = (
        ("training", "training: A = Y for 97%", case.seen["embeddings"], case.seen["task_labels"]),
        ("test", "test: A = Y for 50%", case.hidden["test_embeddings"], case.hidden["test_task_labels"]),
    )
    return tuple(
        Sketch(
            name=f"case-{name}",
            title=title,
            x=rows[:, carries_a],
            y=rows[:, carries_y],
            group=labels,
            x_label="a column that carries A",
            y_label="a column that carries Y",
            groups=("Y = 0", "Y = 1"),
        )
        for name, title, rows, labels in parts
    )


def prepare(case: Case, laboratory: Caller) -> Case:
    """The case with how far plain logistic regression on its training set gets on its test set."""
    asked = {
        "embeddings": case.seen["embeddings"],
        "task_labels": case.seen["task_labels"],
        "queries": case.hidden["test_embeddings"],
    }
    field = Field("labels", "int64", (TEST_ROWS,))
    found = laboratory(Call("plain_predictions", asked, returns=(field,), bare="labels"))
    return mitigation.with_baseline(case, found["labels"])


FIRST = Version(
    number="1.0",
    changes="First version.",
    why="It asks for a classifier that holds where the attribute stops going along with the label.",
    cells=tuple(
        Cell(variant, strength, Kind.SHORTCUT, SEEDS, quick=1)
        for variant in AGREEMENTS
        for strength in STRENGTHS
    ),
    generate=generate,
    prepare=prepare,
    laboratory="linear",
    examine=partial(mitigation.examine_mitigator, inputs=INPUTS),
    confirm=partial(mitigation.confirm_mitigator, inputs=INPUTS),
    metrics=(*mitigation.METRICS, mitigation.LEAKAGE),
    ranking="worst_group_acc",
    breakdown=(*mitigation.METRICS, mitigation.LEAKAGE),
    answers=mitigation.ANSWERS,
    truth=mitigation.TRUTH,
    optional=(mitigation.LEAKAGE,),
    strata=("variant", "strength"),
    suite_digest="72c2bb04e69dd5528f6611fd351f5e1d07dc163ea5c62364381e537e48ccb39e",
)
ROUNDED = replace(
    FIRST,
    number="1.1",
    changes="All values are rounded to 6 decimals.",
    why=(
        "In 1.0 the last bits of a value told which way it had been shifted: an entry that read them off the "
        "test rows reached a worst-group accuracy of 0.91, where honest methods can reach 0.78 at best."
    ),
    generate=partial(generate, decimals=DECIMALS),
    suite_digest="48ef857583c27ff08c108a36e4907d71c081d900095a6eda70ab361b524acfb4",
)

TRACK = Track(
    key=KEY,
    title="Embedding mitigation",
    question="Can you train a task classifier that does not lean on the attribute?",
    signature=Signature(
        name="fit",
        arguments=("embeddings", "attribute", "task_labels", "seed"),
        returns="an object with predict(embeddings) -> int64 (n,) and, if you like, "
        "transform(embeddings) -> float64 (n, k)",
        shapes=(
            "float64 (2000, 64): one row per sample; (n, 64) for predict and transform",
            "int64 (2000,) of 0 and 1: A, the attribute",
            "int64 (2000,) of 0 and 1: Y, the task label",
            "int: seeds whatever the method draws at random",
        ),
    ),
    scaffold=SCAFFOLD,
    versions=(FIRST, ROUNDED),
    grouped_by_flag=False,
    tolerance=0.01,
    data=DATA,
    variant_notes=VARIANT_NOTES,
    strength_symbol="δ",
    limits=LIMITS,
    outcomes=OUTCOMES,
    pictures=sketches,
)
