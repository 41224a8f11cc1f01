"""The issue on results that do not reproduce: open exactly while there is one."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmark.commands import run_one_of
from benchmark.pipeline.issue import LABEL, MARKER, MOST_ROWS, TITLE, held, render
from benchmark.pipeline.verified import Log, Verified
from scripts.verified import issue
from tests.fake_github import RUN, TOKEN, FakeGitHub, Trouble, serving

Json = dict[str, Any]
Capture = pytest.CaptureFixture[str]


def verified(**changes: object) -> Json:
    return {
        "entry": "a_probe",
        "track": "embedding-detection",
        "version": "1.1",
        "verified_at": "2026-01-05T06:00:00+00:00",
        "fingerprint": "a" * 64,
        "same_fingerprint": True,
        "largest": 0.25,
        "stands": False,
        "said": "a_probe on embedding-detection 1.1: @someone <b>12 numbers differ</b>",
        **changes,
    }


def log(*results: Json, **changes: object) -> Json:
    return {"schema": 1, "commit": "c" * 40, "results": list(results), **changes}


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as server:
        monkeypatch.setenv("GITHUB_API_URL", server.address)
        monkeypatch.setattr("time.sleep", lambda seconds: None)
        yield server


@pytest.fixture
def keep(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> Any:
    def command(content: Json | bytes) -> tuple[object, str]:
        """The exit code of the command on a log, and what it printed."""
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        path = tmp_path / "log.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        words = ["issue", str(path), "--repository", "owner/name", "--run-url", RUN]
        with pytest.raises(SystemExit) as stop:
            run_one_of((issue,), words)
        told = capsys.readouterr()
        return stop.value.code, told.out + told.err

    return command


def test_an_issue_opens_is_updated_and_closes_when_all_stands(fake: FakeGitHub, keep: Any) -> None:
    fine = verified(entry="erm", stands=True, largest=0.0)
    assert keep(log(verified(), fine)) == (0, "issue 1 opened: 1 result does not reproduce\n")
    (made,) = fake.issues
    assert (made["title"], made["labels"]) == (TITLE, [{"name": LABEL}])
    assert "| `a_probe` | embedding-detection 1.1 | 2026-01-05 | the same | 0.25 |" in made["body"]
    assert "erm" not in made["body"] and RUN in made["body"]
    assert "@someone" not in made["body"] and "<b>" not in made["body"]

    other = verified(entry="b_probe", largest=None, same_fingerprint=False)
    assert keep(log(other)) == (0, "issue 1 updated: 2 results do not reproduce\n")
    assert "| `b_probe` | embedding-detection 1.1 | 2026-01-05 | another | not comparable |" in made["body"]
    assert "`a_probe`" in made["body"]

    assert keep(log(verified(stands=True), fine)) == (0, "issue 1 updated: 1 result does not reproduce\n")
    assert "a_probe" not in made["body"] and made["state"] == "open"

    assert (
        keep(log(verified(entry="b_probe", stands=True)))[1] == "issue 1 closed: every result in it stands\n"
    )
    assert (made["state"], made["state_reason"]) == ("closed", "completed")
    (comment,) = fake.comments[1]
    assert comment["body"].startswith(MARKER) and RUN in comment["body"]
    assert len(fake.issues) == 1


def test_where_all_stands_and_no_issue_is_open_nothing_is_done(fake: FakeGitHub, keep: Any) -> None:
    assert keep(log(verified(stands=True))) == (0, "every result stands, and no issue is open\n")
    assert fake.sent("POST", "PATCH") == []


def test_a_result_that_was_not_verified_again_stays_in_the_issue(fake: FakeGitHub, keep: Any) -> None:
    keep(log(verified()))
    assert "updated: 1 result" in keep(log(verified(entry="erm", stands=True)))[1]
    assert "updated: 1 result" in keep(log(verified(version="1.0", stands=True)))[1]
    assert fake.issues[0]["state"] == "open" and "`a_probe`" in fake.issues[0]["body"]


def test_only_an_issue_of_our_own_is_touched(fake: FakeGitHub, keep: Any) -> None:
    fake.issue({"title": "x", "body": f"{MARKER} mine", "labels": [LABEL]}, login="someone")
    fake.issue({"title": "x", "body": "another", "labels": [LABEL]})
    fake.issue({"title": "x", "body": f"{MARKER}", "labels": [LABEL], "pull_request": {}})
    assert keep(log(verified()))[1].startswith("issue 4 opened")
    assert keep(log(verified()))[1].startswith("issue 4 updated")
    assert [one.path for one in fake.sent("PATCH")] == ["/repos/owner/name/issues/4"]


def test_an_issue_that_was_made_though_the_answer_failed_is_not_made_twice(
    fake: FakeGitHub, keep: Any
) -> None:
    fake.troubles = [Trouble(502, method="POST", after=True)]
    assert keep(log(verified())) == (0, "issue 1 updated: 1 result does not reproduce\n")
    fake.troubles = [Trouble(502, method="POST", after=True)]
    assert keep(log(verified(stands=True)))[0] == 0
    assert len(fake.issues) == 1 and len(fake.comments[1]) == 1


def test_what_an_issue_holds_survives_and_is_dropped_when_edited() -> None:
    rows = [Verified(**verified(entry=f"probe_{i}")) for i in range(3)]
    body = render(rows, RUN)
    assert held(body) == tuple(row.model_copy(update={"said": ""}) for row in rows)
    assert held(body.replace('"stands": false', '"stands": 0')) == ()
    assert held(body.replace("probe_1", "<b>")) == ()
    assert held("no more") == ()


def test_an_issue_stays_below_githubs_limit() -> None:
    rows = [Verified(**verified(entry=f"{i:040d}")) for i in range(MOST_ROWS + 50)]
    body = render(rows, RUN)
    assert len(body) < 65_536
    assert "150 results do not reproduce" in body and "50 more are not listed." in body
    assert len(held(body)) == MOST_ROWS


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        log(verified(entry="<b>")),
        log(verified(track="x) @y")),
        log(verified(version="1.1 |")),
        log(verified(verified_at="2026-01-05|06:00:00+00:00")),
        log(verified(verified_at="2026-01-05T06:00:00+02:00")),
        log(verified(fingerprint="a")),
        log(verified(largest=-1.0)),
        log(verified(stands=1)),
        log(verified(said="two\nlines")),
        log(verified(more=1)),
        log(commit="main"),
        log(schema=2),
    ],
)
def test_an_invalid_log_exits_2_and_touches_nothing(fake: FakeGitHub, keep: Any, content: Json) -> None:
    code, told = keep(content)
    assert code == 2 and "log.json: " in told and "verify again" in told
    assert fake.requests == []


def test_a_log_may_be_of_an_unknown_or_changed_commit() -> None:
    assert Log(schema=1, commit=None, results=[]).commit is None
    assert Log(schema=1, commit="c" * 40 + "+", results=[]).commit == "c" * 40 + "+"


def test_a_token_without_leave_exits_1(fake: FakeGitHub, keep: Any) -> None:
    fake.troubles = [Trouble(403, method="POST")]
    code, told = keep(log(verified()))
    assert code == 1 and "the permission" in told and TOKEN not in told
    assert "GITHUB_TOKEN" not in os.environ
