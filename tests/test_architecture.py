"""The house rules hold over the whole tree, and each of them can fail."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from benchmark.entries import list_entries
from tests import architecture
from tests.architecture import Module, Rule, read_modules

ROOT = Path(__file__).resolve().parents[1]

LEVELS = (
    ("benchmark", "errors", "text", "training", "provided"),
    ("records", "stored"),
    ("seeds",),
    ("data", "models", "measures"),
    ("metrics",),
    ("tracks", "lab"),
    ("descriptor", "source_check", "entry_files", "isolation", "summary", "results", "gallery"),
    ("entries", "digests", "machine", "choose", "laboratory", "requirements", "fresh", "determinism"),
    ("contributions", "audit", "scaffold", "fingerprint", "gaps", "verified"),
    ("scorer", "ranking", "storage"),
    ("report", "pages", "commands", "fresh_run"),
    ("pipeline",),
    ("scripts",),
    ("perf",),
)
"""Every part of the house; a part imports only from the lines above its own."""

OURS = ("benchmark", "scripts", "perf")
MAINTAINERS = ("Shortcut Leaderboard maintainers",)
REFERENCE = tuple(
    f"contrib/{entry.id}" for entry in list_entries(ROOT / "contrib") if entry.authors == MAINTAINERS
)
"""The reference entries; a contributor's own style is no concern of ours."""
EVERYWHERE = (*OURS, *REFERENCE, "tests")


def levels_hold(modules: Sequence[Module]) -> Iterator[str]:
    """A module imports only from the levels before its own."""
    return architecture.levels_hold(modules, LEVELS)


