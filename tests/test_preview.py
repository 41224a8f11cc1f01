"""The file of a preview: what is valid in it, and that nothing else is believed."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmark.audit import load_all
from benchmark.commands import ROOT
from benchmark.errors import ResultError
from benchmark.pipeline.comment import render
from benchmark.pipeline.preview import FILE_NAME, MOST_BYTES, Preview, load, of_scored, unscored
from benchmark.ranking import Group, standings
from benchmark.records import Status
from benchmark.report import rank
from benchmark.scorer import Scored
from benchmark.stored import write
from benchmark.tracks import TRACKS
from tests.builders import CURRENT, TRACK, entry, failure, outcomes, result
from tests.fake_github import RUN
from tests.previews import Json, parsed, preview, standing, track, written

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "@everyone [x](https://example.org) #1",
    "`x` | y |\n\n# z",
    "-->",
    "../../etc/passwd",
    "1e999",
    "\u202e",
    "\ud800",
    "=cmd()",
]


def test_a_preview_is_read_as_it_was_written(tmp_path: Path) -> None:
    held = parsed(preview())
    write(held, tmp_path / FILE_NAME)
    assert load(tmp_path) == held
    assert held.complete


def test_every_committed_result_makes_a_valid_preview() -> None:
    made = [of_scored(Scored(one, None, one.outcomes), "no rank") for one in load_all(ROOT / "results")]
    assert len(made) > 30 and {one.status for one in made} == {"complete"}


def test_a_score_becomes_numbers_and_a_rank() -> None:
    scored = Scored(result(), None, tuple(outcomes()))
    place = rank(standings(TRACK, CURRENT, [scored.result], [entry()]), "some_entry")
    made = of_scored(scored, place)
    assert (made.track, made.version, made.status) == ("embedding-detection", "1.2", "complete")
    assert (made.cases, made.failed) == (len(CURRENT.keys()), {})
    assert made.metrics["auroc"] == 1.0 and made.intervals["auroc"] == (1.0, 1.0)
    assert made.rank is not None
    found = (made.rank.group, made.rank.low, made.rank.high, made.rank.ranked, made.rank.level)
    assert found == (Group.CALIBRATED, 1, 1, 1, [])


def test_failures_are_counted_by_status() -> None:
    keys = CURRENT.keys()
    rows = outcomes()
    rows[:3] = [failure(keys[0]), failure(keys[1], Status.TIMED_OUT), failure(keys[2])]
    scored = Scored(result(rows=rows), None, tuple(rows))
    made = of_scored(scored, rank(standings(TRACK, CURRENT, [scored.result], [entry()]), "some_entry"))
    assert made.status == "incomplete"
    assert made.failed == {Status.CRASHED: 2, Status.TIMED_OUT: 1}
    assert made.rank is not None and (made.rank.group, made.rank.low) == (Group.INCOMPLETE, None)


def test_what_was_not_scored_holds_nothing() -> None:
    for one in TRACKS.values():
        made = unscored(one, one.current)
        assert (made.status, made.cases, made.metrics, made.rank) == ("unscored", 0, {}, None)


def test_only_a_complete_preview_is_complete() -> None:
    broken = track(status="incomplete", failed={"crashed": 1}, rank=None)
    assert not parsed(preview(broken)).complete
    assert not parsed(preview(tracks=[], faults=2)).complete
    assert not parsed(preview(tracks=[])).complete


WRONG: dict[str, Json] = {
    "another layout": preview(schema=2),
    "another key": preview(more=1),
    "an id that is none": preview(entry="../x"),
    "a long id": preview(entry="a" * 41),
    "another suite": preview(suite="all"),
    "faults as text": preview(faults="1"),
    "fewer than no faults": preview(tracks=[], faults=-1),
    "tracks beside faults": preview(faults=1),
    "a track twice": preview(track(), track()),
    "an unknown track": preview(track(track="x")),
    "an unknown version": preview(track(version="9.9")),
    "an unknown metric": preview(track(metrics={"x": 0.5}, intervals={})),
    "another track's metric": preview(track(metrics={"worst_group_acc": 0.5}, intervals={})),
    "a value above its range": preview(track(metrics={"auroc": 1.5}, intervals={})),
    "a value below its range": preview(track(metrics={"auroc": -0.1}, intervals={})),
    "a value as text": preview(track(metrics={"auroc": "0.5"}, intervals={})),
    "a value that is true": preview(track(metrics={"auroc": True}, intervals={})),
    "an interval upside down": preview(track(intervals={"auroc": [0.5, 0.4]})),
    "an interval beyond the range": preview(track(intervals={"auroc": [0.5, 1.1]})),
    "an interval of three": preview(track(intervals={"auroc": [0.1, 0.2, 0.3]})),
    "an interval of nothing": preview(track(metrics={"auroc": None}, intervals={"auroc": [0.1, 0.2]})),
    "an interval without its metric": preview(track(metrics={"fpr": 0.5}, intervals={"auroc": [0.1, 0.2]})),
    "an unknown status": preview(track(failed={"melted": 1}, status="incomplete")),
    "ok as a failure": preview(track(failed={"ok": 1}, status="incomplete")),
    "more failures than cases": preview(track(failed={"crashed": 361}, status="incomplete")),
    "complete with failures": preview(track(failed={"crashed": 1})),
    "incomplete without": preview(track(status="incomplete")),
    "unscored with cases": preview(track(status="unscored")),
    "an unknown group": preview(track(rank=standing(group="best"))),
    "ranks the wrong way round": preview(track(rank=standing(low=4))),
    "a rank beyond all": preview(track(rank=standing(high=10))),
    "a rank of 0": preview(track(rank=standing(low=0))),
    "half a rank": preview(track(rank=standing(low=None))),
    "a rank of what has none": preview(track(rank=standing(group="control"))),
    "an equal that is no id": preview(track(rank=standing(level=["<b>"]))),
    "too many equals": preview(track(rank=standing(level=["ab"] * 1001))),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_valid_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ResultError):
        load(written(tmp_path, WRONG[name]))


BYTES = {
    "nothing": b"",
    "no text": b"\xff\xfe",
    "no JSON": b"{",
    "a list": b"[]",
    "infinity": json.dumps(preview()).replace("0.125", "Infinity").encode(),
    "a huge number": json.dumps(preview()).replace("0.125", "1e999").encode(),
    "many digits": json.dumps(preview()).replace("360", "9" * 5000).encode(),
    "a key twice": b'{"schema": 1, "schema": 1}',
    "deep brackets": b"[" * 100_000 + b"]" * 100_000,
    "too large": json.dumps(preview()).encode() + b" " * MOST_BYTES,
    "a surrogate": b'{"schema": 1, "entry": "\\ud800"}',
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes_that_hold_none_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ResultError) as refused:
        load(written(tmp_path, BYTES[name]))
    assert all(fault.isprintable() and len(fault) < 500 for fault in refused.value.faults)


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    real = written(tmp_path / "real", preview())
    assert load(real).entry == "new_probe"
    odd = tmp_path / "odd"
    odd.mkdir()
    with pytest.raises(ResultError, match="expected a regular file"):
        load(odd)
    (odd / FILE_NAME).symlink_to(real / FILE_NAME)
    with pytest.raises(ResultError, match="expected a regular file"):
        load(odd)
    (odd / FILE_NAME).unlink()
    os.mkfifo(odd / FILE_NAME)
    with pytest.raises(ResultError, match="expected a regular file"):
        load(odd)
    (odd / FILE_NAME).unlink()
    (odd / FILE_NAME).mkdir()
    with pytest.raises(ResultError, match="expected a regular file"):
        load(odd)


def places(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """Where the leaves and the keys of a document are."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in items for place in places(item, (*path, key)))]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_text_of_a_preview_reaches_the_comment(tmp_path: Path, data: st.DataObject) -> None:
    """Hostile text anywhere, as a value or as a key, is refused, or is not in what is rendered."""
    content = preview()
    leaf = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=30), st.floats(), st.integers(), st.none())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from([path for path in places(content) if path]))
        inside = content
        for key in place[:-1]:
            inside = inside[key]  # type: ignore[index]
        if isinstance(inside, dict) and data.draw(st.booleans()):
            inside[data.draw(st.sampled_from(HOSTILE))] = inside.pop(place[-1])
        else:
            inside[place[-1]] = data.draw(leaf)  # type: ignore[index]
    try:
        found: Preview | None = load(written(tmp_path, content))
    except ResultError:
        found = None
    body = render(found, "a" * 40, RUN, ["random_forest_probe"])
    assert not any(
        text in body.replace(f"({RUN})", "") for text in ("<img", "@", "](", "etc", "e999", "=cmd")
    )
    assert body.count("<!--") == body.count("-->") == body.count("<") == 1
