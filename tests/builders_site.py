"""A small repository with made-up entries and results, to build a site from."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from benchmark import gallery
from benchmark.data.patched_bars import patch_slices
from benchmark.entries import read_entry
from benchmark.records import Arrays, CaseKey, Judgement, Kind, Outcome
from benchmark.results import Result, save
from benchmark.seeds import generator
from benchmark.tracks import TRACKS
from benchmark.tracks.figures import FIGURES
from benchmark.tracks.pointing import near_patch
from benchmark.tracks.spec import Track, Version
from tests.builders import TRACK, failure, outcome, result

SOURCE = Path(__file__).resolve().parents[1]
RANGES: Mapping[str, tuple[float, float]] = {
    "patched": (180, 220),
    "hits": (0, 180),
    "worst_group_acc": (0.2, 0.8),
    "mean_acc": (0.6, 0.9),
    "erm_worst_group_acc": (0.3, 0.4),
    "leakage_auroc": (1.0, 0.5),
}
"""The value of a figure for the least and for the greatest skill; 0 and 1 where nothing is said."""


@dataclass(frozen=True)
class Made:
    """A made-up entry."""

    id: str
    """Its id."""
    title: str
    """Its name."""
    skill: tuple[float, ...] = (1.0, 1.0, 1.0)
    """How far its answers rise with the strength, for each variant; the last one for all others."""
    flag: str = "calm"
    """`calm`, `eager` or `none`."""
    track: Track = TRACK
    """The track it takes part in."""
    versions: tuple[str, ...] = ("1.0", "1.1", "1.2")
    """The versions it has results under."""
    fails: bool = False
    """Whether its first case crashes."""
    plain: bool = False
    """Whether it gives none of the optional figures, and so no pictures."""
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


def further_entries(track: Track) -> tuple[Made, ...]:
    """Made-up entries of another track: good and bad ones, a control, an incomplete one, a plain one."""
    short = "".join(word[0] for word in track.key.split("-"))
    control: dict[str, object] = {"kind": "control", "family": "floor"}
    return tuple(
        replace(made, id=f"{short}_{made.id}", track=track, versions=(track.version,))
        for made in (
            Made("best", "Best of its kind", (8.0,)),
            Made("second", "Second with a rather long name", (7.5,), "none"),
            Made("third", "Third", (5.0,)),
            Made("fourth", "Fourth", (3.0,), "eager"),
            Made("fifth", "Fifth", (2.0,)),
            Made("sixth", "Sixth", (1.0,)),
            Made("plain", "Plain", (4.0,), "none", plain=True),
            Made("floor", "Floor", (0.0,), toml=control),
            Made("flaky", "Flaky", (1.0,), fails=True),
        )
    )


def all_entries() -> tuple[Made, ...]:
    """Made-up entries of every track."""
    return ENTRIES + tuple(
        made for track in TRACKS.values() if track is not TRACK for made in further_entries(track)
    )


def repository(root: Path, entries: tuple[Made, ...] = ENTRIES) -> Path:
    """A repository at `root` with this one's pages and templates and with `entries` and their results."""
    for name in ("site", "templates"):
        shutil.copytree(SOURCE / name, root / name, ignore=shutil.ignore_patterns("leaderboard", ".*"))
    for name in ("mkdocs.yml", "CHANGELOG.md", "CITATION.cff"):
        shutil.copy(SOURCE / name, root)
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
        "tracks": [made.track.key],
        "kind": "method",
        "family": "test",
        **made.toml,
    }
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in described.items()]
    (folder / "entry.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    signature = made.track.signature
    method = f"def {signature.name}({', '.join(signature.arguments)}):\n    return 0.0\n"
    (folder / "method.py").write_text(method, encoding="utf-8")
    digest = read_entry(folder).digest
    for version in made.track.versions:
        if version.number in made.versions:
            rows = answers(made, version)
            _save(result(made.id, rows, version), rows, digest, root / "results")


def _save(found: Result, rows: list[Outcome], digest: str, results: Path) -> None:
    """Saves a result of the entry whose digest is `digest`, with its pictures."""
    pictures = gallery.joined(rows)
    digests = found.digests.model_copy(
        update={"entry": digest, "gallery": None if pictures is None else gallery.digest(pictures)}
    )
    save(found.model_copy(update={"digests": digests}), results / found.place)
    if pictures is not None:
        gallery.save(pictures, gallery.place_of(results / found.place))
        gallery.settle(gallery.place_of(results / found.place), gallery.digest(pictures))


def answers(made: Made, version: Version) -> list[Outcome]:
    """Outcomes whose scores and figures rise with strength as the entry's skill says."""
    random = np.random.default_rng(sum(map(ord, made.id)))
    skills = dict(zip(version.variants, made.skill, strict=False))
    rows = []
    for key in version.keys():
        truth = {name: _truth(name, key) for name in version.truth}
        kind = version.kind_of(key.kind, truth) if version.kind_of else key.kind
        skill = skills.get(key.variant, made.skill[-1])
        judgement = _judgement(made, version, float(random.normal() + skill * _pull(key, kind, version)))
        figures = truth | dict(judgement.figures)
        if "hits" in figures:
            figures["hits"] = min(figures["hits"], truth["patched"])
        pictures = _pictures(made, key, kind, truth) if "hits" in figures else {}
        rows.append(replace(outcome(key, replace(judgement, figures=figures, pictures=pictures)), kind=kind))
    if made.fails:
        rows[0] = failure(rows[0].key, reason="ValueError: <no> | rows")
    return rows


def _pull(key: CaseKey, kind: Kind, version: Version) -> float:
    """How far a case lifts the answer of an entry of skill 1: by its strength, unless truth is measured."""
    return float(kind is not Kind.NULL) if version.truth else key.strength


def _judgement(made: Made, version: Version, score: float) -> Judgement:
    """What a version asks for, all of it rising with `score`."""
    flags = {"calm": score > 1.8, "eager": score > -1.0, "none": None}
    asked = (*version.answers, *(() if made.plain else version.optional))
    names = [name for name in asked if name in FIGURES]
    share = min(max(0.1 + score / 12, 0.0), 1.0)
    return Judgement(
        score=score if "score" in asked else None,
        flag=flags[made.flag] if "flag" in asked else None,
        figures={name: _figure(name, share) for name in names},
    )


def _figure(name: str, share: float) -> float:
    low, high = RANGES.get(name, (0.0, 1.0))
    value = low + share * (high - low)
    return float(round(value)) if FIGURES[name].words or FIGURES[name].digits == 0 else value


def _truth(name: str, key: CaseKey) -> float:
    """A measured figure of a case: the same for every entry, and higher for stronger cases."""
    random = generator("made-up truth", name, key.id)
    if FIGURES[name].words:
        return float(random.integers(len(FIGURES[name].words))) if key.strength < 1 else 0.0
    return _figure(name, min(1.0, float(random.random()) * 0.4 + 0.6 * (key.strength >= 0.98)))


def _pictures(made: Made, key: CaseKey, kind: Kind, truth: Mapping[str, float]) -> Arrays:
    """Noise with a patch, and heatmaps that peak on the patch more often the better the entry is."""
    roles = [0, 0] if key.seed in (0, 2) and key.strength in (0.5, 1.0) else []
    roles += [1, 2] if kind is Kind.SHORTCUT else []
    corner = int(truth["corner"])
    shots = [_picture(made, key, corner, role, n) for n, role in enumerate(roles)]
    if not shots:
        return {}
    return {name: np.stack([shot[name] for shot in shots]) for name in shots[0]}


def _picture(made: Made, key: CaseKey, corner: int, role: int, number: int) -> Arrays:
    random = generator("made-up picture", key.id, number if role == 0 else f"{made.id} {role}")
    image = np.clip(0.5 + 0.2 * random.standard_normal((3, 32, 32)), 0, 1)
    rows, columns = patch_slices(corner)
    image[:, rows, columns] = 0.5 * image[:, rows, columns] + np.array([0.45, 0.05, 0.05])[:, None, None]
    own = generator("made-up heatmap", made.id, key.id, number)
    hits = role == 1 or (role == 0 and own.random() < made.skill[0] / 8)
    near = near_patch(corner)
    places = np.argwhere(near if hits else ~near)
    peak = places[own.integers(len(places))]
    away = np.hypot(*(np.indices((32, 32)) - peak[:, None, None]))
    heat = np.exp(-((away / 5) ** 2)) * 200 + 30 * own.random((32, 32))
    heat[tuple(peak)] = 255
    none = made.skill[0] < 2 and number == 1
    return {
        "image": np.rint(image * 255).astype(np.uint8),
        "heatmap": (heat * (not none)).astype(np.uint8),
        "peak": np.full(2, -1, dtype=np.int16) if none else peak.astype(np.int16),
        "hit": np.bool_(hits and not none),
        "row": np.int16(10 * number + 3),
        "role": np.int8(role),
        "corner": np.int8(corner),
    }
