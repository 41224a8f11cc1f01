"""Stub."""

from pathlib import Path


def installed(requirements: Path, cache: Path) -> Path | None:
    """None."""
    return None
