"""Whether reference entries and trained models land where the calibration says, on public and other seeds.

Prints a line for each entry and seed offset: its metrics, and whether they are in their bands. With
`--truth`, what was measured on the models of image-detection, and the ceiling of image-mitigation: the
shared CNN trained on its number of images without a usable patch. Exits with 1 when a band is missed.

Run: .venv/bin/python perf/bands.py [--track KEY] [--offsets 0 1 2] [--quick] [--truth] [ENTRY ...]
"""

import argparse
import os
from collections.abc import Iterator, Mapping

import numpy as np

from benchmark.commands import ROOT
from benchmark.data.patched_bars import Recipe, generate_patched_bars
from benchmark.entries import Entry, list_entries
from benchmark.isolation.launchers import choose
from benchmark.laboratory import Laboratory
from benchmark.machine import CACHE
from benchmark.records import Kind
from benchmark.results import Result
from benchmark.scorer import Request, score
from benchmark.seeds import generator
from benchmark.tracks import TRACKS
from benchmark.tracks.image_mitigation import CEILING, TEST_IMAGES, TRAINING_IMAGES
from benchmark.tracks.mitigation import accuracies
from benchmark.tracks.patched_images import TrainingSet, training_call

Band = tuple[float, float]
Bands = Mapping[str, Band]

NOMINAL = (0.0, 0.12)
"""The FPR of 90 nulls at a level of 0.05: 0.05 plus three standard errors of 0.023."""
BLIND = 0.08
"""How far an AUROC may be from its calibration mid-table; 0.02 at the top."""


def around(auroc: float, slack: float = BLIND, fpr: Band | None = NOMINAL) -> Bands:
    """The bands of a detector."""
    return {"auroc": (auroc - slack, auroc + slack), **({} if fpr is None else {"fpr": fpr})}


def worst(low: float, high: float, leakage: Band | None = None) -> Bands:
    """The bands of a mitigator."""
    return {"worst_group_acc": (low, high), **({} if leakage is None else {"leakage_auroc": leakage})}


BANDS: Mapping[str, Mapping[str, Bands]] = {
    "embedding-detection": {
        "marginal_probe": around(0.66, fpr=(0.8, 1.0)),
        "conditional_probe": around(0.66),
        "mean_shift_test": around(0.67),
        "variance_test": around(0.62),
        "product_test": around(0.65),
        "omnibus_test": around(0.99, 0.02),
        "quadratic_probe": around(0.98, 0.02),
        "random_forest_probe": around(0.89, fpr=None),
        "energy_distance": around(0.72),
        "random_score": around(0.5, 0.09),
    },
    "embedding-mitigation": {
        "erm": worst(0.35, 0.40),
        "group_reweighting": worst(0.66, 0.72),
        "balanced_subsampling": worst(0.64, 0.72),
        "group_dro": worst(0.62, 0.71),
        "leace": worst(0.67, 0.73, (0.66, 0.73)),
        "inlp": worst(0.64, 0.72, (0.65, 0.75)),
        "dfr": worst(0.69, 0.77),
        "attribute_column_pruning": worst(0.745, 0.79, (0.5, 0.52)),
        "majority_class": worst(0.0, 0.0),
    },
    "image-detection": {
        "random_heatmap": {"pointing_game": (0.01, 0.06)},
        **{
            name: {"auroc": (0.95, 1.0), "reliance_spearman": (low, 1.0)}
            for name, low in {
                "corner_grayout": 0.85,
                "grad_cam": 0.75,
                "grad_times_input": 0.75,
                "gradient_saliency": 0.5,
                "integrated_gradients": 0.75,
                "occlusion": 0.75,
                "pixel_label_correlation": 0.75,
            }.items()
        },
    },
    "image-mitigation": {
        "erm_cnn": worst(0.65, 0.82),
        "group_weighted_ce": worst(0.86, 0.95),
        "balanced_sampling": worst(0.80, 0.94),
        "group_dro_cnn": worst(0.80, 0.95),
        "dfr_cnn": worst(0.65, 0.84),
        "random_erasing": worst(0.5, 0.8),
        "majority_class": worst(0.0, 0.0),
    },
}
"""Track -> entry -> metric -> the range the calibration gives it, with the spread of its seeds."""


