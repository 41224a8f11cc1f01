"""Fresh seeds: made from a key whose hash is published first, and the key itself when nothing hangs on it.

One master key is kept as a secret. Every version of a track has a key of its own made from it, so that
revealing one tells nothing of another.
"""

import ctypes
import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from benchmark import stored
from benchmark.errors import ResultError, UsageError, raise_all
from benchmark.results import Fresh, Result
from benchmark.stored import Moment, Record, Sha256
from benchmark.text import fault

VARIABLE = "LEADERBOARD_FRESH_KEY"
"""The environment variable that holds the master key."""
FILE_NAME = "fresh.json"
"""The file of a version's commitments, in `results/<track>/<version>/`."""
KEY = re.compile(r"[0-9a-f]{64}")
PUBLIC_OFFSETS = 2**32
"""Above every offset that `--seed-offset` takes, so that fresh seeds are never public ones."""
AGAIN = "see scripts/fresh.py --help"
"""What mends a fresh.json that is not valid."""

LABEL = 200
"""How many characters a key's label may have."""

Key = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Commitment(Record):
    """One key of a version: its hash, and once it is revealed the key."""

    key_sha256: Sha256
    """The SHA-256 of the key's 32 bytes."""
    key: Key | None
    """The key in hex; null while it is a secret."""
    label: Annotated[str, Field(min_length=1, max_length=LABEL)]
    """What a reader should know of it, in one line."""
    committed_at: Moment
    """When its hash was written, ISO 8601 in UTC."""
    revealed_at: Moment | None
    """When the key was; null while it is a secret."""


class Commitments(Record):
    """The keys of one version of one track."""

    schema_: Literal[1] = Field(alias="schema")
    """The layout's version."""
    track: str
    """The track's key."""
    version: str
    """The track's version."""
    keys: Annotated[list[Commitment], Field(min_length=1)]
    """Oldest first; the last one makes the seeds of new fresh scores."""

    @property
    def current(self) -> Commitment:
        """The key that new fresh scores are made with."""
        return self.keys[-1]

    def of(self, key_sha256: str) -> Commitment | None:
        """The key with that hash; None when the version has none."""
        return next((key for key in self.keys if key.key_sha256 == key_sha256), None)


def withdrawn() -> str | None:
    """The master key that the environment held, and holds no longer; None when there was none.

    It is gone for this process, for all it starts, and from /proc/self/environ. Raises UsageError when it
    is no key.
    """
    _wipe(VARIABLE)
    text = os.environ.pop(VARIABLE, "")
    if text and not KEY.fullmatch(text):
        got = f"{len(text)} other characters"
        raise UsageError(fault(VARIABLE, "64 digits of 0-9 and a-f", got, "set what `fresh.py new` printed"))
    return text or None


def _wipe(name: str) -> None:
    """Overwrites a variable where the system keeps what the process was started with."""
    with suppress(OSError, AttributeError, TypeError):
        getenv = ctypes.CDLL(None).getenv
        getenv.restype = ctypes.c_void_p
        place = getenv(name.encode())
        if place:
            ctypes.memset(place, 0, len(ctypes.string_at(place)))


def new_master() -> str:
    """A new master key, 64 hex digits."""
    return secrets.token_hex(32)


def key_of(master: str, track: str, version: str) -> str:
    """The key of a track's version, 64 hex digits: HMAC-SHA256 of its name. Source: RFC 2104."""
    return _hmac(master, f"key of {track}/{version}").hex()


def sha256_of(key: str) -> str:
    """The SHA-256 of a key's bytes, in hex: what is published beforehand."""
    return hashlib.sha256(bytes.fromhex(key)).hexdigest()


def offset_of(key: str) -> int:
    """The seed offset that a version's key stands for, of 128 bits, never one that `--seed-offset` takes."""
    return PUBLIC_OFFSETS + int.from_bytes(_hmac(key, "seed offset")[:16], "big")


def _hmac(key: str, message: str) -> bytes:
    return hmac.new(bytes.fromhex(key), message.encode(), hashlib.sha256).digest()


def place_of(results: Path, track: str, version: str) -> Path:
    """Where the commitments of a version are, below a results folder."""
    return results / track / version / FILE_NAME


