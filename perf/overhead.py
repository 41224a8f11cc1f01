"""What isolation costs: the full suite scored, against a bare loop over the same cases and metrics.

The bare loop runs in one process with the numeric environment of the workers, and counts data, calls,
metrics and intervals, but no imports, as a notebook would. Pairs are run in turn; the ratio of each pair
is taken, and medians printed.

Run: .venv/bin/python perf/overhead.py [--pairs N] [--isolation bwrap|process]
"""

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmark.commands import ROOT
from benchmark.entries import read_entry
from benchmark.isolation.launchers import choose, numeric_environment
from benchmark.records import Judgement, Outcome, Status
from benchmark.scorer import Request, score
from benchmark.seeds import entry_seed
from benchmark.summary import intervals, values
from benchmark.tracks import TRACKS

TRACK = TRACKS["embedding-detection"]
INSTANT = "def detect(embeddings, attribute, task_labels, seed):\n    return seed / 2**31\n"
DESCRIPTOR = (
    'title = "Instant"\nsummary = "Returns at once."\nauthors = ["Nobody"]\nlicense = "MIT"\n'
    'tracks = ["embedding-detection"]\nkind = "control"\nfamily = "none"\n'
)


def bare(folder: Path) -> float:
    """Seconds of a plain loop over the full suite, in this process."""
    spec = importlib.util.spec_from_file_location("method", folder / "method.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    start = time.perf_counter()
    outcomes = []
    for key in TRACK.current.keys():
        case = TRACK.current.generate(key)
        answer = module.detect(**case.seen, seed=entry_seed(case.seen))
        judgement = Judgement(**answer) if isinstance(answer, dict) else Judgement(float(answer))
        outcomes.append(Outcome(key, case.kind, Status.OK, judgement=judgement))
    values(TRACK.current, outcomes)
    intervals(TRACK.current, outcomes)
    return time.perf_counter() - start


def bare_apart(folder: Path) -> float:
    """`bare` in a new process with the workers' numeric environment."""
    command = [sys.executable, __file__, "--bare", str(folder)]
    environment = {**os.environ, **numeric_environment(), "PYTHONPATH": str(ROOT)}
    return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def isolated(folder: Path, isolation: str) -> float:
    """Seconds of the scorer over the same suite, one case at a time, start and imports included."""
    start = time.perf_counter()
    score(Request(read_entry(folder), TRACK, TRACK.current, choose(isolation)))
    return time.perf_counter() - start


def compare(name: str, folder: Path, isolation: str, pairs: int) -> None:
    """Prints the medians of both ways and of their ratio."""
    alone, apart = [], []
    for _ in range(pairs):
        alone.append(bare_apart(folder))
        apart.append(isolated(folder, isolation))
    ratio = median(b / a for a, b in zip(alone, apart, strict=True))
    cases = len(TRACK.current.keys())
    extra = median(b - a for a, b in zip(alone, apart, strict=True)) / cases * 1000
    print(
        f"{name:34} bare {median(alone):7.2f} s, {isolation} {median(apart):7.2f} s, ratio {ratio:6.3f}, "
        f"{extra:6.1f} ms more a case, start and imports included",
        flush=True,
    )


def main() -> None:
    """Compares entries that return at once, and one that works."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--isolation", default="bwrap")
    parser.add_argument("--bare", type=Path)
    options = parser.parse_args()
    if options.bare:
        print(bare(options.bare))
        return
    with tempfile.TemporaryDirectory() as root:
        for name, imports in (
            ("instant", ""),
            ("instant with scikit-learn", "import sklearn.linear_model\n"),
            ("instant with torch", "import torch\n"),
        ):
            folder = Path(root) / name.replace(" ", "_").replace("-", "_")
            folder.mkdir()
            (folder / "method.py").write_text(imports + INSTANT)
            (folder / "entry.toml").write_text(DESCRIPTOR)
            compare(name, folder, options.isolation, options.pairs)
    compare("conditional_probe", ROOT / "contrib" / "conditional_probe", options.isolation, options.pairs)


if __name__ == "__main__":
    main()
