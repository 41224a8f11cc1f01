"""The issue on results that do not reproduce: open exactly while there is one."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.commands import run_one_of
from benchmark.pipeline.issue import LABEL, MARKER, MOST_ROWS, TITLE, render
from benchmark.results import Result, save
from benchmark.stored import write
from benchmark.verified import FILE_NAME, Verification, kept, last, load, log_of
from scripts.verified import issue, keep
from tests.builders import result
from tests.fake_github import RUN, TOKEN, FakeGitHub, Trouble, serving
from tests.test_verified import DAYS, verification

LATER = "2026-04-01T00:00:00+00:00"
SAID = "a_probe: @someone <b>12 numbers differ</b>"
RESULT = result("a_probe")
FINE = verification("a_probe")
Capture = pytest.CaptureFixture[str]


def failing(entry: str, **changes: object) -> Verification:
    fields = {"entry": entry, "scored_at": RESULT.timing.scored_at, "stands": False, "largest": 0.25}
    return Verification.model_validate(FINE.model_dump() | fields | {"said": SAID} | changes)


def committed(entry: str) -> Result:
    return RESULT.model_copy(update={"entry": entry})


def standing(entry: str) -> Verification:
    return failing(entry, stands=True, largest=0.0)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as server:
        monkeypatch.setenv("GITHUB_API_URL", server.address)
        monkeypatch.setattr("time.sleep", lambda seconds: None)
        yield server


class Runs:
    """Weekly runs on a folder of results: the log goes into verified.json, then the issue is kept."""

    def __init__(self, root: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
        self.results, self.log = root / "results", root / "log.json"
        self.capsys, self.monkeypatch = capsys, monkeypatch
        for name in ("a_probe", "b_probe"):
            found = committed(name)
            save(found, self.results / found.place)

    def __call__(self, *found: Verification) -> tuple[object, str]:
        """The exit code of `issue` on a log, and what it printed; then `keep` has the log too."""
        write(log_of(found), self.log)
        told = self.issue()
        if told[0] == 0:
            write(kept(last(self.results), load(self.log), self.committed), self.results / FILE_NAME)
        return told

    @property
    def committed(self) -> list[Result]:
        return [committed(path.parent.name) for path in sorted(self.results.glob("*/*/*/results.json"))]

    def issue(self) -> tuple[object, str]:
        self.monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        words = [str(self.log), "--repository", "owner/name", "--run-url", RUN]
        with pytest.raises(SystemExit) as stop:
            run_one_of((keep, issue), ["issue", *words, "--results", str(self.results)])
        told = self.capsys.readouterr()
        return stop.value.code, told.out + told.err


@pytest.fixture
def runs(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> Runs:
    return Runs(tmp_path, capsys, monkeypatch)


def test_an_issue_opens_is_updated_and_closes_when_all_stands(fake: FakeGitHub, runs: Runs) -> None:
    assert runs(failing("a_probe"), standing("b_probe")) == (
        0,
        "issue 1 opened: 1 result does not reproduce\n",
    )
    (made,) = fake.issues
    assert (made["title"], made["labels"]) == (TITLE, [{"name": LABEL}])
    assert "| `a_probe` | embedding-detection 1.2 | 2026-03-08 | the same | 0.25 |" in made["body"]
    assert "b_probe" not in made["body"] and RUN in made["body"]
    assert "@someone" not in made["body"] and "<b>" not in made["body"]

    other = failing("b_probe", largest=None, same_fingerprint=False)
    assert runs(other) == (0, "issue 1 updated: 2 results do not reproduce\n")
    assert (
        f"| `b_probe` | embedding-detection 1.2 | {DAYS[1][:10]} | another | not comparable |" in made["body"]
    )
    assert "`a_probe`" in made["body"]

    assert runs(standing("a_probe"))[1] == "issue 1 updated: 1 result does not reproduce\n"
    assert "a_probe" not in made["body"] and made["state"] == "open"

    assert runs(standing("b_probe"))[1] == "issue 1 closed: every result stands\n"
    assert (made["state"], made["state_reason"]) == ("closed", "completed")
    (comment,) = fake.comments[1]
    assert comment["body"].startswith(MARKER) and RUN in comment["body"]
    assert len(fake.issues) == 1


def test_where_all_stands_and_no_issue_is_open_nothing_is_done(fake: FakeGitHub, runs: Runs) -> None:
    assert runs(standing("a_probe")) == (0, "every result stands, and no issue is open\n")
    assert fake.sent("POST", "PATCH") == []


def test_a_result_that_is_gone_leaves_the_issue(fake: FakeGitHub, runs: Runs) -> None:
    runs(failing("a_probe"))
    assert "updated: 1 result" in runs(standing("b_probe"))[1]
    (runs.results / RESULT.place).unlink()
    assert "closed" in runs(standing("b_probe"))[1]


def test_only_an_issue_of_our_own_is_touched(fake: FakeGitHub, runs: Runs) -> None:
    fake.issue({"title": "x", "body": f"{MARKER} mine", "labels": [LABEL]}, login="someone")
    fake.issue({"title": "x", "body": "another", "labels": [LABEL]})
    fake.issue({"title": "x", "body": f"{MARKER}", "labels": [LABEL], "pull_request": {}})
    assert runs(failing("a_probe"))[1].startswith("issue 4 opened")
    assert runs(failing("a_probe"))[1].startswith("issue 4 updated")
    assert [one.path for one in fake.sent("PATCH")] == ["/repos/owner/name/issues/4"]


def test_an_issue_that_was_made_though_the_answer_failed_is_not_made_twice(
    fake: FakeGitHub, runs: Runs
) -> None:
    fake.troubles = [Trouble(502, method="POST", after=True)]
    assert runs(failing("a_probe")) == (0, "issue 1 updated: 1 result does not reproduce\n")
    fake.troubles = [Trouble(502, method="POST", after=True)]
    assert runs(standing("a_probe"))[0] == 0
    assert len(fake.issues) == 1 and len(fake.comments[1]) == 1


def test_an_issue_stays_below_githubs_limit() -> None:
    body = render([failing(f"{i:040d}") for i in range(MOST_ROWS + 50)], RUN)
    assert len(body) < 65_536
    assert "150 results do not reproduce" in body and "50 more are not listed." in body
    assert body.count("| `0") == MOST_ROWS


@pytest.mark.parametrize(
    "found", [failing("unknown"), failing("a_probe", scored_at=LATER), failing("a_probe", track="<b> @x")]
)
def test_a_log_of_what_is_not_committed_exits_2_and_touches_nothing(
    fake: FakeGitHub, runs: Runs, found: Verification
) -> None:
    code, told = runs(found)
    assert code == 2 and "expected" in told
    assert fake.requests == []


def test_what_was_scored_anew_meanwhile_is_left_out_and_the_rest_counts(fake: FakeGitHub, runs: Runs) -> None:
    old = failing("a_probe", scored_at="2025-12-01T00:00:00+00:00")
    code, told = runs(old, failing("b_probe"))
    assert code == 0
    assert told == (
        "a_probe on embedding-detection 1.2: left out, as it was scored anew meanwhile\n"
        "issue 1 opened: 1 result does not reproduce\n"
    )
    assert [one.entry for one in last(runs.results).results] == ["b_probe"]


def test_an_invalid_log_exits_2_and_touches_nothing(fake: FakeGitHub, runs: Runs) -> None:
    runs.log.write_text("{}")
    code, told = runs.issue()
    assert code == 2 and "log.json: " in told
    assert fake.requests == []


def test_a_token_without_leave_exits_1(fake: FakeGitHub, runs: Runs) -> None:
    fake.troubles = [Trouble(403, method="POST")]
    code, told = runs(failing("a_probe"))
    assert code == 1 and "the permission" in told and TOKEN not in told
    assert "GITHUB_TOKEN" not in os.environ