RULES: dict[Rule, tuple[str, ...]] = {
    levels_hold: OURS,
    architecture.no_cycles: OURS,
    architecture.no_late_imports: OURS,
    architecture.inits_are_empty: OURS,
    architecture.worker_stands_alone: OURS,
    architecture.entries_import_nothing: ("benchmark", "contrib"),
    architecture.files_are_short: EVERYWHERE,
    architecture.functions_are_short: EVERYWHERE,
    architecture.parameters_are_few: (*OURS, *REFERENCE),
    architecture.public_names_have_docstrings: OURS,
    architecture.fields_have_docstrings: EVERYWHERE,
}
"""Each rule, and the folders it holds in."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule_holds(rule: Rule) -> None:
    modules = read_modules(ROOT, *RULES[rule])
    faults = list(rule(modules))
    assert modules
    assert not faults, "\n".join(["", *faults])


LONG_FILE = '"""Long."""\n' + "x = 1\n" * 400
LONG_BODY = "def f() -> None:\n" + "    x = 1\n" * 41
OPTIONS = ", ".join(f"{name}: Annotated[int, typer.Option()]" for name in "abcdef")

BROKEN = {
    "level too high": (
        levels_hold,
        {"benchmark/records.py": "from benchmark.metrics import METRICS", "benchmark/metrics.py": ""},
        "benchmark/records.py:1: records imports benchmark.metrics, expected only levels",
    ),
    "same level": (
        levels_hold,
        {"benchmark/models/cnn.py": "import benchmark.data.made", "benchmark/data/made.py": ""},
        "benchmark/models/cnn.py:1: models imports benchmark.data.made, expected only levels",
    ),
    "relative": (
        levels_hold,
        {"benchmark/tracks/a.py": "from ..scorer import score", "benchmark/scorer.py": ""},
        "benchmark/tracks/a.py:1: tracks imports benchmark.scorer, expected only levels",
    ),
    "no level": (levels_hold, {"benchmark/stray.py": ""}, "benchmark/stray.py: stray has no level"),
    "cycle": (
        architecture.no_cycles,
        {
            "benchmark/data/__init__.py": "from benchmark.data import a",
            "benchmark/data/a.py": "from benchmark.data.b import B",
            "benchmark/data/b.py": "from benchmark.data import X",
        },
        "import cycle: benchmark.data",
    ),
    "late import": (
        architecture.no_late_imports,
        {"benchmark/a.py": "def f():\n    from benchmark import b", "benchmark/b.py": ""},
        "benchmark/a.py:2: late import of benchmark.b",
    ),
    "code in __init__": (
        architecture.inits_are_empty,
        {"benchmark/__init__.py": '"""Ours."""\nprint(1)'},
        "benchmark/__init__.py: expected a docstring or one literal table",
    ),
    "re-export": (
        architecture.inits_are_empty,
        {"benchmark/__init__.py": "from benchmark.a import A, B\n\nTABLE = {1: A}"},
        "benchmark/__init__.py:1: expected a docstring or one literal table with its imports, got B",
    ),
    "worker": (
        architecture.worker_stands_alone,
        {"benchmark/isolation/worker.py": "import json\nimport numpy.linalg\nimport scipy"},
        "benchmark/isolation/worker.py:3: the worker runs alone, yet imports scipy",
    ),
    "entry": (
        architecture.entries_import_nothing,
        {
            "contrib/mine/method.py": "from benchmark.models import make_cnn\nfrom benchmark import seeds",
            "benchmark/seeds.py": "",
        },
        "contrib/mine/method.py:2: an entry imports benchmark;",
    ),
    "long file": (
        architecture.files_are_short,
        {"a.py": LONG_FILE},
        "a.py: expected at most 400 lines, got 401",
    ),
    "long body": (
        architecture.functions_are_short,
        {"a.py": LONG_BODY},
        "a.py:1: expected a body of at most 40 lines, f has 41",
    ),
    "many parameters": (
        architecture.parameters_are_few,
        {"a.py": f"class A:\n    def f(self, a, b, /, c, d, *rest, e): ...\ndef g({OPTIONS}): ..."},
        "a.py:2: expected at most 5 parameters, f has 6",
    ),
    "no docstring in a method": (
        architecture.public_names_have_docstrings,
        {"a.py": '"""A."""\nclass A:\n    """A."""\n    def f(self): ...\n    def _g(self): ...'},
        "a.py:4: expected a docstring in f",
    ),
    "no docstring in a module": (
        architecture.public_names_have_docstrings,
        {"a.py": "x = 1"},
        "a.py: expected a docstring at the top",
    ),
    "no docstring under a field": (
        architecture.fields_have_docstrings,
        {"a.py": '@dataclass(frozen=True)\nclass A:\n    b: int\n    """B."""\n    c: int = 0'},
        "a.py:5: expected a docstring under A.c",
    ),
    "not frozen": (
        architecture.fields_have_docstrings,
        {"a.py": '@dataclass\nclass A:\n    b: int\n    """B."""'},
        "a.py:2: expected a frozen dataclass, A is not",
    ),
}
"""A tree that breaks one rule in one place: the rule, its files, and how the one fault begins."""


@pytest.mark.parametrize(("rule", "files", "begins"), BROKEN.values(), ids=BROKEN)
def test_rule_can_fail(rule: Rule, files: dict[str, str], begins: str, tmp_path: Path) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (fault,) = rule(read_modules(tmp_path, "."))
    assert fault.startswith(begins)


def test_every_rule_is_proved_to_fail() -> None:
    assert {rule for rule, _, _ in BROKEN.values()} == set(RULES)


SHARED_BY_TRACKS = (
    "scorer",
    "ranking",
    "summary",
    "contributions",
    "digests",
    "audit",
    "storage",
    "gallery",
    "report",
    "results",
)


def test_nothing_beyond_a_tracks_own_files_knows_a_track() -> None:
    files = [ROOT / "benchmark" / f"{name}.py" for name in SHARED_BY_TRACKS]
    files += [*ROOT.glob("benchmark/pages/*.py"), *ROOT.glob("benchmark/isolation/*.py")]
    files += [*ROOT.glob("scripts/*.py"), *ROOT.glob("templates/**/*.j2")]
    assert len(files) > 40
    own = ("embedding_detection", "embedding_mitigation", "image_detection", "image_mitigation")
    words = [*own, *(name.replace("_", "-") for name in own), "tracks.mitigation", "pointing_game"]
    known = [(path.name, word) for path in files for word in words if word in path.read_text("utf-8")]
    assert known == []
