"""Results reach a branch that others push to as well: real git, with bare repositories as remotes."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmark.audit import load
from benchmark.commands import ROOT, run, run_one_of
from benchmark.errors import PublishError
from benchmark.pages.build import build
from benchmark.pages.links import check_site
from benchmark.pipeline import publish as publishing
from benchmark.pipeline.plan import Places, Plan
from benchmark.pipeline.publish import Published, Target, message, publish
from benchmark.results import FILE_NAME
from benchmark.stored import write
from benchmark.verified import last, log_of
from scripts import publish as command
from scripts.verified import keep
from tests.pipelines import FOLDER, bring, commit_result, plan_of, repository, scored
from tests.small_suite import with_small_track
from tests.test_scorer import HONEST
from tests.test_verified import verification

NAMES = ("one", "three", "two")
Capture = pytest.CaptureFixture[str]


def git(folder: Path, *words: str) -> str:
    """What a git command in a folder prints."""
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@dataclass(frozen=True)
class Remote:
    """A bare repository, a plan for what its main branch holds, and an artifact for each of its jobs."""

    bare: Path
    """The bare repository."""
    plan: Plan
    """The plan."""
    artifacts: tuple[Path, ...]
    """The artifacts, in the order of the jobs."""

    @property
    def head(self) -> str:
        """The commit of its main branch."""
        return git(self.bare, "rev-parse", "main")

    @property
    def entries(self) -> list[str]:
        """The entries that have a result there."""
        files = git(self.bare, "ls-tree", "-r", "--name-only", "main", f"results/{FOLDER}/").splitlines()
        return [Path(file).parent.name for file in files if file.endswith(FILE_NAME)]

    def clone(self, name: str) -> Path:
        """A fresh clone of the last commit of its main branch alone."""
        place = self.bare.parent / name
        only = ("--quiet", "--depth", "1", "--single-branch", "--branch", "main")
        git(self.bare.parent, "clone", *only, self.bare.as_uri(), str(place))
        return place

    def push(self, change: Callable[[Places], object]) -> str:
        """Has someone else push a change, and gives their commit."""
        place = self.clone(f"rival-{len(list(self.bare.parent.glob('rival-*')))}")
        change(Places(place / "results", place / "contrib"))
        git(place, "add", "--all")
        git(place, "commit", "--quiet", "--message", "Someone else's change")
        git(place, "push", "--quiet", "origin", "main")
        return git(place, "rev-parse", "HEAD")


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Remote:
    """A remote with three entries and no results, which only moves forward."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Some Author")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "author@example.org")
    monkeypatch.setattr(publishing, "PAUSE", 0.01)
    with_small_track(monkeypatch)
    bare, first = tmp_path / "remote.git", tmp_path / "first"
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch", "main", str(bare))
    git(bare, "config", "receive.denyNonFastForwards", "true")
    git(tmp_path, "clone", "--quiet", str(bare), str(first))
    places = repository(first, *NAMES)
    git(first, "checkout", "--quiet", "-B", "main")
    git(first, "add", "--all")
    git(first, "commit", "--quiet", "--message", "Three entries")
    git(first, "push", "--quiet", "origin", "main")
    plan = plan_of(places)
    folders = [bring(tmp_path / f"artifact-{job.entry}", places, [job]) for job in plan.jobs]
    return Remote(bare, plan, tuple(folders))


def published(remote: Remote, *folders: Path, attempts: int = 3) -> Published:
    return publish(folders, remote.plan, Target(remote.clone("clone"), attempts=attempts))


def test_results_are_one_commit_that_touches_nothing_else(remote: Remote) -> None:
    before = remote.head
    clone = remote.clone("clone")
    (clone / "contrib/one/method.py").write_text("in the middle of an edit")
    (clone / "results").mkdir()
    (clone / "results/stray").write_text("not to be committed")
    author = {"name": "A Bot", "email": "bot@example.org"}
    done = publish(remote.artifacts, remote.plan, Target(clone, author=author))
    assert done.commit == remote.head and done.attempts == 1
    assert git(remote.bare, "rev-parse", "main^") == before
    changed = git(remote.bare, "diff", "--name-only", before, "main").splitlines()
    assert changed == [f"results/{FOLDER}/{name}/{FILE_NAME}" for name in NAMES]
    told = git(remote.bare, "log", "-1", "--format=%an <%ae> %cn%n%B", "main").splitlines()
    assert told == [
        "A Bot <bot@example.org> A Bot",
        "Scores of 3 entries",
        "",
        *(f"{name} on embedding-detection 1.2: public, complete" for name in NAMES),
    ]
    assert (clone / "contrib/one/method.py").read_text() == "in the middle of an edit"
    assert git(clone, "rev-parse", "HEAD") == before
    assert len(git(clone, "worktree", "list").splitlines()) == 1
    assert load(remote.clone("again") / "results" / FOLDER / "two" / FILE_NAME).status == "complete"