def load(path: Path) -> Commitments:
    """The commitments in the file at `path`, every revealed key checked against its hash.

    Raises ResultError with all faults: of the file, of its fields, of its keys.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        got = error.strerror or "an error"
        raise ResultError(fault(path, "the hashes of the version's keys", got, AGAIN)) from None
    found = stored.read(Commitments, content, str(path), AGAIN)
    raise_all(ResultError, _faults(found, path))
    return found


def _faults(found: Commitments, path: Path) -> Iterator[str]:
    if path.parts[-3:-1] != (found.track, found.version):
        got = f"{found.track} {found.version}"
        yield fault(path, f"the keys of {' '.join(path.parts[-3:-1])}", f"those of {got}", "move the file")
    if len({key.key_sha256 for key in found.keys}) < len(found.keys):
        yield fault(f"{path}: keys", "each key once", "one twice", AGAIN)
    for number, key in enumerate(found.keys):
        where = f"{path}: keys.{number}"
        if (key.key is None) != (key.revealed_at is None):
            yield fault(f"{where}.revealed_at", "a time exactly when the key is there", "another", AGAIN)
        if key.key is not None and sha256_of(key.key) != key.key_sha256:
            yield fault(f"{where}.key", f"a key with hash {key.key_sha256}", "another", AGAIN)


def current_key(found: Commitments, master: str | None) -> str:
    """The key that new fresh scores of a version are made with: the revealed one, or what the master gives.

    Raises UsageError when the version's last key is a secret and the master is not there or not its own.
    """
    commitment = found.current
    if commitment.key is not None:
        return commitment.key
    wanted = f"the key behind the hash {commitment.key_sha256} of {found.track} {found.version}"
    if master is None:
        raise UsageError(fault(VARIABLE, wanted, "nothing", "a maintainer sets it as a secret variable"))
    key = key_of(master, found.track, found.version)
    if sha256_of(key) != commitment.key_sha256:
        raise UsageError(fault(VARIABLE, wanted, "another", "set what `fresh.py new` printed"))
    return key


def secret(key: str, label: str) -> Commitment:
    """The commitment to a key that is to stay a secret for now."""
    return Commitment(key_sha256=sha256_of(key), key=None, label=label, committed_at=_now(), revealed_at=None)


def revealed(commitment: Commitment, key: str) -> Commitment:
    """The commitment with its key beside it. Raises UsageError when the key is another one."""
    if sha256_of(key) != commitment.key_sha256:
        raise UsageError(
            fault(
                VARIABLE, f"the key with hash {commitment.key_sha256}", "another", "set the one it came from"
            )
        )
    return commitment.model_copy(update={"key": key, "revealed_at": _now()})


def faults_of(result: Result, path: Path) -> Iterator[str]:
    """What is wrong with the fresh score of the result at `path`: it names no key of its version."""
    if result.fresh is None:
        return
    try:
        known = load(path.absolute().parents[1] / FILE_NAME)
    except ResultError as error:
        yield from error.faults
        return
    if (known.track, known.version) != (result.track, result.version):
        got = f"{result.track} {result.version}"
        yield fault(f"{path}: fresh", f"a score on {known.track} {known.version}", f"one on {got}", "move it")
    if known.of(result.fresh.key_sha256) is None:
        hashes = " or ".join(key.key_sha256 for key in known.keys)
        yield fault(f"{path}: fresh.key_sha256", hashes, result.fresh.key_sha256, "score it with --fresh")


def is_old(result: Result, path: Path) -> bool:
    """Whether the fresh score of the valid result at `path` is of another key than new ones are."""
    if result.fresh is None:
        return False
    return load(path.absolute().parents[1] / FILE_NAME).current.key_sha256 != result.fresh.key_sha256


def fresh_of(result: Result, key: str) -> Fresh:
    """What may be told of a result that was made on the seeds of `key`: no rows, no times, no seeds."""
    assert result.environment.fingerprint is not None
    return Fresh(
        key_sha256=sha256_of(key),
        metrics=result.metrics,
        reasons=result.reasons,
        intervals=result.intervals,
        fingerprint=result.environment.fingerprint,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
