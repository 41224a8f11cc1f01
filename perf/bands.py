"""Whether reference entries land where the calibration of embedding-detection says, on three sets of seeds.

Prints a line for each entry and seed offset: AUROC over and by variant, FPR, TPR, and whether AUROC and
FPR are in their bands. Exits with 1 when one is not.

Run: .venv/bin/python perf/bands.py [--quick] [ENTRY ...]
"""

import argparse
import os
from dataclasses import dataclass

from benchmark.commands import ROOT
from benchmark.entries import list_entries
from benchmark.isolation.launchers import choose
from benchmark.results import Result
from benchmark.scorer import Request, score
from benchmark.tracks import TRACKS

OFFSETS = (0, 1, 2)
"""The public seeds and two that nothing was chosen on."""


@dataclass(frozen=True)
class Band:
    """What the calibration says of one entry."""

    auroc: float
    """Its mean AUROC over the variants."""
    slack: float
    """How far it may be from that: 0.08 mid-table, 0.02 at the top, for chance two standard deviations."""
    fpr: tuple[float, float] | None
    """The range of its flag's FPR; None without a flag."""


NOMINAL = (0.0, 0.12)
"""90 nulls at a level of 0.05: 0.05 plus three standard errors of 0.023."""

BANDS = {
    "marginal_probe": Band(0.66, 0.08, (0.8, 1.0)),
    "conditional_probe": Band(0.66, 0.08, NOMINAL),
    "mean_shift_test": Band(0.67, 0.08, NOMINAL),
    "variance_test": Band(0.62, 0.08, NOMINAL),
    "product_test": Band(0.65, 0.08, NOMINAL),
    "omnibus_test": Band(0.99, 0.02, NOMINAL),
    "quadratic_probe": Band(0.98, 0.02, NOMINAL),
    "random_forest_probe": Band(0.89, 0.08, None),
    "energy_distance": Band(0.72, 0.08, NOMINAL),
    "random_score": Band(0.5, 0.09, NOMINAL),
}


def line(name: str, offset: int, result: Result, band: Band | None) -> tuple[str, bool]:
    """The line of one result, and whether it is in its band."""
    shown = {key: "  -  " if value is None else f"{value:.3f}" for key, value in result.metrics.items()}
    numbers = " ".join(
        shown[key] for key in ("auroc", "auroc_linear", "auroc_xor", "auroc_variance", "fpr", "tpr")
    )
    fine, verdict = True, "no band stated"
    if band is not None:
        auroc, fpr = result.metrics["auroc"], result.metrics["fpr"]
        fine = auroc is not None and abs(auroc - band.auroc) <= band.slack
        if band.fpr is not None:
            fine &= fpr is not None and band.fpr[0] <= fpr <= band.fpr[1]
        verdict = (
            f"{'in' if fine else 'OUT OF'} band {band.auroc} ± {band.slack}, FPR {band.fpr or 'not stated'}"
        )
    return f"{name:22} {offset:6} {numbers} {result.timing.seconds:6.1f} s  {verdict}", fine


def main() -> None:
    """Scores the entries on every offset and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entry", nargs="*")
    parser.add_argument("--quick", action="store_true", help="a smoke test: bands need the full suite")
    options = parser.parse_args()
    track, launcher = TRACKS["embedding-detection"], choose("auto")
    jobs, suite = len(os.sched_getaffinity(0)), "quick" if options.quick else "full"
    print("entry                  offset auroc linear xor   var.  fpr   tpr")
    all_fine = True
    for entry in list_entries(ROOT / "contrib"):
        if options.entry and entry.id not in options.entry:
            continue
        for offset in OFFSETS:
            request = Request(entry, track, track.current, launcher, suite, offset, jobs)
            text, fine = line(entry.id, offset, score(request).result, BANDS.get(entry.id))
            print(text, flush=True)
            all_fine &= fine
    raise SystemExit(0 if all_fine else 1)


if __name__ == "__main__":
    main()