def test_the_message_names_a_single_entry(remote: Remote) -> None:
    landed = published(remote, remote.artifacts[0]).merged.landed
    assert message(landed) == "Scores of one\n\none on embedding-detection 1.2: public, complete\n"


def racing(monkeypatch: pytest.MonkeyPatch, *rivals: Callable[[], object]) -> None:
    """Has each rival push between fetch and push of one attempt, the first in the first."""
    waiting, push = list(rivals), publishing._push

    def late(target: Target, commit: str) -> None:
        if waiting:
            waiting.pop(0)()
        push(target, commit)

    monkeypatch.setattr(publishing, "_push", late)


def test_a_lost_race_starts_again_and_nothing_is_lost(
    remote: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits: list[str] = []
    racing(
        monkeypatch,
        lambda: commits.append(remote.push(lambda places: commit_result(places, scored(places, "three")))),
        lambda: commits.append(remote.push(lambda places: commit_result(places, scored(places, "two")))),
    )
    done = published(remote, remote.artifacts[0])
    assert done.attempts == 3 and done.commit == remote.head
    assert remote.entries == ["one", "three", "two"]
    history = git(remote.bare, "rev-list", "main").splitlines()
    assert history[:3] == [done.commit, *reversed(commits)]


def edit_one(places: Places) -> None:
    (places.contrib / "one/method.py").write_text(HONEST + "\n")


def test_what_a_race_made_obsolete_is_dropped_and_named(
    remote: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    racing(monkeypatch, lambda: remote.push(edit_one))
    done = published(remote, *remote.artifacts)
    assert remote.entries == ["three", "two"]
    (note,) = done.merged.notes
    assert note.startswith("one on embedding-detection 1.2: dropped, as its entry has changed since")


def test_what_another_brought_already_is_no_commit(remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    racing(monkeypatch, lambda: remote.push(lambda places: commit_result(places, scored(places, "one"))))
    done = published(remote, remote.artifacts[0])
    assert (done.commit, done.attempts) == (None, 2)
    assert remote.entries == ["one"]
    assert git(remote.bare, "log", "-1", "--format=%s", "main") == "Someone else's change"


def test_a_remote_that_is_away_for_a_moment_is_waited_for(
    remote: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, away = Target(remote.clone("clone")), remote.bare.with_name("away")
    remote.bare.rename(away)
    monkeypatch.setattr(publishing, "sleep", lambda _: away.rename(remote.bare))
    assert publish(remote.artifacts, remote.plan, target).attempts == 2
    assert remote.entries == ["one", "three", "two"]


def forbidding(remote: Remote) -> None:
    hook = remote.bare / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)


def test_a_branch_that_takes_no_push_is_left_alone(remote: Remote) -> None:
    before = remote.head
    forbidding(remote)
    with pytest.raises(PublishError, match=r"taken in 2 attempts, got .*pre-receive hook declined") as error:
        published(remote, *remote.artifacts, attempts=2)
    assert error.value.exit_code == 1
    assert remote.head == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"branch": "nowhere"}, "taken in 3 attempts, got git fetch: fatal: "),
        ({"remote": "nowhere"}, "taken in 3 attempts, got git fetch: fatal: "),
        ({"remote": "--upload-pack=touch x"}, "taken in 3 attempts, got git fetch: fatal: "),
    ],
)
def test_where_there_is_no_branch_nothing_is_published(
    remote: Remote, change: dict[str, str], said: str
) -> None:
    with pytest.raises(PublishError, match=said):
        publish(remote.artifacts, remote.plan, Target(remote.clone("clone"), attempts=3, **change))
    assert remote.entries == []


