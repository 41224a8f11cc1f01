"""A thousand changes of a valid results.json: each is refused, or what is accepted still holds together."""

import copy
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmark import fresh, stored
from benchmark.audit import is_stale, load
from benchmark.errors import ResultError
from benchmark.fresh import Commitments
from benchmark.results import Determinism, Fresh, Result, canonical, save
from tests.builders import CURRENT, result

Way = tuple[str | int, ...]
KEY = "1" * 64


def valid() -> Result:
    """A result with all that one may hold."""
    held = result(suite="quick")
    found = Fresh(
        key_sha256=fresh.sha256_of(KEY),
        metrics=dict(held.metrics),
        reasons={},
        intervals=dict(held.intervals),
        fingerprint="d" * 64,
    )
    environment = held.environment.model_copy(update={"fingerprint": "d" * 64})
    steady = Determinism(cases=3, differing=1, largest=0.25)
    return held.model_copy(update={"fresh": found, "environment": environment, "determinism": steady})


ORIGINAL = valid()
CONTENT: dict[str, Any] = json.loads(canonical(ORIGINAL))
FREE = re.compile(
    r"(entry|fresh|digests\.(entry|suite|scorer)|timing|environment|determinism|"
    r"details\.per_dataset\.\d+\.(score|flag))(\..*)?"
)
"""What a file may say without its other parts telling otherwise: of a quick suite, which data it had, too."""


def places(value: object, here: Way = ()) -> Iterator[Way]:
    """The way to everything in a JSON document."""
    yield here
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*here, key))


PLACES = list(places(CONTENT))[1:]
ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.sampled_from([0, 1, -1, 0.0, -0.0, 1.0, 0.5, 1e308, 5e-324, math.nan, math.inf]),
    st.text(max_size=8),
    st.sampled_from(
        ["full", "quick", "complete", "incomplete", "ok", "crashed", "null", "shortcut", "a" * 64]
    ),
    st.just([]),
    st.just({}),
    st.sampled_from([CONTENT["details"], CONTENT["metrics"], CONTENT["timing"]["scored_at"]]),
)


@st.composite
def mutations(draw: st.DrawFn) -> bytes:
    """The text of the file with one to three places set, removed, doubled, swapped, or renamed."""
    content = copy.deepcopy(CONTENT)
    for _ in range(draw(st.integers(1, 3))):
        *way, last = draw(st.sampled_from(PLACES))
        holder: Any = content
        try:
            for step in way:
                holder = holder[step]
            _change(draw, holder, last)
        except (LookupError, TypeError):
            continue  # an earlier change took the place away
    return json.dumps(content).encode()


def _change(draw: st.DrawFn, holder: Any, last: str | int) -> None:
    value = holder[last]
    what = draw(st.sampled_from(["set", "remove", "nudge", "double", "swap", "rename"]))
    if what == "remove":
        del holder[last]
    elif what == "nudge" and _is_number(value):
        holder[last] = draw(
            st.sampled_from([value + 1, -value, value * (1 + 2**-20), float(value), int(value)])
        )
    elif what == "double" and isinstance(holder, list):
        holder.insert(int(last), value)
    elif what == "swap" and isinstance(holder, list):
        other = draw(st.integers(0, len(holder) - 1))
        holder[int(last)], holder[other] = holder[other], value
    elif what == "rename" and isinstance(holder, dict):
        holder[draw(st.sampled_from([*CONTENT, *CONTENT["metrics"], "x"]))] = holder.pop(last)
    else:
        holder[last] = draw(ANYTHING)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the file is, below the commitment of the key that its fresh score names."""
    root = tmp_path_factory.mktemp("results")
    keys = Commitments(
        schema=1, track="embedding-detection", version="1.2", keys=[fresh.secret(KEY, "a label")]
    )
    stored.write(keys, fresh.place_of(root, "embedding-detection", "1.2"))
    save(ORIGINAL, root / ORIGINAL.place)
    return root / ORIGINAL.place


def auroc(rows: list[Any]) -> float:
    """The mean over variants of the share of pairs, shortcut and null, that the scores order rightly."""
    found = []
    for variant in sorted({row.variant for row in rows}):
        of = [row for row in rows if row.variant == variant]
        pairs = [
            (one.score > other.score) + (one.score == other.score) / 2
            for one in of
            for other in of
            if one.kind == "shortcut" and other.kind == "null"
        ]
        found.append(sum(pairs) / len(pairs))
    return sum(found) / len(found)


def test_the_file_is_valid_before_it_is_changed(place: Path) -> None:
    assert load(place) == ORIGINAL


def loaded(place: Path) -> Result | None:
    """The result, or None where it is refused with faults of one line each."""
    try:
        return load(place)
    except ResultError as refused:
        faults = refused.faults
    assert faults
    assert all("\n" not in fault for fault in faults)
    return None


@settings(
    max_examples=1000, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
@given(text=mutations())
def test_a_changed_file_is_refused_or_holds_together(place: Path, text: bytes) -> None:
    place.write_bytes(text)
    accepted = loaded(place)
    if accepted is None or is_stale(CURRENT, accepted):  # it is shown as stale
        return
    # What is accepted is written and read as the same thing,
    save(accepted, place)
    assert load(place) == accepted
    # its ranking metric is that of its rows, worked out in another way,
    rows = accepted.details.per_dataset
    assert {row.case for row in rows} == {row.case for row in ORIGINAL.details.per_dataset}
    assert accepted.metrics["auroc"] == pytest.approx(auroc(rows), abs=1e-9)
    # and it differs from the original only where nothing else in the file tells better.
    for where in changed(CONTENT, json.loads(canonical(accepted))):
        if not FREE.fullmatch(where):
            assert where.split(".")[0] in ("metrics", "intervals", "details"), where
            assert rows != ORIGINAL.details.per_dataset


def changed(old: object, new: object, where: str = "") -> Iterator[str]:
    """The places where two JSON documents differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from changed(old.get(key), new.get(key), f"{where}.{key}".lstrip("."))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, pair in enumerate(zip(old, new, strict=True)):
            yield from changed(*pair, f"{where}.{number}")
    elif isinstance(old, float) and isinstance(new, float):
        if not math.isclose(old, new, rel_tol=0, abs_tol=1e-9):
            yield where
    elif old != new:
        yield where
