"""Plays a workflow with act on this machine, with stand-ins for actions, commands and most scripts.

act is not GitHub. It knows no concurrency (and refuses the key `queue`, which is taken out here), no rights
of tokens, no protection of environments (every job could read every secret), no filters of branches and
paths. Checkout, keys that push, artifacts and Pages are played by stand-ins, since the real actions need a
network. Runner images are not played: AppArmor, macOS, limits of time. What files say of all this is held by
tests/test_workflows.py.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STAND_INS = ROOT / "tests" / "actions"
ACT = Path(sys.executable).with_name("act")
PINNED = re.compile(r"uses: (actions/([a-z-]+)@[0-9a-f]{40})")
REPOSITORY = "octo/board"
AUTHOR = ("-c", "user.name=x", "-c", "user.email=x@example.org")
SECRETS = {
    "GITHUB_TOKEN": "the token",
    "LEADERBOARD_FRESH_KEY": "the fresh key",
    "LEADERBOARD_DEPLOY_KEY": "the deploy key",
}


@dataclass(frozen=True)
class Call:
    """One call of a stand-in."""

    job: str
    """The id of the job that made it."""
    text: str
    """The command line, with TEMP for the runner's temporary folder."""
    seen: Mapping[str, str]
    """Which of the watched variables it saw."""


@dataclass(frozen=True)
class Played:
    """What came of a workflow."""

    fine: bool
    """Whether every job succeeded."""
    calls: Sequence[Call]
    """All calls, in order; those of jobs that run side by side as they came."""
    output: str
    """What act printed."""

    def of(self, job: str) -> list[str]:
        """The calls of a job, without those that make it ready."""
        ready = ("checkout ", "setup-python ", "setup.sh ")
        return [call.text for call in self.calls if call.job == job and not call.text.startswith(ready)]

    @property
    def jobs(self) -> list[str]:
        """The jobs that ran, in the order in which they began."""
        return list(dict.fromkeys(call.job for call in self.calls))

    def that(self, start: str) -> list[Call]:
        """The calls that begin so."""
        return [call for call in self.calls if call.text.startswith(start)]


@dataclass(frozen=True)
class Stage:
    """A folder in which workflows are played."""

    folder: Path
    """Where it is."""
    exits: dict[str, int] = field(default_factory=dict)
    """Exit codes by a part of the command line, otherwise 0; who ends above 2 leaves nothing behind."""
    shards: Sequence[int] = (1, 2)
    """The shards that the plan has jobs for."""

    site: str = ""
    """The repository's variable SITE_URL."""
    real: Sequence[str] = ()
    """The scripts that are run, not played, by the names of their files."""

    @property
    def repository(self) -> Path:
        """What is checked out."""
        return self.folder / "repository"

    def prepare(self) -> str:
        """The commit of the repository that is checked out, made now with the commands around it."""
        program = (STAND_INS / "play.py").read_text(encoding="utf-8")
        tools = [self.folder / "tools" / name for name in ("play", "git", "make")]
        for folder in (".github", *(("benchmark", "scripts") if self.real else ())):
            shutil.copytree(
                ROOT / folder, self.repository / folder, ignore=shutil.ignore_patterns("__pycache__")
            )
        for path in (self.repository / ".github" / "workflows").iterdir():
            kept = [
                line for line in path.read_text(encoding="utf-8").splitlines() if "queue: max" not in line
            ]
            path.write_text("\n".join(kept), encoding="utf-8")
        for place in (
            *(self.repository / name for name in (".venv/bin/python", "scripts/setup.sh", ".ci/run")),
            *tools,
        ):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"#!{sys.executable} -IS\n{program}", encoding="utf-8")
            place.chmod(0o755)
        self._git("init", "--quiet", "--initial-branch=main")
        self._git("remote", "add", "origin", f"https://github.com/{REPOSITORY}")
        return self.commit({})

    def remote(self) -> Path:
        """A bare repository in the place of GitHub's, whose `main` is the commit that is checked out."""
        place = self.folder / "remote.git"
        self._git("init", "--quiet", "--bare", "--initial-branch=main", str(place))
        self._git("config", f"url.{place}.insteadOf", f"https://github.com/{REPOSITORY}")
        self._git("push", "--quiet", "origin", "HEAD:refs/heads/main")
        return place

    def commit(self, files: Mapping[str, str]) -> str:
        """A new commit that adds files; what is checked out stays the first one."""
        for name, text in files.items():
            (self.repository / name).parent.mkdir(parents=True, exist_ok=True)
            (self.repository / name).write_text(text, encoding="utf-8")
        self._git("add", "--all")
        self._git(*AUTHOR, "commit", "--quiet", "--message", "x")
        made = self._git("rev-parse", "HEAD")
        self._git("checkout", "--quiet", self._git("rev-list", "--max-parents=0", "HEAD"))
        return made

    def _git(self, *words: str) -> str:
        command = ["git", *words]
        done = subprocess.run(command, cwd=self.repository, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def artifact(self, name: str, file: str) -> None:
        """Puts an artifact there, as if another run had left it."""
        path = self.folder / "artifacts" / name / file
        path.parent.mkdir(parents=True)
        path.write_text("{}", encoding="utf-8")

    def play(self, workflow: str, event: str, payload: Mapping[str, object]) -> Played:
        """Plays one workflow for one event."""
        if not self.repository.exists():
            self.prepare()
        files = {"exits": self.exits, "shards": self.shards, "real": self.real, "event": payload}
        for name, content in files.items():
            (self.folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
        done = subprocess.run(
            [ACT, event, *self._options(workflow)],
            cwd=self.repository,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        notes = self.folder / "calls"
        lines = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
        found = [json.loads(line) for line in lines]
        calls = [Call(one["job"], one["call"].strip(), one["seen"]) for one in found]
        return Played(done.returncode == 0, calls, done.stdout + done.stderr)

    def _options(self, workflow: str) -> list[str]:
        files = sorted((ROOT / ".github").rglob("*.yml"))
        text = "\n".join(path.read_text(encoding="utf-8") for path in files)
        pairs = sorted(set(PINNED.findall(text)))
        return [
            *("--workflows", f".github/workflows/{workflow}", "--eventpath", str(self.folder / "event.json")),
            *("--platform", "ubuntu-24.04=-self-hosted", "--platform", "macos-15=-self-hosted"),
            *("--var", f"SITE_URL={self.site}"),
            *("--action-offline-mode", "--pull=false", "--no-cache-server", "--no-skip-checkout"),
            *("--action-cache-path", str(self.folder / "cache"), "--concurrent-jobs", "2"),
            *(word for used, name in pairs for word in ("--local-repository", f"{used}={STAND_INS / name}")),
            *(word for name, value in SECRETS.items() for word in ("--secret", f"{name}={value}")),
        ]

    def _environment(self) -> dict[str, str]:
        path = f"{self.folder / 'tools'}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, "HOME": str(self.folder), "STAGE": str(self.folder)}