def missed(metrics: Mapping[str, float | None], bands: Bands) -> list[str]:
    """The bands that metrics are out of, in words."""
    found = []
    for name, (low, high) in bands.items():
        value = metrics.get(name)
        if value is None or not low - 1e-9 <= value <= high + 1e-9:
            found.append(f"{name} OUT OF {low:g} to {high:g}")
    return found


def line(entry: Entry, offset: int, result: Result, bands: Bands | None) -> tuple[str, bool]:
    """The line of one result, and whether it is in its bands."""
    shown = " ".join(
        f"{name} {'-' if value is None else format(value, '.3f')}" for name, value in result.metrics.items()
    )
    wrong = missed(result.metrics, bands or {})
    verdict = "; ".join(wrong) or ("in band" if bands else "no band stated")
    return f"{entry.id:26} {offset:3} {result.timing.seconds:6.1f} s  {verdict}  {shown}", not wrong


def scored(options: argparse.Namespace) -> Iterator[bool]:
    """Scores the entries on every offset and prints their lines; gives whether each is in its bands."""
    launcher, jobs = choose("auto"), len(os.sched_getaffinity(0))
    for key in options.track or list(TRACKS):
        print(key)
        for entry in list_entries(ROOT / "contrib"):
            if key not in entry.tracks or (options.entry and entry.id not in options.entry):
                continue
            for offset in options.offsets:
                track = TRACKS[key]
                suite = "quick" if options.quick else "full"
                request = Request(entry, track, track.current, launcher, suite, offset, jobs)
                text, fine = line(entry, offset, score(request).result, BANDS[key].get(entry.id))
                print(text, flush=True)
                yield fine


def truth() -> Iterator[bool]:
    """Prints what was measured on the trained models; gives whether each measure is in its band."""
    version = TRACKS["image-detection"].current
    assert version.prepare is not None
    with Laboratory(version.laboratory, CACHE / "computed") as laboratory:
        cases = [version.prepare(version.generate(key), laboratory.remembered) for key in version.keys()]
        for case in cases:
            figures = " ".join(f"{name} {value:.3f}" for name, value in case.figures.items())
            print(f"{case.key.id:16} {case.kind.value:10} {figures}")
        ceilings = [ceiling(seed, laboratory) for seed in range(3)]
    nulls = max(case.figures["reliance"] for case in cases if case.kind is Kind.NULL)
    clear = sum(case.kind is Kind.SHORTCUT for case in cases)
    print(f"nulls' largest reliance {nulls:.3f} (under 0.05), clear cases {clear} (at least 6)")
    print(
        f"ceilings {', '.join(format(c, '.3f') for c in ceilings)}: {np.mean(ceilings):.3f} (page: {CEILING})"
    )
    yield nulls < 0.05
    yield clear >= 6
    yield 0.93 <= np.mean(ceilings) <= 0.99 and abs(np.mean(ceilings) - CEILING) < 0.006


def ceiling(seed: int, laboratory: Laboratory) -> float:
    """Worst-group accuracy of the shared CNN trained where the patch says nothing of the label."""
    corner = seed % 4
    train = generate_patched_bars(Recipe(0.5, TRAINING_IMAGES, corner), generator("ceiling", "train", seed))
    test = generate_patched_bars(Recipe(0.5, TEST_IMAGES, corner), generator("ceiling", "test", seed))
    call = training_call(TrainingSet(train.images, train.task_labels), test.images, seed)
    hidden = {"test_task_labels": test.task_labels, "test_attribute": test.attribute}
    return accuracies(laboratory.remembered(call)["labels"], hidden)["worst_group_acc"]


def main() -> None:
    """Prints the tables asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("entry", nargs="*")
    parser.add_argument("--track", action="append", choices=list(TRACKS))
    parser.add_argument("--offsets", nargs="+", type=int, default=[0], help="seed offsets, 0 for the public")
    parser.add_argument("--quick", action="store_true", help="a smoke test: bands need the full suite")
    parser.add_argument("--truth", action="store_true", help="what was measured on trained models instead")
    options = parser.parse_args()
    fine = list(truth() if options.truth else scored(options))
    raise SystemExit(0 if all(fine) else 1)


if __name__ == "__main__":
    main()
