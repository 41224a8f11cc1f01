"""Digests of a suite's data and of what the scorer makes of outcomes."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache

from benchmark.records import Case, CaseKey, Judgement, Outcome, Status
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

    With them go the settings that the version's models are trained with. It is of behavior: code that
    gives the same numbers to twelve digits has the same digest.
    """
    canned = [_canned(version, key) for key in version.keys()]
    found = values(version, canned)
    numbers: dict[str, object] = {
        "metrics": found.metrics,
        "by_strength": found.by_strength,
        "intervals": intervals(version, canned),
    }
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


def _rounded(value: object) -> object:
    """`value` with every float as text of twelve significant digits."""
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, tuple):
        return [_rounded(item) for item in value]
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    return value
