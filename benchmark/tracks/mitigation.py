"""What the mitigation tracks share: an entry fits a classifier, which is judged by its worst group."""

from dataclasses import replace

import numpy as np

from benchmark.records import Arrays, Call, Caller, Case, Field, FloatArray, IntArray, Judgement
from benchmark.tracks.predicting import Answers, Inputs, Rows, answers, check_alone, fit

METRICS = ("worst_group_acc", "mean_acc", "gain_over_erm")
"""The metrics of every mitigation track."""
ANSWERS = ("worst_group_acc", "mean_acc")
"""What every answer becomes."""
TRUTH = ("erm_worst_group_acc",)
"""What is measured before any entry sees the case: how far plain training gets."""
LEAKAGE = "leakage_auroc"


def examine_mitigator(case: Case, entry: Caller, laboratory: Caller, inputs: Inputs) -> Judgement:
    """The accuracies of the classifier that an entry fits, and what its transform leaks.

    Raises CallFailed for what is no classifier.
    """
    fit(case, entry)
    given = answers(entry, _test_rows(case, inputs), inputs)
    figures = {**accuracies(given.labels, case.hidden), **case.figures}
    if given.columns is None:
        return Judgement(figures=figures, kept={"labels": given.labels})
    figures[LEAKAGE] = _leakage(laboratory, given.columns, case.hidden)
    kept = {"labels": given.labels, "columns": given.columns}
    return Judgement(figures=figures, answered=frozenset({inputs.columns}), kept=kept)


def confirm_mitigator(case: Case, entry: Caller, judgement: Judgement, inputs: Inputs) -> None:
    """Nothing, where a second fit gives some of the test rows, each alone, what the first gave the batches.

    Raises CallFailed where it does not.
    """
    fit(case, entry)
    given = Answers(judgement.kept["labels"], judgement.kept.get("columns"))
    check_alone(entry, _test_rows(case, inputs), given, inputs)


def accuracies(predicted: IntArray, hidden: Arrays) -> dict[str, float]:
    """The worst and the mean accuracy over the groups of label and attribute that the test set holds.

    predicted: int64 (n,) of 0 and 1. hidden: `test_task_labels` and `test_attribute`, int64 (n,) of 0 and 1.
    Source: track specification, embedding-mitigation, "Metrics".
    """
    labels, attribute = hidden["test_task_labels"], hidden["test_attribute"]
    groups = 2 * labels + attribute
    held = [float(np.mean(predicted[groups == g] == labels[groups == g])) for g in np.unique(groups)]
    return {"worst_group_acc": min(held), "mean_acc": float(np.mean(held))}


def with_baseline(case: Case, predicted: IntArray) -> Case:
    """The case with how far plain training gets, which predicts int64 (n,) for its test rows."""
    return replace(
        case, figures={"erm_worst_group_acc": accuracies(predicted, case.hidden)["worst_group_acc"]}
    )


def _test_rows(case: Case, inputs: Inputs) -> Rows:
    """The test set of a case, (n, ...)."""
    return case.hidden[f"test_{inputs.name}"]


def _leakage(laboratory: Caller, transformed: FloatArray, hidden: Arrays) -> float:
    """The out-of-fold AUROC of a probe of the attribute, in [0.5, 1]: less than chance earns nothing."""
    asked = {
        "columns": transformed,
        "attribute": hidden["test_attribute"],
        "task_labels": hidden["test_task_labels"],
    }
    found = laboratory(Call("leakage", asked, returns=(Field("auroc", "float64"),), bare="auroc"))
    return max(0.5, float(found["auroc"]))
