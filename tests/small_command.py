"""Runs a script with the small track in place: `python -m tests.small_command rescore ARGUMENTS`."""

import importlib
import sys

import pytest

from benchmark.commands import run
from tests.small_suite import with_small_track

if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as patch:
        with_small_track(patch)
        run(importlib.import_module(f"scripts.{sys.argv[1]}").main, sys.argv[2:])
