"""What a result records of the machine that made it."""

import platform
import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path

from benchmark.isolation.launchers import Launcher
from benchmark.results import Environment

PACKAGES = ("numpy", "scipy", "scikit-learn", "torch")
"""The packages entries compute with."""
REPOSITORY = Path(__file__).resolve().parent.parent
"""The folder of the checkout."""
CACHE = REPOSITORY / ".cache"
"""The folder of what can be made again: trained models, and the packages of entries."""


def environment(launcher: Launcher, fingerprint: str) -> Environment:
    """The environment block of a result made with `launcher` on this machine, of that fingerprint, now."""
    return Environment(
        commit=_commit(),
        python=platform.python_version(),
        packages={name: version(name) for name in PACKAGES},
        cpu=cpu(),
        isa=launcher.numeric_class,
        isolation=launcher.name,
        fingerprint=fingerprint,
    )


def _commit() -> str | None:
    """The checkout's commit, `+` behind it when files other than results differ; None outside a checkout."""
    try:
        head = _git("rev-parse", "HEAD")
        return head + ("+" if _git("status", "--porcelain", "--", ".", ":(exclude)results") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(REPOSITORY), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@cache
def cpu() -> str:
    """The processor's model name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
