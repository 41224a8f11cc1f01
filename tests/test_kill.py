"""A scorer that is killed leaves no process and no torn result, and the next run completes."""

import random
from pathlib import Path

import pytest

from perf.kill import Run, killed
from tests.isolated import LAUNCHERS, Launcher

ENTRY = """
def detect(embeddings, attribute, task_labels, seed):
    return float(embeddings.std())
"""
DESCRIPTOR = """
title = "Spread"
summary = "Answers with the spread of all embeddings."
authors = ["Nobody"]
license = "MIT"
tracks = ["embedding-detection"]
kind = "control"
family = "none"
"""


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_killed_scorer_leaves_nothing_and_the_next_run_completes(launcher: Launcher, tmp_path: Path) -> None:
    entry = tmp_path / "spread"
    entry.mkdir()
    (entry / "method.py").write_text(ENTRY, encoding="utf-8")
    (entry / "entry.toml").write_text(DESCRIPTOR, encoding="utf-8")
    run = Run(entry, launcher.name, tmp_path)
    moments = random.Random(5)
    for _ in range(5):
        assert killed(run, moments.uniform(0.5, 5.0)) == set()
        assert all(path.is_file() for path in run.results())
    assert run.completed()
