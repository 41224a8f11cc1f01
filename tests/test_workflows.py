"""The house rules hold over all workflows, each of them can fail, and what they call is there."""

import runpy
import signal
import sys
from pathlib import Path

import pytest

from tests import workflow_rules
from tests.workflow_rules import Rule, missing_scripts, parse, read, script_calls, unknown_options

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = read(ROOT / ".github")
CALLS = script_calls(WORKFLOWS)
PINNED = "actions/checkout@" + "a" * 40

GOOD = f"""\
name: Good
on:
  push:
permissions: {{}}
concurrency: good
defaults:
  run:
    shell: bash
jobs:
  one:
    name: One
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    permissions:
      contents: read
    steps:
      - name: Check out
        uses: {PINNED} # v1.2.3
        with:
          persist-credentials: false
      - name: Run
        run: echo "$WORD"
        env:
          WORD: ${{{{ github.event.word }}}}
"""
RUN = 'run: echo "$WORD"'
READS = "contents: read"
KEEPS = "persist-credentials: false"

RULES: tuple[Rule, ...] = (
    workflow_rules.permissions_start_empty,
    workflow_rules.actions_are_pinned,
    workflow_rules.commands_hold_no_expression,
    workflow_rules.commands_are_short,
    workflow_rules.events_are_safe,
    workflow_rules.entries_run_without_rights,
    workflow_rules.writers_run_no_entry,
    workflow_rules.secrets_stay_in_their_rooms,
    workflow_rules.artifacts_stay_outside,
    workflow_rules.jobs_are_bounded,
    workflow_rules.names_lead_somewhere,
)

