"""Keys of fresh seeds: where they come from, what they make, and that nobody else sees them."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmark import fresh, stored
from benchmark.commands import ROOT
from benchmark.errors import ResultError, UsageError
from benchmark.fresh import Commitments
from benchmark.records import Judgement
from benchmark.results import Fresh, Row, row_of
from benchmark.seeds import arrays_digest
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Track
from tests.builders import CURRENT, outcome, result

MASTER = "0123456789abcdef" * 4
KEY = fresh.key_of(MASTER, "embedding-detection", "1.2")
Content = dict[str, Any]


def hmac_by_hand(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA256 as RFC 2104 writes it, for a key shorter than a block."""
    padded = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in padded) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in padded) + inner).digest()


def commitments(*keys: fresh.Commitment) -> Commitments:
    return Commitments(schema=1, track="embedding-detection", version="1.2", keys=list(keys))


def written(
    root: Path, found: Commitments, change: Callable[[Content], object] = lambda content: None
) -> Path:
    place = fresh.place_of(root, "embedding-detection", "1.2")
    stored.write(found, place)
    content = json.loads(place.read_text())
    change(content)
    place.write_text(json.dumps(content))
    return place


def test_a_version_has_a_key_of_its_own_and_a_key_an_offset() -> None:
    expected = hmac_by_hand(bytes.fromhex(MASTER), b"key of embedding-detection/1.2")
    assert expected.hex() == KEY
    assert fresh.sha256_of(KEY) == hashlib.sha256(expected).hexdigest()
    assert fresh.key_of(MASTER, "embedding-detection", "1.0") != KEY
    drawn = int.from_bytes(hmac_by_hand(expected, b"seed offset")[:16], "big")
    assert fresh.offset_of(KEY) == 2**32 + drawn


def test_a_fresh_seed_is_no_public_one_and_fits_a_case_and_a_row() -> None:
    offset = fresh.offset_of("0" * 64)
    assert offset > 2**31  # the largest that --seed-offset takes
    key = CURRENT.keys("quick", offset)[3]
    row = row_of(outcome(key, Judgement(score=1.0)))
    assert Row.model_validate_json(row.model_dump_json()).seed == key.seed == 1_000_000 * offset + 1
    case, public = CURRENT.generate(key), CURRENT.generate(CURRENT.keys("quick")[3])
    assert case.seen["embeddings"].shape == public.seen["embeddings"].shape
    assert not (case.seen["embeddings"] == public.seen["embeddings"]).any()


@pytest.mark.parametrize("track", TRACKS.values(), ids=lambda track: track.key)
def test_every_track_makes_data_from_a_fresh_seed(track: Track) -> None:
    public, moved = (track.current.keys("quick", offset)[0] for offset in (0, fresh.offset_of(KEY)))
    case, known = track.current.generate(moved), track.current.generate(public)
    assert case.kind is known.kind and case.seen.keys() == known.seen.keys()
    assert arrays_digest(case.seen) != arrays_digest(known.seen)


WITHDRAWS = """\
import os, subprocess, sys
from pathlib import Path
from benchmark.fresh import VARIABLE, withdrawn

key = withdrawn()
child = "import os; print(os.environ); print(open('/proc/self/environ').read())"
seen = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=True).stdout
own = Path("/proc/self/environ").read_text() if Path("/proc/self/environ").exists() else ""
print(len(key), key in seen, key in own, VARIABLE in seen, VARIABLE in os.environ, withdrawn())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_key_is_gone_from_the_environment_and_from_proc() -> None:
    environment = {**os.environ, fresh.VARIABLE: MASTER}
    command = [sys.executable, "-c", WITHDRAWS]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=True)
    assert ran.stdout.split() == ["64", "False", "False", "False", "False", "None"]


@pytest.mark.parametrize("text", ["abc", MASTER + "\n", MASTER.upper()])
def test_what_is_no_key_is_refused_and_not_shown(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(fresh.VARIABLE, text)
    with pytest.raises(UsageError, match="expected 64 digits") as refused:
        fresh.withdrawn()
    assert text not in str(refused.value)
    assert fresh.VARIABLE not in os.environ


def test_an_empty_variable_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(fresh.VARIABLE, "")
    assert fresh.withdrawn() is None


def test_the_key_of_new_scores_is_the_revealed_one_or_comes_from_the_master() -> None:
    hidden = fresh.secret(KEY, "a label")
    assert fresh.current_key(commitments(hidden), MASTER) == KEY
    with pytest.raises(UsageError, match="got nothing; a maintainer sets it"):
        fresh.current_key(commitments(hidden), None)
    with pytest.raises(UsageError, match="got another"):
        fresh.current_key(commitments(hidden), "f" * 64)
    assert fresh.current_key(commitments(fresh.revealed(hidden, KEY)), None) == KEY
    newer = fresh.secret("1" * 64, "a label")
    with pytest.raises(UsageError, match=newer.key_sha256):
        fresh.current_key(commitments(fresh.revealed(hidden, KEY), newer), None)


def test_only_the_key_itself_is_revealed() -> None:
    with pytest.raises(UsageError, match="got another"):
        fresh.revealed(fresh.secret(KEY, "a label"), "1" * 64)


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    found = commitments(fresh.revealed(fresh.secret(KEY, "old"), KEY), fresh.secret("1" * 64, "new"))
    place = written(tmp_path, found)
    assert fresh.load(place) == found
    assert "1" * 64 not in place.read_text()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c: c["keys"][0].update(key="1" * 64), "keys.0.key: expected a key with hash"),
        (lambda c: c["keys"][0].update(key=None), "keys.0.revealed_at: expected a time exactly when"),
        (lambda c: c["keys"][0].update(revealed_at=None), "keys.0.revealed_at: expected a time exactly"),
        (lambda c: c["keys"].append(c["keys"][0]), "keys: expected each key once, got one twice"),
        (lambda c: c.update(keys=[]), "keys: expected list should have at least 1 item"),
        (lambda c: c.update(version="1.0"), "expected the keys of embedding-detection 1.2, got those of"),
        (lambda c: c["keys"][0].update(key_sha256="x"), "keys.0.key_sha256"),
        (lambda c: c["keys"][0].update(note="x"), "keys.0.note: expected only the fields of its schema"),
        (lambda c: c["keys"][0].update(committed_at="2026-01-01T00:00:00+02:00"), "a time in UTC"),
    ],
)
def test_a_file_that_is_not_right_is_refused_with_its_name_and_fault(
    tmp_path: Path, change: Callable[[Content], object], said: str
) -> None:
    place = written(tmp_path, commitments(fresh.revealed(fresh.secret(KEY, "a label"), KEY)), change)
    with pytest.raises(ResultError) as refused:
        fresh.load(place)
    assert said in str(refused.value)
    assert all(fault.startswith(str(place)) for fault in refused.value.faults)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match=r"nowhere\.json: expected the hashes of the version's keys"):
        fresh.load(tmp_path / "nowhere.json")


def test_a_fresh_score_holds_metrics_and_no_seed() -> None:
    moved = result().model_copy(update={"seed_offset": fresh.offset_of(KEY)})
    environment = moved.environment.model_copy(update={"fingerprint": "d" * 64})
    found = fresh.fresh_of(moved.model_copy(update={"environment": environment}), KEY)
    assert set(found.model_dump()) == {"key_sha256", "metrics", "reasons", "intervals", "fingerprint"}
    assert found.metrics == result().metrics and found.intervals == result().intervals
    text = stored.canonical_text(found)
    assert KEY not in text and str(fresh.offset_of(KEY)) not in text
    assert Fresh.model_validate_json(text) == found
