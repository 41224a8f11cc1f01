"""Commits results to a branch that others commit to as well: a lost race starts again from the new head."""

import os
import random
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep

from benchmark.errors import PublishError
from benchmark.pipeline.merge import Landed, Merged, merge
from benchmark.pipeline.plan import Places, Plan
from benchmark.text import fault, printable

RESULTS = "results"
ENTRIES = "contrib"
PAUSE = 1.0
"""About how many seconds pass before the second attempt; each later pause is as much longer."""
LIMIT = 600.0
"""How many seconds git may take for one step."""
SHOWN = 300
"""How many characters of what git said a message shows."""
ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX")
"""Variables that would have git work on another repository than the one it is called for."""


@dataclass(frozen=True)
class Target:
    """Where results are published."""

    repository: Path
    """A clone; what is checked out there stays as it is."""
    remote: str = "origin"
    """The remote's name or address."""
    branch: str = "main"
    """The branch that results are committed to; it must be there."""
    attempts: int = 10
    """How many times it is tried."""
    author: Mapping[str, str] = field(default_factory=dict)
    """`name` and `email` of the commit; git's own where they are missing."""


@dataclass(frozen=True)
class Published:
    """What came of publishing."""

    merged: Merged
    """What came of merging, in the last attempt."""
    commit: str | None
    """The commit that the branch now has; None where there was nothing to commit."""
    attempts: int
    """How many attempts it took."""


@dataclass(frozen=True)
class Pushed:
    """What came of pushing a change."""

    commit: str | None
    """The commit that the branch now has; None where there was nothing to commit."""
    attempts: int = 1
    """How many attempts it took."""


class _Lost(Exception):
    """An attempt failed that another one may make good."""


def publish(folders: Sequence[Path], plan: Plan, target: Target) -> Published:
    """Merges artifact folders on top of the remote branch and pushes that as one commit.

    The artifacts are examined again in every attempt, against the entries and results of the branch's head.
    Raises what `push` raises.
    """
    found: list[Merged] = []

    def change(tree: Path) -> str:
        places = Places(tree / RESULTS, tree / ENTRIES)
        found.append(merge(folders, plan, places, target.repository / "scores"))
        return message(found[-1].landed) if found[-1].landed else ""

    done = push(change, target)
    return Published(found[-1], done.commit, done.attempts)


def push(change: Callable[[Path], str], target: Target) -> Pushed:
    """Pushes what `change` does to results/ on top of the remote branch as one commit, never by force.

    change: is given a folder with the files of the branch's head, changes results/ there, and gives the
    commit's message; an empty one where there is nothing to commit. Every attempt starts from the head anew.
    Raises PublishError when the last attempt fails, too, or when git cannot commit.
    """
    why = ""
    for attempt in range(1, target.attempts + 1):
        if attempt > 1:
            sleep(PAUSE * (attempt - 1) * random.uniform(0.5, 1.5))
        try:
            return replace(_attempted(change, target), attempts=attempt)
        except _Lost as lost:
            why = str(lost)
    where = f"{target.remote} {target.branch}"
    step = "try again, or see that the branch is there and takes pushes"
    raise PublishError(fault(where, f"a push that is taken in {target.attempts} attempts", why, step))


def _attempted(change: Callable[[Path], str], target: Target) -> Pushed:
    """What came of one attempt. Raises _Lost when the branch cannot be fetched or does not take the push."""
    head = _fetched(target)
    with _worktree(target.repository, head) as tree:
        told = change(tree)
        commit = _committed(tree, told, target) if told else None
    if commit is not None:
        _push(target, commit)
    return Pushed(commit)


def message(landed: Sequence[Landed]) -> str:
    """The commit's message: whose scores, and below it what was scored on which track."""
    entries = sorted({one.job.entry for one in landed})
    subject = f"Scores of {entries[0]}" if len(entries) == 1 else f"Scores of {len(entries)} entries"
    return "\n".join([subject, "", *(f"{one.job.name}: {one.said}" for one in landed), ""])


def _fetched(target: Target) -> str:
    """The commit that the remote branch is at."""
    _reach(target, "fetch", "--no-tags", "--", target.remote, f"refs/heads/{target.branch}")
    return _git(target.repository, "rev-parse", "--verify", "FETCH_HEAD^{commit}").stdout.strip()


@contextmanager
def _worktree(repository: Path, commit: str) -> Iterator[Path]:
    """A folder with the files of a commit, gone on leaving."""
    _git(repository, "worktree", "prune")
    with TemporaryDirectory(prefix="publish-") as name:
        tree = Path(name) / "tree"
        _git(repository, "worktree", "add", "--quiet", "--detach", str(tree), commit)
        try:
            yield tree
        finally:
            _git(repository, "worktree", "remove", "--force", str(tree))


def _committed(tree: Path, told: str, target: Target) -> str | None:
    """The new commit of what has changed in results/; None where nothing has. told: its message."""
    _git(tree, "add", "--all", "--", RESULTS)
    if not _git(tree, "diff", "--cached", "--name-only", "--", RESULTS).stdout:
        return None
    who = {
        f"GIT_{role}_{what.upper()}": value
        for what, value in target.author.items()
        for role in ("AUTHOR", "COMMITTER")
    }
    _git(tree, "commit", "--quiet", "--message", told, "--", RESULTS, more=who)
    return _git(tree, "rev-parse", "HEAD").stdout.strip()


def _push(target: Target, commit: str) -> None:
    """Moves the remote branch forward to a commit; git refuses whatever is no fast-forward."""
    _reach(target, "push", "--", target.remote, f"{commit}:refs/heads/{target.branch}")


def _reach(target: Target, *words: str) -> None:
    """A git command that talks to the remote. Raises _Lost when it fails."""
    done = _run(target.repository, {}, *words)
    if done.returncode:
        raise _Lost(f"git {words[0]}: {_said(done)}")


def _git(
    repository: Path, *words: str, more: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """A git command that must succeed. Raises PublishError when it does not."""
    done = _run(repository, more or {}, *words)
    if done.returncode:
        raise PublishError(fault(f"git {words[0]}", "success", _said(done), "mend that, then publish again"))
    return done


def _run(repository: Path, more: Mapping[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    inherited = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    environment = {**inherited, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **more}
    command = ["git", "-C", str(repository), *words]
    try:
        return subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        got = f"no end within {LIMIT:g} s"
        raise PublishError(fault(f"git {words[0]}", "an end", got, "check the network")) from None


def _said(done: "subprocess.CompletedProcess[str]") -> str:
    """What git said that tells something, in a line."""
    lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("hint:")]
    telling = [line for line in lines if line.lstrip().startswith(("!", "fatal:", "error:"))] or lines
    return printable(telling[0].strip()[:SHOWN]) if telling else f"exit code {done.returncode}"
