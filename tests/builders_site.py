"""A small repository with made-up entries and results, to build a site from."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmark.entries import read_entry
from benchmark.records import CaseKey, Judgement, Kind, Outcome
from benchmark.results import save
from benchmark.tracks.spec import Version
from tests.builders import TRACK, failure, outcomes, result

SOURCE = Path(__file__).resolve().parents[1]
METHOD = "def detect(embeddings, attribute, task_labels, seed):\n    return 0.0\n"


@dataclass(frozen=True)
class Made:
    """A made-up entry."""

    id: str
    """Its id."""
    title: str
    """Its name."""
    skill: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """How far its scores rise with the strength, for each variant."""
    flag: str = "calm"
    """`calm`, `eager` or `none`."""
    versions: tuple[str, ...] = ("1.0", "1.1")
    """The versions it has results under."""
    fails: bool = False
    """Whether its first case crashes."""
    toml: Mapping[str, object] = field(default_factory=dict)
    """Keys of its entry.toml that differ from the defaults."""


ENTRIES = (
    Made("omnibus_test", "Omnibus of three tests", (9, 9, 9), toml={"family": "test"}),
    Made("quadratic_probe", "Quadratic conditional probe", (8, 7, 8), toml={"family": "probe"}),
    Made("random_forest_probe", "Random forest probe", (5, 2, 4), "none", toml={"family": "tree"}),
    Made("conditional_probe", "Conditional linear probe", (6, 0, 0), toml={"family": "probe"}),
    Made("mean_shift_test", "Mean-shift test", (6, 0, 0), toml={"family": "test"}),
    Made("variance_test", "Brown-Forsythe variance test", (0, 0, 8), toml={"family": "test"}),
    Made("marginal_probe", "Marginal probe", (6, 0, 0), "eager", toml={"family": "probe"}),
    Made("random_score", "Random score", (0, 0, 0), toml={"kind": "control", "family": "floor"}),
    Made("silent_score", "Silent score", (0, 0, 0), "none", toml={"kind": "control", "family": "floor"}),
    Made("eager_score", "Eager score", (0, 0, 0), "eager", toml={"kind": "control", "family": "floor"}),
    Made("flaky_probe", "Flaky probe", fails=True),
    Made("old_probe", "Old probe", versions=("1.0",)),
)


def repository(root: Path, entries: tuple[Made, ...] = ENTRIES) -> Path:
    """A repository at `root` with this one's pages and templates and with `entries` and their results."""
    for name in ("site", "templates"):
        shutil.copytree(SOURCE / name, root / name, ignore=shutil.ignore_patterns("leaderboard", ".*"))
    shutil.copy(SOURCE / "mkdocs.yml", root)
    (root / "contrib").mkdir()
    (root / "results").mkdir()
    for made in entries:
        _add(root, made)
    return root


def _add(root: Path, made: Made) -> None:
    folder = root / "contrib" / made.id
    folder.mkdir()
    described = {
        "title": made.title,
        "summary": f"{made.title}, made up for a test.",
        "authors": ["Some Author"],
        "license": "MIT",
        "tracks": [TRACK.key],
        "kind": "method",
        "family": "test",
        **made.toml,
    }
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in described.items()]
    (folder / "entry.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "method.py").write_text(METHOD, encoding="utf-8")
    digest = read_entry(folder).digest
    for version in TRACK.versions:
        if version.number in made.versions:
            found = result(made.id, _answers(made, version), version)
            digests = found.digests.model_copy(update={"entry": digest})
            found = found.model_copy(update={"digests": digests})
            save(found, root / "results" / found.place)


def _answers(made: Made, version: Version) -> list[Outcome]:
    """Outcomes whose scores rise with strength as the entry's skill says."""
    random = np.random.default_rng(sum(map(ord, made.id)))
    skill = dict(zip(version.variants, made.skill, strict=True))

    def answer(key: CaseKey) -> Judgement:
        score = float(random.normal() + skill[key.variant] * key.strength)
        flags = {"calm": score > 1.8, "eager": score > -1.0, "none": None}
        return Judgement(score=score, flag=flags[made.flag])

    rows = outcomes(answer, version)
    if made.fails:
        first = next(row.key for row in rows if row.kind is Kind.NULL)
        rows[0] = failure(first, reason="ValueError: <no> | rows")
    return rows
