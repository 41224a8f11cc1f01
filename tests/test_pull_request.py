"""A pull request from its push to its comment, on one machine: the commands as the workflows call them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.commands import ROOT
from benchmark.pipeline.comment import MARKER
from benchmark.pipeline.preview import load
from tests.fake_github import RUN, TOKEN, serving

CLEAN = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "NO_PROXY": "127.0.0.1"}
WHO = {
    f"GIT_{role}_{what}": "someone@example.org"
    for role in ("AUTHOR", "COMMITTER")
    for what in ("NAME", "EMAIL")
}


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | CLEAN | WHO)
    return ran.stdout.strip()


def published(root: Path) -> Path:
    """A bare repository whose main branch holds this project."""
    project = root / "project"
    for name in ("benchmark", "scripts", "contrib", "results/embedding-detection"):
        shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    (project / ".gitignore").write_text("__pycache__/\n/.cache/\n")
    git(root, "init", "-q", "-b", "main", "project")
    git(project, "add", "--all")
    git(project, "commit", "-q", "-m", "the project")
    git(root, "clone", "-q", "--bare", "project", "remote.git")
    return root / "remote.git"


def pushed(root: Path, remote: Path) -> tuple[str, str]:
    """A contributor's two heads: a good entry, and the same with a change of the scorer."""
    fork = root / "fork"
    git(root, "clone", "-q", str(remote), "fork")
    folder = fork / "contrib" / "another_score"
    shutil.copytree(fork / "contrib" / "random_score", folder)
    text = (folder / "entry.toml").read_text()
    text = text.replace("Random score", "Another score").replace('kind = "control"', 'kind = "method"')
    (folder / "entry.toml").write_text(text)
    git(fork, "checkout", "-q", "-b", "another")
    heads = []
    for number, file in ((1, folder / "README.md"), (2, fork / "benchmark" / "metrics.py")):
        with file.open("a", encoding="utf-8") as open_file:
            open_file.write("\n# more\n")
        git(fork, "add", "--all")
        git(fork, "commit", "-q", "-m", "another score")
        git(fork, "push", "-q", "origin", f"HEAD:refs/pull/{number}/head")
        heads.append(git(fork, "rev-parse", "HEAD"))
    return heads[0], heads[1]


def command(base: Path, name: str, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command of the base's own checkout, run there."""
    environment = os.environ | CLEAN | {"PYTHONPATH": str(base), "OMP_NUM_THREADS": "1"} | variables
    line = [sys.executable, str(base / "scripts" / name), *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, timeout=300, cwd=base, env=environment)


@pytest.mark.bwrap
def test_a_pull_request_is_judged_scored_and_commented_on(tmp_path: Path) -> None:
    remote = published(tmp_path)
    good, bad = pushed(tmp_path, remote)
    git(tmp_path, "clone", "-q", str(remote), "base")
    base, into, out = tmp_path / "base", tmp_path / "into", tmp_path / "out"
    git(base, "fetch", "-q", "origin", "refs/pull/1/head", "refs/pull/2/head")

    refused = command(base, "gate.py", "main", bad, "--into", into, "--repository", base)
    assert (
        refused.returncode == 1 and '"benchmark/metrics.py": expected changes in contrib/' in refused.stderr
    )
    assert not into.exists()
    accepted = command(base, "gate.py", "main", good, "--into", into, "--repository", base)
    assert accepted.returncode == 0, accepted.stderr
    fork = tmp_path / "fork" / "contrib" / "another_score"
    files = {path.name: path.read_bytes() for path in (into / "another_score").iterdir()}
    assert files == {path.name: path.read_bytes() for path in fork.iterdir()}
    assert not (base / "contrib" / "another_score").exists()

    scored = command(base, "preview.py", into / "another_score", "--output", out, "--quick", "--jobs", 1)
    assert scored.returncode == 0, scored.stderr
    (one,) = load(out).tracks
    assert one.rank is not None and one.rank.low is not None
    summary = (out / "summary.md").read_text()
    sentence = f"`another_score` would rank {one.rank.low} to {one.rank.high} of {one.rank.ranked}, group: "
    assert sentence in summary

    with serving() as fake:
        fake.pull(1, good)
        fake.pull(2, bad)
        words = (out, "--repository", "owner/name", "--head", good, "--run-url", RUN)
        variables = {"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": fake.address}
        for _ in range(2):
            told = command(base, "comment.py", *words, **variables)
            assert (told.returncode, told.stdout) == (0, "commented on pull request 1\n"), told.stderr
    assert list(fake.comments) == [1]
    (comment,) = fake.comments[1]
    assert comment["body"].startswith(MARKER) and sentence in comment["body"]
    assert f"| AUROC | {one.metrics['auroc']:.3f} | " in comment["body"]
    assert git(base, "status", "--porcelain") == ""
