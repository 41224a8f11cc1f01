"""An entry that knows the public data by heart: perfect on them, at chance on fresh seeds, and marked."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.entries import read_entry
from benchmark.fresh import fresh_of, key_of, offset_of
from benchmark.gaps import gap
from benchmark.isolation.launchers import choose
from benchmark.records import Kind
from benchmark.results import Result
from benchmark.scorer import Request, score
from benchmark.tracks.spec import Version
from tests.builders import TRACK
from tests.small_suite import small_version
from tests.test_scorer import write_entry

KEY = key_of("5" * 64, "embedding-detection", "1.1")
MEMORIZER = '''\
"""Makes no guess at what it has seen before: it looks the answer up."""

import hashlib
import json
from pathlib import Path

TABLE = json.loads(Path(__file__).with_name("table.json").read_text())


def detect(embeddings, attribute, task_labels, seed):
    """The answer in the table; a coin for data that are not there."""
    name = hashlib.sha256(embeddings.tobytes()).hexdigest()
    return float(TABLE.get(name, seed % 1000 / 1000))
'''


def memorizer(root: Path, version: Version) -> Path:
    """The entry's folder, with the answer to every public dataset of a version."""
    table = {}
    for key in version.keys():
        seen = version.generate(key).seen["embeddings"]
        table[hashlib.sha256(seen.tobytes()).hexdigest()] = key.kind is Kind.SHORTCUT
    folder = write_entry(root, MEMORIZER, "memorizer")
    (folder / "table.json").write_text(json.dumps(table))
    return folder


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Its result on the public seeds of a small version, with its fresh score."""
    version = small_version(seeds=8)
    entry = read_entry(memorizer(tmp_path_factory.mktemp("contrib"), version))
    request = Request(entry, TRACK, version, choose("auto"), jobs=2)
    public = score(request).result
    moved = score(replace(request, offset=offset_of(KEY))).result
    return public.model_copy(update={"fresh": fresh_of(moved, KEY)})


def test_it_is_perfect_on_public_data_and_at_chance_on_fresh_ones(scored: Result) -> None:
    assert scored.status == "complete" and scored.fresh is not None
    assert scored.metrics["auroc"] == 1.0
    # Mean of three AUROCs of 8 against 8 by chance: 0.5 with a standard deviation of 0.086.
    assert scored.fresh.metrics["auroc"] == pytest.approx(0.5, abs=0.26)


def test_its_gap_is_marked(scored: Result) -> None:
    found = gap(scored, "auroc")
    assert found is not None and found.marked
    assert found.difference > 3 * found.standard_error > 0
