"""Digests of a suite's data and of what the scorer makes of outcomes."""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmark.records import (
    Arrays,
    Call,
    Caller,
    Case,
    CaseKey,
    FloatArray,
    Judgement,
    Outcome,
    Status,
)
from benchmark.seeds import arrays_digest, generator
from benchmark.summary import intervals, values
from benchmark.tracks.spec import Version


def case_digest(case: Case) -> str:
    """The SHA-256, in hex, of a case's id, what it is meant to be, and every byte of what is seen and hidden.

    What is trained on the data, and what is measured then, is no part of it.
    """
    parts = (case.key.id, case.key.kind.value, arrays_digest(case.seen), arrays_digest(case.hidden))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def combined(digests: Iterable[str]) -> str:
    """The SHA-256, in hex, of case digests in suite order: a suite's digest."""
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def suite_digest(version: Version, keys: Iterable[CaseKey]) -> str:
    """The digest of the data of `keys`, generated anew."""
    return combined(case_digest(version.generate(key)) for key in keys)


@cache
def scorer_digest(version: Version) -> str:
    """The SHA-256, in hex, of all metric values and intervals of canned outcomes of the full suite.

    Where truth is measured, what the version makes of canned answers of laboratory and entry goes with
    them, and so do the settings that models are trained with. It is of behavior: code that gives the same
    numbers to twelve digits has the same digest. What a laboratory computes is no part of it.
    """
    canned = [_canned(version, key) for key in version.keys()]
    found = values(version, canned)
    numbers: dict[str, object] = {
        "metrics": found.metrics,
        "by_strength": found.by_strength,
        "intervals": intervals(version, canned),
    }
    if version.prepare is not None:
        numbers["judged"] = _judged(version, version.prepare)
    if version.training is not None:
        numbers["training"] = {name: str(value) for name, value in asdict(version.training).items()}
    return hashlib.sha256(json.dumps(_rounded(numbers), sort_keys=True).encode()).hexdigest()


def _canned(version: Version, key: CaseKey) -> Outcome:
    """A made-up but fixed outcome of a case, with scores that tie now and then."""
    random = generator("canned outcome", key.id)
    score, fired = round(float(random.normal()), 2), bool(random.random() < 0.3)
    figures = {name: float(random.random()) for name in version.figures}
    judgement = Judgement(
        score=score if "score" in version.answers else None,
        flag=fired if "flag" in version.optional else None,
        figures=figures,
    )
    kind = version.kind_of(key.kind, figures) if version.kind_of else key.kind
    return Outcome(key=key, kind=kind, status=Status.OK, judgement=judgement)


def _judged(version: Version, prepare: Callable[[Case, Caller], Case]) -> dict[str, object]:
    """What is made of the last case of the quick suite by canned answers."""
    case = prepare(version.generate(version.keys("quick")[-1]), _canned_answer)
    judgement = version.examine(case, _canned_answer, _canned_answer)
    return {
        "kind": case.kind.value,
        "score": judgement.score,
        "flag": judgement.flag,
        "figures": dict(judgement.figures),
        "answered": sorted(judgement.answered),
    }


def _canned_answer(call: Call) -> Arrays:
    """Made-up fields for a call: each row by what the call holds in that row, all else by all of it."""
    arrays = {name: value for name, value in call.arguments.items() if isinstance(value, np.ndarray)}
    numbers = sorted((name, value) for name, value in call.arguments.items() if isinstance(value, int))
    whole = arrays_digest(arrays)
    first = next(iter(arrays.values()), np.zeros(0))
    answer: dict[str, npt.NDArray[Any]] = {}
    for field in call.returns:
        shape = tuple(3 if size is None else size for size in field.shape)
        name = (call.function, field.name, field.dtype)
        if shape and shape[0] == len(first):
            rows = [_drawn(shape[1:], *name, arrays_digest({"row": np.asarray(row)})) for row in first]
            drawn = np.stack(rows)
        else:
            drawn = _drawn(shape, *name, whole, str(numbers))
        is_float = field.dtype.startswith("float")
        answer[field.name] = (drawn if is_float else drawn > 0.5).astype(field.dtype)
    return answer


def _drawn(shape: tuple[int, ...], *name: str) -> FloatArray:
    return np.asarray(generator("canned answer", *name).random(shape))


def _rounded(value: object) -> object:
    """`value` with every float as text of twelve significant digits."""
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, tuple):
        return [_rounded(item) for item in value]
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    return value