BROKEN: dict[str, tuple[Rule, dict[str, str], str]] = {
    "rights at the top": (RULES[0], {"permissions: {}\n": "permissions: read-all\n"}, "at the top"),
    "no rights named": (
        RULES[0],
        {"    permissions:\n      contents: read\n": ""},
        "expected its permissions",
    ),
    "a tag": (RULES[1], {PINNED: "actions/checkout@v4"}, "expected a commit's 40 digits"),
    "no version": (RULES[1], {" # v1.2.3": ""}, "expected '# vX.Y.Z' at the end"),
    "two commits": (
        RULES[1],
        {"      - name: Run\n": f"      - uses: {PINNED[:-1]}b # v1.2.4\n      - name: Run\n"},
        f"expected {PINNED}, as elsewhere",
    ),
    "event data": (RULES[2], {RUN: "run: echo ${{ github.event.word }}"}, "expected no expression"),
    "a program": (RULES[3], {RUN: "run: |\n" + 5 * "          echo\n"}, "lines, got 5"),
    "target": (RULES[4], {"  push:": "  pull_request_target:"}, "expected no pull_request_target"),
    "schedule": (RULES[4], {"  push:": "  schedule:"}, "expected a schedule in verify.yml only"),
    "entry with a token": (
        RULES[5],
        {READS: "contents: write", RUN: "run: scripts/preview.py"},
        "got contents: write",
    ),
    "entry with a deploy key": (
        RULES[5],
        {READS: f"{READS}\n    environment: publishing", RUN: "run: scripts/rescore.py"},
        "expected no environment but scoring, got publishing",
    ),
    "entry beside credentials": (
        RULES[5],
        {KEEPS: "fetch-depth: 0", RUN: "run: .ci/run"},
        "got credentials kept by checkout",
    ),
    "entry with a cache": (
        RULES[5],
        {KEEPS: f"{KEEPS}\n          cache: pip", RUN: "run: scripts/score.py x"},
        "expected no cache",
    ),
    "writer runs an entry": (
        RULES[6],
        {READS: "issues: write", RUN: "run: scripts/verify.py && scripts/verified.py"},
        "can write, expected only",
    ),
    "pusher runs something else": (
        RULES[6],
        {KEEPS: "persist-credentials: true"},
        "can write, expected only",
    ),
    "secret in the open": (
        RULES[7],
        {"github.event.word": "secrets.LEADERBOARD_FRESH_KEY"},
        "expected the environment scoring, got None",
    ),
    "secrets handed on": (RULES[7], {READS: f"{READS}\n    secrets: inherit"}, "expected to hand no secrets"),
    "artifact in the checkout": (
        RULES[8],
        {PINNED: "actions/download-artifact@" + "a" * 40, KEEPS: "name: x\n          path: results"},
        "expected artifacts in runner.temp, got results",
    ),
    "all artifacts": (
        RULES[8],
        {
            PINNED: "actions/download-artifact@" + "a" * 40,
            KEEPS: "path: ${{ runner.temp }}/x",
        },
        "expected a name, a number or a pattern, got all artifacts",
    ),
    "waits for nobody": (
        RULES[10],
        {"  push:": "  workflow_run:\n    workflows: [Better]"},
        "expected one of ['Good'], got Better",
    ),
    "no end": (RULES[9], {"    timeout-minutes: 5\n": ""}, "expected timeout-minutes"),
    "no group": (RULES[9], {"concurrency: good\n": ""}, "expected concurrency"),
    "no pipefail": (RULES[9], {"shell: bash": "shell: sh"}, "expected bash"),
    "no name": (RULES[9], {"name: Check out\n        uses": "uses"}, "expected a name of step 1"),
}
"""By what is wrong: the rule, the changes to GOOD that break it, and what the fault says."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule_holds(rule: Rule) -> None:
    faults = list(rule(WORKFLOWS))
    assert len(WORKFLOWS) >= 8
    assert not faults, "\n".join(["", *faults])


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_good_workflow_has_no_fault(rule: Rule) -> None:
    assert list(rule([parse("good.yml", GOOD)])) == []


@pytest.mark.parametrize("what", BROKEN)
def test_rule_finds_what_is_wrong(what: str) -> None:
    rule, changes, fault = BROKEN[what]
    text = GOOD
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (found,) = rule([parse("bad.yml", text)])
    assert fault in found


def test_every_rule_is_seen_to_fail() -> None:
    assert {rule for rule, _, _ in BROKEN.values()} == set(RULES)


def test_calls_are_read_from_commands() -> None:
    command = (
        "run: |\n" + 10 * " " + '.venv/bin/python scripts/a.py "$X"/* \\\n' + 12 * " " + "--to DIR 2>&1 |"
    )
    workflows = [parse("good.yml", GOOD.replace(RUN, f"{command}\n{10 * ' '}tee log"))]
    assert script_calls(workflows) == [("scripts/a.py", "$X/*", "--to", "DIR")]
    assert missing_scripts(workflows, ROOT) == ["scripts/a.py"]


def test_called_scripts_exist() -> None:
    assert missing_scripts(WORKFLOWS, ROOT) == []


def test_an_option_that_is_not_there_is_found() -> None:
    text = "Options:\n  --shards INTEGER  How many; see --shard.\n  --output PATH\n"
    assert unknown_options(("scripts/a.py", "--shards", "3", "--out", "x", "--output"), text) == ["--out"]


def test_no_scoring_run_is_lost_to_a_newer_one() -> None:
    (score,) = (workflow for workflow in WORKFLOWS if workflow.name == "score.yml")
    assert score.about["concurrency"] == {"group": "score", "cancel-in-progress": False, "queue": "max"}


def test_a_site_run_that_does_nothing_ends_none_that_waits() -> None:
    (site,) = (workflow for workflow in WORKFLOWS if workflow.name == "site.yml")
    (called,) = (job for job in site.jobs if "build" in job.place)
    ours = "github.event.head_commit.committer.name {} 'github-actions[bot]'"
    assert called.about["if"] == ours.format("!=")
    group = f"site${{{{ github.workflow == 'Site' && {ours.format('==')} && '-none' || '' }}}}"
    assert site.about["concurrency"] == {"group": group, "cancel-in-progress": False}


@pytest.mark.parametrize("words", CALLS, ids=lambda words: Path(words[0]).name)
def test_called_options_exist(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sub = words[1:2] if words[0] == "scripts/verified.py" else ()
    monkeypatch.setattr(sys, "argv", [words[0], *sub, "--help"])
    monkeypatch.setenv("COLUMNS", "100")
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(ROOT / words[0]), run_name="__main__")
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert ended.value.code == 0
    assert unknown_options(words, capsys.readouterr().out) == []
