"""What a second job brings: the full suite of an entry with one job against two, in turn.

Run: .venv/bin/python perf/jobs.py [--pairs N] [ENTRY]
"""

import argparse
import time
from pathlib import Path
from statistics import median

from benchmark.commands import ROOT
from benchmark.entries import read_entry
from benchmark.isolation.launchers import choose
from benchmark.scorer import Request, score
from benchmark.tracks import TRACKS


def seconds(folder: Path, jobs: int) -> float:
    """Seconds of the full suite with so many jobs, start and imports included."""
    track = TRACKS["embedding-detection"]
    start = time.perf_counter()
    score(Request(read_entry(folder), track, track.current, choose("auto"), jobs=jobs))
    return time.perf_counter() - start


def main() -> None:
    """Prints the medians of both and of their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entry", nargs="?", default="random_forest_probe")
    parser.add_argument("--pairs", type=int, default=3)
    options = parser.parse_args()
    folder = ROOT / "contrib" / options.entry
    one, two = [], []
    for _ in range(options.pairs):
        one.append(seconds(folder, 1))
        two.append(seconds(folder, 2))
    ratio = median(a / b for a, b in zip(one, two, strict=True))
    both = f"1 job {median(one):.1f} s, 2 jobs {median(two):.1f} s"
    print(f"{options.entry}: {both}, {ratio:.2f} times faster")


if __name__ == "__main__":
    main()
