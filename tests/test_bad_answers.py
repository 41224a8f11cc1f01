"""Answers that no honest method gives, through a real worker: each has the outcome that the pages say."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from benchmark.isolation.host import CaseFailed, EntryCode, Limits, Worker
from benchmark.isolation.launchers import PROCESS
from benchmark.models import make_cnn, state_of
from benchmark.provided import MODULE, provided
from benchmark.records import Arrays, Call, Case, CaseKey, Judgement, Kind, Outcome, Status
from benchmark.scorer import _answered_alike
from benchmark.tracks import TRACKS

DETECTION, MITIGATION = TRACKS["image-detection"], TRACKS["embedding-mitigation"]
LIMITS = Limits(call_seconds=60.0, load_seconds=120.0, memory_mib=4096)

DETECTORS = {
    "fine": "{'score': 1.0, 'heatmaps': np.random.default_rng(0).random((400, 32, 32))}",
    "all zero": "{'score': 1.0, 'heatmaps': np.zeros((400, 32, 32))}",
    "constant": "{'score': 1.0, 'heatmaps': np.full((400, 32, 32), 3.5)}",
    "tied": "{'score': 1.0, 'heatmaps': spots((0, 0), (31, 31))}",
    "negative": "{'score': 1.0, 'heatmaps': everywhere() - 9}",
    "nan": "{'score': 1.0, 'heatmaps': everywhere() * np.nan}",
    "infinite": "{'score': 1.0, 'heatmaps': everywhere() * np.inf}",
    "whole numbers": "{'score': 1.0, 'heatmaps': everywhere().astype(int)}",
    "on the patch": "{'score': 1.0, 'heatmaps': everywhere()}",
    "one axis more": "{'score': 1.0, 'heatmaps': np.zeros((400, 32, 32, 1))}",
    "channels": "{'score': 1.0, 'heatmaps': np.zeros((400, 3, 32, 32))}",
    "too few": "{'score': 1.0, 'heatmaps': np.zeros((399, 32, 32))}",
    "text": "{'score': 1.0, 'heatmaps': 'none'}",
    "objects": "{'score': 1.0, 'heatmaps': np.array([None] * 400)}",
    "no score": "{'heatmaps': everywhere()}",
    "score is nan": "{'score': float('nan')}",
    "bare": "0.25",
    "train mode": "{'score': float(model.train().training)}",
    "weights changed": "{'score': spoiled(model, images)}",
    "eval and own": "{'score': float(model.training) + float(next(model.parameters()).abs().sum() == 0)}",
    "tensor": "{'score': torch.tensor(0.5), 'heatmaps': torch.ones(400, 32, 32)}",
}
DETECT = '''\
import numpy as np
import torch


def spots(*places):
    maps = np.zeros((400, 32, 32))
    for row, column in places:
        maps[:, row, column] = 1.0
    return maps


def everywhere():
    """Peaks in the top left corner."""
    return spots((1, 1))


def spoiled(model, images):
    with torch.no_grad():
        for weights in model.parameters():
            weights.zero_()
    images[:] = 0.0
    return 1.0


def detect(images, task_labels, model, seed):
    answers = {answers}
    return answers[int(round(float(images[0, 0, 0, 0]) * 1000))]()
'''


@pytest.fixture(scope="module")
def detector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """An entry that answers in all of those ways, by what its first image says."""
    folder = tmp_path_factory.mktemp("detector")
    answers = "[" + ", ".join(f"lambda: {text}" for text in DETECTORS.values()) + "]"
    (folder / "method.py").write_text(DETECT.replace("{answers}", answers))
    with provided() as shared:
        arguments = DETECTION.signature.arguments
        code = EntryCode(folder, "detect", "detect", arguments, packages=(shared,), preload=(MODULE,))
        with Worker(PROCESS, code, LIMITS) as worker:
            yield worker


def image_case(name: str) -> Case:
    """A shortcut case with the patch in the top left corner of its first 200 images."""
    images = np.full((400, 3, 32, 32), 0.5, np.float32)
    images[0, 0, 0, 0] = list(DETECTORS).index(name) / 1000
    key = CaseKey("patch", 1.0, 0, Kind.SHORTCUT)
    return Case(
        key=key,
        kind=key.kind,
        seen={"images": images, "task_labels": np.repeat(np.array([0, 1]), 200)},
        hidden={"attribute": np.repeat(np.array([1, 0]), 200)},
        derived={"state": state_of(make_cnn())},
        figures={"corner": 0.0, "reliance": 1.0, "accuracy": 1.0, "one_class": 0.0, "patched": 200.0},
    )


def nothing(call: Call) -> Arrays:
    raise AssertionError(call.function)


def detected(worker: Worker, name: str) -> Judgement:
    case = image_case(name)
    return worker.examine(lambda call: DETECTION.current.examine(case, call, nothing)).value


HITS = {
    "all zero": 0.0,
    "constant": 0.0,
    "tied": 0.0,
    "negative": 200.0,
    "nan": 0.0,
    "infinite": 0.0,
    "whole numbers": 200.0,
    "on the patch": 200.0,
    "tensor": 0.0,
}


@pytest.mark.parametrize(("name", "hits"), HITS.items())
def test_heatmaps_of_every_sort_count_as_the_page_says(detector: Worker, name: str, hits: float) -> None:
    assert detected(detector, name).figures["hits"] == hits


MAPS = "heatmaps: expected float64 of shape (400, 32, 32), got"
REFUSED = {
    "one axis more": f"{MAPS} float64 of shape (400, 32, 32, 1)",
    "channels": f"{MAPS} float64 of shape (400, 3, 32, 32)",
    "too few": f"{MAPS} float64 of shape (399, 32, 32)",
    "text": f"{MAPS} str",
    "objects": f"{MAPS} object of shape (400,)",
    "no score": "score: expected one finite float64, got no such key in the answer",
    "score is nan": "score: expected one finite float64, got nan",
}


@pytest.mark.parametrize(("name", "reason"), REFUSED.items())
def test_what_is_no_answer_fails_the_case(detector: Worker, name: str, reason: str) -> None:
    with pytest.raises(CaseFailed) as failed:
        detected(detector, name)
    assert failed.value.status is Status.BAD_OUTPUT
    assert failed.value.reason == reason


def test_a_bare_number_is_a_score(detector: Worker) -> None:
    assert detected(detector, "bare").score == 0.25


@pytest.mark.parametrize("name", ["train mode", "weights changed"])
def test_the_next_call_has_a_model_of_its_own_in_eval_mode(detector: Worker, name: str) -> None:
    case = image_case(name)
    before = {key: array.copy() for key, array in {**case.seen, **case.derived}.items()}
    assert detected(detector, name).score == 1.0
    assert detected(detector, "eval and own").score == 0.0
    assert all(np.array_equal(before[key], array) for key, array in {**case.seen, **case.derived}.items())


MITIGATORS = {
    "fine": "Model(lambda x: labels(x))",
    "nothing": "None",
    "no predict": "object()",
    "a number": "3",
    "probabilities": "Model(lambda x: np.stack([x[:, 0], x[:, 1]], axis=1))",
    "floats": "Model(lambda x: labels(x).astype(float))",
    "strings": "Model(lambda x: labels(x).astype(str))",
    "bools": "Model(lambda x: labels(x) == 1)",
    "too long": "Model(lambda x: np.append(labels(x), 0))",
    "labels 1 and 2": "Model(lambda x: labels(x) + 1)",
    "one class": "Model(lambda x: np.zeros(len(x), int))",
    "by the batch": "Model(lambda x: (x[:, 0] > x[:, 0].mean()).astype(int))",
    "remembers": "Counting()",
    "transform nan": "Model(labels, lambda x: x * np.nan)",
    "transform nothing": "Model(labels, lambda x: x[:, :0])",
    "transform too wide": "Model(labels, lambda x: np.ones((len(x), 1025)))",
    "transform constant": "Model(labels, lambda x: np.ones((len(x), 3)))",
    "transform changing": "Model(labels, lambda x: np.ones((len(x), 2 + (len(x) == 1))))",
    "transform flat": "Model(labels, lambda x: x[:, 0])",
    "transform None": "Model(labels, lambda x: None)",
    "raises": "Model(lambda x: 1 / 0)",
}
FIT = '''\
import numpy as np


def labels(x):
    return (x[:, 0] > 0).astype(int)


class Model:
    def __init__(self, predict, transform=None):
        self.predict = predict
        if transform:
            self.transform = transform


class Counting:
    """Keeps what it has seen of the test rows, and answers by that."""
    seen = 0.0

    def predict(self, x):
        self.seen += x[:, 0].sum() + len(x)
        return np.full(len(x), int(self.seen > 20))


def fit(embeddings, attribute, task_labels, seed):
    return [{answers}][int(embeddings[0, 0])]()
'''


@pytest.fixture(scope="module")
def mitigator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """An entry that fits all of those objects, by what its first embedding says."""
    folder = tmp_path_factory.mktemp("mitigator")
    answers = ", ".join(f"lambda: {text}" for text in MITIGATORS.values())
    (folder / "method.py").write_text(FIT.replace("{answers}", answers))
    code = EntryCode(folder, "fit", "fit", MITIGATION.signature.arguments)
    with Worker(PROCESS, code, LIMITS) as worker:
        yield worker


def mitigated(worker: Worker, name: str) -> Judgement:
    """The judgement on 40 test rows whose first column is positive where the label is 1."""
    labels, attribute = np.arange(40) % 2, np.arange(40) // 2 % 2
    rows = np.column_stack([labels - 0.5, attribute])
    key = CaseKey("rho-0.9", 1.0, 0, Kind.SHORTCUT)
    case = Case(
        key=key,
        kind=key.kind,
        seen={
            "embeddings": np.full((4, 2), float(list(MITIGATORS).index(name))),
            "attribute": attribute[:4],
            "task_labels": labels[:4],
        },
        hidden={"test_embeddings": rows, "test_attribute": attribute, "test_task_labels": labels},
        figures={"erm_worst_group_acc": 0.0},
    )

    def laboratory(call: Call) -> Arrays:
        assert np.ptp(call.arguments["columns"]) == 0.0  # only constants get this far
        return {"auroc": np.array(0.5)}

    version = MITIGATION.current
    judgement = worker.examine(lambda call: version.examine(case, call, laboratory)).value
    assert version.confirm is not None
    confirm = version.confirm
    worker.examine(lambda call: confirm(case, call, judgement))
    return judgement


COLUMNS = "transform: expected finite float64 of shape (14, 1 to 1024), got"
UNFIT = {
    "nothing": "fit: expected an object, got None",
    "no predict": "predict: expected a method of the returned object, got object without it",
    "a number": "predict: expected a method of the returned object, got int without it",
    "probabilities": "predict: expected int64 of shape (14,), got float64 of shape (14, 2)",
    "floats": "predict: expected int64 of shape (14,), got float64 of shape (14,)",
    "strings": "predict: expected int64 of shape (14,), got <U21 of shape (14,)",
    "too long": "predict: expected int64 of shape (14,), got int64 of shape (15,)",
    "labels 1 and 2": "predict: expected labels 0 and 1, got 2; return int64 labels",
    "by the batch": "predict: expected a row's label to depend on the fit and on that row alone",
    "remembers": "predict: expected a row's label to depend on the fit and on that row alone",
    "transform nan": f"{COLUMNS} nan among its values",
    "transform nothing": f"{COLUMNS} float64 of shape (14, 0)",
    "transform too wide": f"{COLUMNS} float64 of shape (14, 1025)",
    "transform changing": "transform: expected 2 columns for row",
    "transform flat": f"{COLUMNS} float64 of shape (14,)",
    "transform None": f"{COLUMNS} None",
}


@pytest.mark.parametrize(("name", "reason"), UNFIT.items())
def test_what_is_no_classifier_fails_the_case(mitigator: Worker, name: str, reason: str) -> None:
    with pytest.raises(CaseFailed) as failed:
        mitigated(mitigator, name)
    assert failed.value.status is Status.BAD_OUTPUT
    assert failed.value.reason.startswith(reason)


def test_an_exception_in_predict_names_its_line(mitigator: Worker) -> None:
    with pytest.raises(CaseFailed, match=r"ZeroDivisionError: .* \(method.py line 25\)") as failed:
        mitigated(mitigator, "raises")
    assert failed.value.status is Status.CRASHED


SCORED = {"fine": 1.0, "bools": 1.0, "one class": 0.0, "transform constant": 1.0}


@pytest.mark.parametrize(("name", "worst"), SCORED.items())
def test_what_is_a_classifier_is_scored(mitigator: Worker, name: str, worst: float) -> None:
    figures = mitigated(mitigator, name).figures
    assert figures["worst_group_acc"] == worst
    assert figures.get("leakage_auroc") == (0.5 if "transform" in name else None)


def test_fields_given_for_some_cases_only_fail_the_others() -> None:
    key = CaseKey("patch", 1.0, 0, Kind.SHORTCUT)
    given = Outcome(key, key.kind, Status.OK, judgement=Judgement(1.0, answered=frozenset({"heatmaps"})))
    first, second = _answered_alike([given, replace(given, judgement=Judgement(1.0))])
    assert first.status is Status.OK and second.status is Status.BAD_OUTPUT
    assert second.reason == (
        "heatmaps: expected for every case or for none, got none here and one for 1 of 2 cases; "
        "return heatmaps always or never"
    )
