"""Commits results to a branch that others commit to as well: a lost race starts again from the new head."""

import os
import random
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmark.errors import PublishError
from benchmark.pipeline.merge import Landed, Merged, merge
from benchmark.pipeline.plan import Places, Plan
from benchmark.text import fault, shown

RESULTS = "results"
ENTRIES = "contrib"
PAUSE = 1.0
"""About how many seconds pass before the second attempt; each later pause is as much longer."""
LIMIT = 600.0
"""How many seconds git may take for one step."""
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


def publish(folders: Sequence[Path], plan: Plan, target: Target) -> Published:
    """Merges artifact folders on top of the remote branch and pushes that as one commit, never by force.

    Every attempt starts from the branch's head in a worktree of its own: the artifacts are examined again,
    against the entries and results of that head. Raises PublishError when the last attempt fails, too, or
    when git cannot fetch or commit.
    """
    why = ""
    for attempt in range(1, target.attempts + 1):
        head = _fetched(target)
        with _worktree(target.repository, head) as tree:
            merged = merge(
                folders, plan, Places(tree / RESULTS, tree / ENTRIES), target.repository / "scores"
            )
            commit = _committed(tree, merged.landed, target)
        if commit is None:
            return Published(merged, None, attempt)
        pushed = _push(target, commit)
        if pushed.returncode == 0:
            return Published(merged, commit, attempt)
        why = _last(pushed)
        if attempt < target.attempts:
            time.sleep(PAUSE * attempt * random.uniform(0.5, 1.5))
    where = f"{target.remote} {target.branch}"
    step = "try again, or see that the branch takes pushes"
    raise PublishError(fault(where, f"a push that is taken in {target.attempts} attempts", why, step))


def message(landed: Sequence[Landed]) -> str:
    """The commit's message: whose scores, and below it what was scored on which track."""
    entries = sorted({one.job.entry for one in landed})
    subject = f"Scores of {entries[0]}" if len(entries) == 1 else f"Scores of {len(entries)} entries"
    return "\n".join([subject, "", *(f"{one.job.name}: {one.said}" for one in landed), ""])


def _fetched(target: Target) -> str:
    """The commit that the remote branch is at."""
    _git(target.repository, "fetch", "--no-tags", "--", target.remote, f"refs/heads/{target.branch}")
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


def _committed(tree: Path, landed: Sequence[Landed], target: Target) -> str | None:
    """The new commit of what has changed in results/; None where nothing has."""
    if not landed:
        return None
    _git(tree, "add", "--all", "--force", "--", RESULTS)
    if not _git(tree, "diff", "--cached", "--name-only", "--", RESULTS).stdout:
        return None
    who = {
        f"GIT_{role}_{what.upper()}": value
        for what, value in target.author.items()
        for role in ("AUTHOR", "COMMITTER")
    }
    _git(tree, "commit", "--quiet", "--message", message(landed), "--", RESULTS, more=who)
    return _git(tree, "rev-parse", "HEAD").stdout.strip()


def _push(target: Target, commit: str) -> "subprocess.CompletedProcess[str]":
    """One attempt to move the remote branch forward to a commit; git refuses whatever is no fast-forward."""
    return _run(target.repository, {}, "push", "--", target.remote, f"{commit}:refs/heads/{target.branch}")


def _git(
    repository: Path, *words: str, more: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """A git command that must succeed. Raises PublishError when it does not."""
    done = _run(repository, more or {}, *words)
    if done.returncode:
        raise PublishError(fault(f"git {words[0]}", "success", _last(done), "mend that, then publish again"))
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


def _last(done: "subprocess.CompletedProcess[str]") -> str:
    """What git said last that tells something, in a line."""
    lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("hint:")]
    telling = [line for line in lines if line.lstrip().startswith(("!", "fatal:", "error:"))] or lines
    return shown(telling[0].strip()) if telling else f"exit code {done.returncode}"