def test_nobody_commits_without_a_name(remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{role}_NAME")
        monkeypatch.delenv(f"GIT_{role}_EMAIL")
    clone = remote.clone("clone")
    git(clone, "config", "user.useConfigOnly", "true")
    with pytest.raises(PublishError, match="git commit: expected success, got"):
        publish(remote.artifacts, remote.plan, Target(clone))
    assert remote.entries == []


def play(remote: Remote, *words: object) -> object:
    """The exit code of scripts/publish.py."""
    write(remote.plan, remote.bare.parent / "plan.json")
    plan = ("--plan", remote.bare.parent / "plan.json", "--repository", remote.clone("clone"))
    with pytest.raises(SystemExit) as stop:
        run(command.main, [str(word) for word in (*words, *plan)])
    return stop.value.code


def test_the_command_publishes_the_good_and_says_what_is_not(remote: Remote, capsys: Capture) -> None:
    (remote.artifacts[1] / "stray").touch()
    assert play(remote, *remote.artifacts) == 1
    told = capsys.readouterr()
    assert f"{remote.artifacts[1]}: refused whole, for 1 reason:" in told.err
    assert f"origin main: pushed {remote.head}" in told.out
    assert remote.entries == ["one", "two"]


def test_nothing_to_commit_is_fine(remote: Remote, capsys: Capture, tmp_path: Path) -> None:
    before = remote.head
    (tmp_path / "empty").mkdir()
    assert play(remote, tmp_path / "empty") == 0
    told = capsys.readouterr()
    assert "origin main: nothing to commit" in told.out
    assert "two on embedding-detection 1.2: not brought; the next plan has it again" in told.err
    assert remote.head == before


def test_half_an_author_is_wrong_use(remote: Remote, capsys: Capture) -> None:
    assert play(remote, remote.artifacts[0], "--author-name", "A Bot") == 2
    assert "expected --author-name and --author-email together" in capsys.readouterr().err


def test_three_at_once_lose_nothing(remote: Remote, tmp_path: Path) -> None:
    write(remote.plan, tmp_path / "plan.json")
    running = []
    for number, folder in enumerate(remote.artifacts):
        words = [folder, "--plan", tmp_path / "plan.json", "--repository", remote.clone(f"clone-{number}")]
        line = [sys.executable, "-m", "tests.small_command", "publish", *map(str, words)]
        running.append(subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    for one in running:
        _, told = one.communicate(timeout=120)
        assert one.returncode == 0, told.decode()
    assert remote.entries == ["one", "three", "two"]
    assert len(git(remote.bare, "rev-list", "main").splitlines()) == 4
    subjects = git(remote.bare, "log", "-3", "--format=%s", "main").splitlines()
    assert sorted(subjects) == ["Scores of one", "Scores of three", "Scores of two"]


def test_a_log_of_verifications_is_pushed_and_nothing_with_it(
    remote: Remote, tmp_path: Path, capsys: Capture
) -> None:
    published(remote, *remote.artifacts)
    clone, before = remote.clone("verifier"), remote.head
    log = tmp_path / "log.json"
    held = load(clone / "results" / FOLDER / "two" / FILE_NAME)
    told = "two: fixes #1 @someone [skip ci]"
    write(log_of([verification("two", scored_at=held.timing.scored_at, said=told)]), log)
    for said in ("origin main: pushed ", "origin main: nothing to commit"):
        with pytest.raises(SystemExit) as stop:
            run_one_of((keep,), ["keep", str(log), "--push", "--repository", str(clone)])
        assert stop.value.code == 0
        assert capsys.readouterr().out.startswith(said)
    assert git(remote.bare, "diff", "--name-only", before, "main") == "results/verified.json"
    message = git(remote.bare, "log", "-1", "--format=%B", "main").splitlines()
    assert message == ["Verified results", "", "two on embedding-detection 1.2: reproduces"]
    assert [one.entry for one in last(remote.clone("after") / "results").results] == ["two"]


def test_what_is_published_becomes_rows_of_a_site_without_dead_links(remote: Remote) -> None:
    published(remote, *remote.artifacts)
    clone = remote.clone("site")
    for name in ("site", "templates"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("leaderboard", ".*"))
    for name in ("mkdocs.yml", "CHANGELOG.md", "CITATION.cff"):
        shutil.copy(ROOT / name, clone)
    site = build(clone).parent
    page = (site / "leaderboard" / FOLDER.parts[0] / "index.html").read_text(encoding="utf-8")
    assert all(f'class="lb-row" data-entry="{name}"' in page for name in NAMES)
    assert check_site(site).faults == ()
