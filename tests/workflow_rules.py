"""The house rules of workflows, each a function from their files to its faults, one line a fault."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

MOST_LINES = 4
"""Lines of a step's command: what is longer belongs into a script, which is tested."""
RUNS_ENTRIES = ("score.py", "preview.py", "rescore.py", "verify.py", ".ci/run", "make ")
"""What runs the code of entries."""
MAY_WRITE = ("comment.py", "publish.py", "verified.py", "setup.sh")
"""All that a job which can write may call."""
SECRETS = {"LEADERBOARD_FRESH_KEY": "scoring", "LEADERBOARD_DEPLOY_KEY": "publishing"}
"""Each secret, and the one environment that holds it."""
SCHEDULED = "verify.yml"
"""The one file with a schedule."""
PINNED = re.compile(r"[\w-]+/[\w./-]+@[0-9a-f]{40}")
NOTED = re.compile(r"uses: *\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
CALLED = re.compile(r"(?:scripts|\.ci)/[\w.]+")


@dataclass(frozen=True)
class Job:
    """One job of a workflow, or the steps of an action of our own."""

    place: str
    """The file and the job's id."""
    about: Mapping[str, Any]
    """What the file says of it."""

    @property
    def steps(self) -> list[Mapping[str, Any]]:
        """Its steps; none where it calls another workflow."""
        return list(self.about.get("steps", []))

    @property
    def commands(self) -> list[str]:
        """The commands of its steps."""
        return [step["run"] for step in self.steps if "run" in step]

    @property
    def environment(self) -> str | None:
        """The environment whose secrets it may read."""
        found = self.about.get("environment")
        return found["name"] if isinstance(found, Mapping) else found

    @property
    def writes(self) -> list[str]:
        """What it could change, and by what."""
        granted = self.about.get("permissions", {})
        found = [f"{name}: {level}" for name, level in granted.items() if level not in ("read", "none")]
        kept = [step for step in self.using("actions/checkout") if keeps_credentials(step)]
        return found + (["credentials kept by checkout"] if kept else [])

    def using(self, action: str) -> list[Mapping[str, Any]]:
        """Its steps with that action."""
        return [step for step in self.steps if step.get("uses", "").startswith(f"{action}@")]


@dataclass(frozen=True)
class Workflow:
    """One file, parsed."""

    name: str
    """Its file's name."""
    text: str
    """Its source."""
    about: Mapping[str, Any]
    """Its content."""

    @property
    def is_action(self) -> bool:
        """Whether it is an action of our own, and not a workflow."""
        return "runs" in self.about

    @property
    def jobs(self) -> list[Job]:
        """Its jobs; an action counts as one."""
        if self.is_action:
            return [Job(self.name, self.about["runs"])]
        return [Job(f"{self.name}: {name}", about) for name, about in self.about["jobs"].items()]

    @property
    def events(self) -> Mapping[str, Any]:
        """What starts it."""
        return {} if self.is_action else self.about["on"]


Rule = Callable[[Sequence[Workflow]], Iterator[str]]


def parse(name: str, text: str) -> Workflow:
    """A file from its text."""
    return Workflow(name, text, YAML(typ="safe").load(text))


def read(folder: Path) -> list[Workflow]:
    """The workflows and actions below a `.github` folder."""
    paths = sorted([*folder.glob("workflows/*"), *folder.glob("actions/*/*")])
    return [parse(path.name, path.read_text(encoding="utf-8")) for path in paths]


def keeps_credentials(step: Mapping[str, Any]) -> bool:
    """Whether a checkout leaves a token or key on disk."""
    return step.get("with", {}).get("persist-credentials") is not False


def _jobs(workflows: Sequence[Workflow]) -> Iterator[Job]:
    for workflow in workflows:
        yield from workflow.jobs


def permissions_start_empty(workflows: Sequence[Workflow]) -> Iterator[str]:
    """A workflow grants nothing; each job names what it needs."""
    for workflow in workflows:
        if workflow.is_action:
            continue
        if workflow.about.get("permissions") != {}:
            yield f"{workflow.name}: expected 'permissions: {{}}' at the top"
        for job in workflow.jobs:
            if not isinstance(job.about.get("permissions"), Mapping):
                yield f"{job.place}: expected its permissions, each by name"


def actions_are_pinned(workflows: Sequence[Workflow]) -> Iterator[str]:
    """An action of others is named by commit with its version beside it, the same one everywhere."""
    seen: dict[str, str] = {}
    for workflow in workflows:
        for job in workflow.jobs:
            for used in filter(None, [job.about.get("uses"), *(step.get("uses") for step in job.steps)]):
                if used.startswith("./"):
                    continue
                if not PINNED.fullmatch(used):
                    yield f"{job.place}: {used}: expected a commit's 40 digits"
                elif seen.setdefault(used.split("@")[0], used) != used:
                    yield f"{job.place}: {used}: expected {seen[used.split('@')[0]]}, as elsewhere"
        for line in workflow.text.splitlines():
            if re.search(r"uses: *\S+@[0-9a-f]{40}", line) and not NOTED.search(line):
                yield f"{workflow.name}: {line.strip()}: expected '# vX.Y.Z' at the end"


def commands_hold_no_expression(workflows: Sequence[Workflow]) -> Iterator[str]:
    """Values reach a command by its environment, where no shell reads them as code."""
    for job in _jobs(workflows):
        for command in job.commands:
            if "${{" in command:
                yield f"{job.place}: {command.strip()}: expected no expression; use env"


def commands_are_short(workflows: Sequence[Workflow]) -> Iterator[str]:
    """A command only calls scripts."""
    for job in _jobs(workflows):
        for command in job.commands:
            if (count := len(command.strip().splitlines())) > MOST_LINES:
                yield f"{job.place}: expected commands of up to {MOST_LINES} lines, got {count}"


def events_are_safe(workflows: Sequence[Workflow]) -> Iterator[str]:
    """Nothing runs for a stranger's pull request with rights; the schedule stands alone."""
    for workflow in workflows:
        if "pull_request_target" in workflow.events:
            yield f"{workflow.name}: expected no pull_request_target"
        others = set(workflow.events) - {"schedule", "workflow_dispatch"}
        if "schedule" in workflow.events and (workflow.name != SCHEDULED or others):
            yield f"{workflow.name}: expected a schedule in {SCHEDULED} only, beside workflow_dispatch"


def entries_run_without_rights(workflows: Sequence[Workflow]) -> Iterator[str]:
    """A job that runs entries can write nothing and keeps no credentials and no cache."""
    for job in _jobs(workflows):
        if not any(name in command for command in job.commands for name in RUNS_ENTRIES):
            continue
        for what in job.writes:
            yield f"{job.place}: runs entries, expected no rights, got {what}"
        if job.environment not in (None, "scoring"):
            yield f"{job.place}: runs entries, expected no environment but scoring, got {job.environment}"
        if job.using("actions/cache") or any("cache" in step.get("with", {}) for step in job.steps):
            yield f"{job.place}: runs entries, expected no cache"


def writers_run_no_entry(workflows: Sequence[Workflow]) -> Iterator[str]:
    """A job that can write calls nothing but what is made for it."""
    for job in _jobs(workflows):
        if not job.writes and job.environment != "publishing":
            continue
        for command in job.commands:
            if not any(name in command for name in MAY_WRITE) or any(
                name in command for name in RUNS_ENTRIES
            ):
                yield f"{job.place}: can write, expected only {', '.join(MAY_WRITE)}, got {command.strip()}"


def secrets_stay_in_their_rooms(workflows: Sequence[Workflow]) -> Iterator[str]:
    """A secret is read only by jobs of its environment, and never handed to another workflow."""
    for job in _jobs(workflows):
        for name in re.findall(r"secrets\.(\w+)", str(job.about)):
            room = SECRETS.get(name)
            if room is None or job.environment != room:
                yield f"{job.place}: {name}: expected the environment {room}, got {job.environment}"
        if "secrets" in job.about:
            yield f"{job.place}: expected to hand no secrets to another workflow"


def artifacts_stay_outside(workflows: Sequence[Workflow]) -> Iterator[str]:
    """What another job left is never put among the files of the checkout, and is asked for by what it is.

    Without that, artifacts get folders of the names that whoever made them chose.
    """
    for job in _jobs(workflows):
        for step in job.using("actions/download-artifact"):
            if not {"name", "pattern", "artifact-ids"} & step.get("with", {}).keys():
                yield f"{job.place}: expected a name, a number or a pattern, got all artifacts"
            path = step.get("with", {}).get("path", "")
            if not path.startswith("${{ runner.temp }}/"):
                yield f"{job.place}: expected artifacts in runner.temp, got {path or 'the workspace'}"


def jobs_are_bounded(workflows: Sequence[Workflow]) -> Iterator[str]:
    """Everything has a name, an end, a group that it runs in, and a shell that sees a pipe's failure."""
    for workflow in workflows:
        if workflow.is_action:
            continue
        for key in ("name", "concurrency"):
            if key not in workflow.about:
                yield f"{workflow.name}: expected {key}"
        if workflow.about.get("defaults") != {"run": {"shell": "bash"}}:
            yield f"{workflow.name}: expected bash as the default shell, which then has pipefail"
        for job in workflow.jobs:
            if "uses" not in job.about and "timeout-minutes" not in job.about:
                yield f"{job.place}: expected timeout-minutes"
            for number, step in enumerate([job.about, *job.steps]):
                if "name" not in step:
                    yield f"{job.place}: expected a name of {f'step {number}' if number else 'the job'}"


def names_lead_somewhere(workflows: Sequence[Workflow]) -> Iterator[str]:
    """A workflow that waits for another one names one that is there."""
    there = {workflow.about["name"] for workflow in workflows if "name" in workflow.about}
    for workflow in workflows:
        about = workflow.events.get("workflow_run") or {}
        for name in about.get("workflows", []):
            if name not in there:
                yield f"{workflow.name}: workflow_run: expected one of {sorted(there)}, got {name}"


def missing_scripts(workflows: Sequence[Workflow], root: Path) -> list[str]:
    """The scripts that commands call and that are not below `root`, by their paths."""
    called = {path for job in _jobs(workflows) for text in job.commands for path in CALLED.findall(text)}
    return sorted(path for path in called if not (root / path).is_file())


def unknown_options(words: Sequence[str], help_text: str) -> list[str]:
    """The options among a call's words that the script's own help does not list."""
    known = set(re.findall(r"--[a-z][a-z-]*", help_text))
    return [word for word in words if word.startswith("--") and word not in known]


def script_calls(workflows: Sequence[Workflow]) -> list[tuple[str, ...]]:
    """The calls of Python scripts as words, such as ('scripts/plan.py', '--what', '$WHAT'), each once."""
    found = set()
    for job in _jobs(workflows):
        for command in job.commands:
            for line in command.replace("\\\n", " ").splitlines():
                words = tuple(shlex.split(line.partition("2>&1")[0]))
                if len(words) > 1 and words[1].startswith("scripts/") and words[1].endswith(".py"):
                    found.add(words[1:])
    return sorted(found)
