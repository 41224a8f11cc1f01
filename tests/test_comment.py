"""The comment under a pull request: what it says, and that there is one."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.commands import ROOT, run
from benchmark.metrics import METRICS
from benchmark.pipeline.comment import MARKER, render
from scripts.comment import main
from tests.fake_github import RUN, TOKEN, FakeGitHub, Trouble, serving
from tests.previews import Json, parsed, preview, standing, track, written

SHA = "ab" * 20
KNOWN = ["erm", "quadratic_probe", "random_forest_probe"]
LINK = f"[run's summary]({RUN})"
Capture = pytest.CaptureFixture[str]


def said(*tracks: Json, known: list[str] = KNOWN, **changes: object) -> str:
    return render(parsed(preview(*tracks, **changes)), SHA, RUN, known)


def test_a_complete_preview_gives_a_table_a_rank_and_a_link() -> None:
    body = said()
    assert body.startswith(f"{MARKER}\n\n## Preview of `new_probe`\n\n### embedding-detection 1.1\n\n")
    assert (
        "`new_probe` would rank 2 to 3 of 9, group: calibrated flag (fires on at most 20% of nulls). "
        "It cannot be told apart from `random_forest_probe` and `quadratic_probe`." in body
    )
    assert "The flag fires on 12.5% of the null cases, within the cap of 20%." in body
    assert "| AUROC | 0.125 | 0.062 to 0.250 | higher is better |" in body
    assert f"| {METRICS['fpr'].title} | 0.125 | 0.062 to 0.250 | lower is better |" in body
    assert "360 cases, full suite." in body
    assert LINK in body and "For commit abababababab." in body
    assert "what counts is what the maintainers' own run commits" in body


def test_a_value_that_is_none_is_said_to_be() -> None:
    metrics = {"auroc": 0.5, "fpr": None}
    body = said(track(metrics=metrics, intervals={}, rank=standing(group="no-flag")))
    assert f"| {METRICS['fpr'].title} | none |  |  |" in body
    assert "| AUROC | 0.500 |  | higher is better |" in body
    assert "The flag fires" not in body and "group: no flag" in body


def test_unknown_equals_are_not_named_and_many_are_counted() -> None:
    assert "told apart" not in said(known=["erm"])
    level = [f"probe_{i}" for i in range(14)]
    body = said(track(rank=standing(level=level)), known=level)
    assert "`probe_8` and 5 more." in body and "probe_9" not in body


@pytest.mark.parametrize(
    ("rank", "words"),
    [
        (standing(group="control", low=None, high=None, level=[]), "would not be ranked (control"),
        (standing(group="degenerate", low=None, high=None, level=[]), "would not be ranked (degenerate"),
        (standing(group="waiting", low=None, high=None, level=[]), "`new_probe` would not be ranked."),
        (standing(group="ranked", low=2, high=2), "would rank 2 of 9. It cannot"),
        (None, "The rank of `new_probe` cannot be said"),
    ],
)
def test_each_standing_has_its_words(rank: Json | None, words: str) -> None:
    assert words in said(track(rank=rank))


def test_failures_are_counted_and_the_summary_is_named() -> None:
    failed = {"timed_out": 1, "crashed": 2}
    body = said(track(status="incomplete", failed=failed, rank=None), preview_of_the_quick_suite())
    assert "**3 of 360 cases failed** (2 crashed, 1 timed_out), so it would not be ranked." in body
    assert "Not scored." in body
    assert f"The {LINK} says what failed and why" in body
    assert "| AUROC |" not in body


def preview_of_the_quick_suite() -> Json:
    return track(
        track="embedding-mitigation",
        version="1.0",
        status="unscored",
        cases=0,
        metrics={},
        intervals={},
        rank=None,
    )


def test_faults_are_counted() -> None:
    assert f"**The static check found 2 faults**, so nothing was run. The {LINK}" in said(tracks=[], faults=2)
    one = said(tracks=[], faults=1, entry=None)
    assert "found 1 fault**" in one and "## Preview of an entry" in one


def test_the_quick_suite_is_called_a_smoke_test() -> None:
    assert "360 cases, quick suite. The quick suite is a smoke test" in said(suite="quick")


def test_no_valid_preview_is_said_so() -> None:
    body = render(None, SHA, RUN, KNOWN)
    assert body.startswith(
        f"{MARKER}\n\n## No preview\n\nThe run gave no valid preview. The {LINK} and its log"
    )


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as server:
        monkeypatch.setenv("GITHUB_API_URL", server.address)
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        monkeypatch.setattr("time.sleep", lambda seconds: None)
        yield server


def comment(folder: Path, head: str = SHA) -> object:
    """The exit code of the command."""
    words = [str(folder), "--repository", "owner/name", "--head", head, "--run-url", RUN]
    os.environ.setdefault("GITHUB_TOKEN", TOKEN)
    with pytest.raises(SystemExit) as stop:
        run(main, words)
    return stop.value.code


def test_the_pull_request_is_found_by_its_head_and_gets_one_comment(
    fake: FakeGitHub, tmp_path: Path, capsys: Capture
) -> None:
    for number in range(1, 6):
        fake.pull(number, SHA if number == 4 else f"{number}" * 40)
    assert comment(written(tmp_path, preview())) == 0
    assert list(fake.comments) == [4]
    (made,) = fake.comments[4]
    assert "`new_probe` would rank 2 to 3 of 9" in made["body"]
    assert "`random_forest_probe` and `quadratic_probe`" in made["body"]
    assert capsys.readouterr().out == "commented on pull request 4\n"
    assert "GITHUB_TOKEN" not in os.environ


def test_a_later_run_updates_its_own_comment_and_no_other(fake: FakeGitHub, tmp_path: Path) -> None:
    fake.pull(4, SHA)
    fake.comment(4, f"{MARKER} I am the leaderboard", login="someone")
    fake.comment(4, "another workflow's comment")
    fake.comment(4, f"not at its start: {MARKER}")
    assert comment(written(tmp_path, preview())) == 0
    assert comment(written(tmp_path, preview(tracks=[], faults=3))) == 0
    assert len(fake.comments[4]) == 4
    assert "found 3 faults" in fake.comments[4][3]["body"]
    assert [one.path for one in fake.sent("PATCH")] == ["/repos/owner/name/issues/comments/103"]
    assert "would rank" not in fake.comments[4][3]["body"]
    before = len(fake.sent("PATCH", "POST"))
    assert comment(tmp_path) == 0
    assert len(fake.sent("PATCH", "POST")) == before


def test_without_an_open_pull_request_nothing_is_done(
    fake: FakeGitHub, tmp_path: Path, capsys: Capture
) -> None:
    fake.pull(4, "c" * 40)
    assert comment(written(tmp_path, preview())) == 0
    assert fake.sent("POST", "PATCH") == []
    assert f"no open pull request has the head {SHA}" in capsys.readouterr().out


def test_a_hostile_preview_gives_a_comment_without_any_of_it(
    fake: FakeGitHub, tmp_path: Path, capsys: Capture
) -> None:
    fake.pull(4, SHA)
    assert comment(written(tmp_path, preview(entry="::error::<b>"))) == 0
    (made,) = fake.comments[4]
    assert made["body"] == render(None, SHA, RUN, [])
    told = capsys.readouterr().err
    assert "preview.json: entry: expected" in told and "::" not in told
    assert comment(tmp_path / "nothing") == 0
    assert len(fake.comments[4]) == 1


def test_a_comment_that_was_made_though_the_answer_failed_is_not_made_twice(
    fake: FakeGitHub, tmp_path: Path
) -> None:
    fake.pull(4, SHA)
    fake.troubles = [Trouble(502, method="POST", after=True), Trouble(502, method="GET")]
    assert comment(written(tmp_path, preview())) == 0
    assert len(fake.comments[4]) == 1 and len(fake.sent("POST")) == 1


def test_a_comment_that_was_not_made_is_made_again(fake: FakeGitHub, tmp_path: Path) -> None:
    fake.pull(4, SHA)
    fake.troubles = [Trouble(500, method="POST")]
    assert comment(written(tmp_path, preview())) == 0
    assert len(fake.comments[4]) == 1 and len(fake.sent("POST")) == 2


def test_a_token_without_leave_exits_1_and_is_not_shown(
    fake: FakeGitHub, tmp_path: Path, capsys: Capture
) -> None:
    fake.pull(4, SHA)
    fake.troubles = [Trouble(403, method="POST")]
    assert comment(written(tmp_path, preview())) == 1
    told = capsys.readouterr()
    assert "got 403 no luck; give the job's token the permission" in told.err
    assert TOKEN not in told.err + told.out


def test_wrong_use_exits_2(fake: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert comment(written(tmp_path, preview()), head="main") == 2
    monkeypatch.setenv("GITHUB_TOKEN", "")
    assert comment(tmp_path) == 2
    assert fake.requests == []


def test_the_command_runs_as_a_script(fake: FakeGitHub, tmp_path: Path) -> None:
    fake.pull(4, SHA)
    words = ["--repository", "owner/name", "--head", SHA, "--run-url", RUN]
    command = [sys.executable, ROOT / "scripts" / "comment.py", written(tmp_path, preview()), *words]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "commented on pull request 4\n", "")
