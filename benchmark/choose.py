"""Tracks and versions as a user names them: KEY or KEY@VERSION."""

from collections.abc import Iterable

from benchmark.errors import UsageError, raise_all
from benchmark.text import did_you_mean
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Track, Version

Selection = tuple[Track, Version]


def selections(names: Iterable[str], allowed: Iterable[str]) -> list[Selection]:
    """The tracks and versions that `names` say, KEY meaning the current version.

    allowed: the keys that may be named. Raises UsageError with the fault of every wrong name.
    """
    known = tuple(allowed)
    found = [_selection(name, known) for name in dict.fromkeys(names)]
    raise_all(UsageError, (fault for fault in found if isinstance(fault, str)))
    return [pair for pair in found if not isinstance(pair, str)]


def _selection(name: str, allowed: tuple[str, ...]) -> Selection | str:
    """The track and version of a name, or the fault in it."""
    key, _, number = name.partition("@")
    track = TRACKS.get(key)
    if track is None or key not in allowed:
        return f"--track: expected {' or '.join(allowed)}, got {key!r}; {did_you_mean(key, allowed)}"
    if "@" not in name:
        return track, track.current
    for version in track.versions:
        if version.number == number:
            return track, version
    known = ", ".join(f"{key}@{version.number}" for version in track.versions)
    return f"--track: expected one of {known}, got {name!r}; choose one of them"
