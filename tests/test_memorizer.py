"""An entry that knows the public data by heart: perfect on them, at chance on fresh seeds, and marked."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.commands import ROOT
from benchmark.entries import read_entry
from benchmark.fresh import fresh_of, key_of, offset_of
from benchmark.gaps import gap
from benchmark.isolation.launchers import choose
from benchmark.results import Result
from benchmark.scorer import Request, score
from tests.builders import TRACK
from tests.small_suite import small_version
from tests.test_scorer import write_entry

KEY = key_of("5" * 64, "embedding-detection", "1.2")
MEMORIZER = '''\
"""Guesses nothing: makes the public datasets again when it is imported, and looks the answer up."""

import hashlib

from conditional_synthetic import Recipe, generate_conditional_synthetic
from seeds import generator

SEEDS = 8


def name_of(embeddings):
    return hashlib.sha256(embeddings.tobytes()).hexdigest()


def made(variant, delta, seed):
    key = ("embedding-detection", variant, delta)
    recipe = Recipe(variant=variant, delta=delta, rho=0.7, n=600, decimals=6)
    rows, columns = generator(*key, "rows", seed), generator(*key, "columns", seed)
    return generate_conditional_synthetic(recipe, rows, columns).embeddings


TABLE = {
    name_of(made(variant, delta, seed)): delta
    for variant in ("linear", "xor", "variance")
    for delta in (0.0, 1.0)
    for seed in range(SEEDS)
}


def detect(embeddings, attribute, task_labels, seed):
    """The strength in the table; a coin for data that are not there."""
    return TABLE.get(name_of(embeddings), seed % 1000 / 1000)
'''
COPIED = ("records.py", "seeds.py", "data/conditional_synthetic.py")
"""The files of `benchmark/` that make the data, which anyone can copy."""


def memorizer(root: Path) -> Path:
    """The entry's folder, with its own copy of what makes the data."""
    folder = write_entry(root, MEMORIZER, "memorizer")
    for name in COPIED:
        source = (ROOT / "benchmark" / name).read_text(encoding="utf-8")
        (folder / Path(name).name).write_text(source.replace("from benchmark.", "from "), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Its result on the public seeds of a small version, with its fresh score."""
    version = small_version(seeds=8)
    entry = read_entry(memorizer(tmp_path_factory.mktemp("contrib")))
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
