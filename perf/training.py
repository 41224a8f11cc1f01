"""What training the shared CNN costs and how steady it is, against stated baselines, in one run.

speed:  the detection models by the shared training and by a plain DataLoader loop of the same training
        (contiguous images, no other difference), in turn on one core; the ratio of each pair's processor
        time, and whether reliance and accuracy agree within their standard errors. Aim: 1.4.
jobs:   the same models by the laboratory with one job and with two. Aim: 1.8.
cache:  a second scoring: seconds until the first call, when every model is remembered. Aim: under 3.
layout: scores of image-mitigation by the shared training in its layout and in the other one: the largest
        difference of an entry's score. Aim: at most 0.03.

Run: .venv/bin/python perf/training.py [--models N] [speed] [jobs] [cache] [layout]
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import numpy as np
import torch
from joblib import Parallel, delayed
from torch.nn.functional import cross_entropy
from torch.optim.swa_utils import update_bn
from torch.utils.data import DataLoader, TensorDataset

from benchmark import models
from benchmark.data.patched_bars import painted_gray
from benchmark.isolation.numeric import numeric_environment
from benchmark.laboratory import Laboratory
from benchmark.machine import CACHE
from benchmark.models import make_cnn, predicted, train_classifier
from benchmark.records import Case, CaseKey
from benchmark.tracks import TRACKS
from benchmark.tracks.image_detection import reliance
from benchmark.tracks.mitigation import accuracies
from benchmark.training import SHARED

DETECTION, MITIGATION = TRACKS["image-detection"].current, TRACKS["image-mitigation"].current
Train = Callable[[Case, int], torch.nn.Module]


def shared(case: Case, seed: int) -> torch.nn.Module:
    """A detection model by the shared training."""
    hidden = case.hidden
    return train_classifier(
        make_cnn(seed), hidden["training_images"], hidden["training_task_labels"], seed=seed
    )


def plain(case: Case, seed: int) -> torch.nn.Module:
    """A detection model by a plain loop over a DataLoader, in torch's default layout."""
    torch.manual_seed(seed)
    images = torch.from_numpy(case.hidden["training_images"])
    labels = torch.from_numpy(case.hidden["training_task_labels"])
    loader = DataLoader(TensorDataset(images, labels), batch_size=SHARED.batch_size, shuffle=True)
    model = make_cnn(seed).to(memory_format=torch.contiguous_format)
    optimizer = torch.optim.Adam(model.parameters(), lr=SHARED.learning_rate, fused=True)
    model.train()
    for _ in range(SHARED.epochs):
        for batch, target in loader:
            optimizer.zero_grad()
            cross_entropy(model(batch), target).backward()
            optimizer.step()
    update_bn(DataLoader(TensorDataset(images), batch_size=SHARED.statistics_batch), model)
    return model.eval()


def measured(train: Train, case: Case, seed: int) -> tuple[float, float, float]:
    """Seconds of processor time, reliance and accuracy of one model."""
    started = time.process_time()
    model = train(case, seed)
    seconds = time.process_time() - started
    images = case.seen["images"]
    labels = predicted(model, images)
    painted = predicted(model, painted_gray(images, int(case.figures["corner"])))
    leans = reliance(labels, painted, case.hidden["attribute"] == 1)
    return seconds, leans, float(np.mean(labels == case.seen["task_labels"]))


def speed(count: int) -> None:
    """Prints the ratio of the two trainings and how their models differ."""
    rows = []
    for place, key in enumerate(_keys(count)):
        case = DETECTION.generate(key)
        pair = (measured(plain, case, place), measured(shared, case, place))
        rows.append(pair)
        print(
            f"  {key.id:15} plain {pair[0][0]:5.1f} s, shared {pair[1][0]:5.1f} s; "
            f"reliance {pair[0][1]:.3f} and {pair[1][1]:.3f}, accuracy {pair[0][2]:.3f} and {pair[1][2]:.3f}",
            flush=True,
        )
    ratio = median(one[0] / other[0] for one, other in rows)
    print(f"speed: {ratio:.2f} times a plain DataLoader loop, the median of {len(rows)} pairs (aim 1.4)")
    for place, name in ((1, "reliance"), (2, "accuracy")):
        gaps = np.array([other[place] - one[place] for one, other in rows])
        error = gaps.std(ddof=1) / len(gaps) ** 0.5
        print(f"  {name}: differs by {gaps.mean():+.4f} on average, standard error {error:.4f}")


def jobs(count: int) -> None:
    """Prints how much faster two jobs are than one, both after their processes have started."""
    cases = [DETECTION.generate(key) for key in _keys(count)]
    with tempfile.TemporaryDirectory() as name, Laboratory("cnn", Path(name)) as laboratory:

        def run(workers: int) -> float:
            assert DETECTION.prepare is not None
            prepare = DETECTION.prepare
            started = time.perf_counter()
            task = (delayed(prepare)(case, laboratory.compute) for case in cases)
            Parallel(n_jobs=workers, prefer="threads")(task)
            return time.perf_counter() - started

        Parallel(n_jobs=2, prefer="threads")(
            delayed(DETECTION.prepare)(case, laboratory.compute) for case in cases[:2]
        )
        one, two = run(1), run(2)
    print(f"jobs: two are {one / two:.2f} times one ({one:.1f} s and {two:.1f} s for {count}; aim 1.8)")


def cache() -> None:
    """Prints how long a case is being prepared when all models are remembered."""
    assert DETECTION.prepare is not None
    with Laboratory("cnn", CACHE / "computed") as laboratory:
        for key in DETECTION.keys():
            DETECTION.prepare(DETECTION.generate(key), laboratory.remembered)
    with Laboratory("cnn", CACHE / "computed") as laboratory:
        times = []
        for key in DETECTION.keys():
            started = time.perf_counter()
            DETECTION.prepare(DETECTION.generate(key), laboratory.remembered)
            times.append(time.perf_counter() - started)
    print(f"cache: {times[0]:.2f} s before the first call, {median(times):.2f} s a case (aim: under 3)")


def layout() -> None:
    """Prints how far the other memory layout moves the scores of two ways of training."""
    chosen, other = models.LAYOUT, torch.contiguous_format
    found: dict[tuple[str, torch.memory_format], list[float]] = {}
    for place, key in enumerate(MITIGATION.keys()):
        case = MITIGATION.generate(key)
        for name, weights in (("erm", None), ("group-weighted", _group_weights(case))):
            for form in (chosen, other):
                models.LAYOUT = form
                model = train_classifier(
                    make_cnn(place), case.seen["images"], case.seen["task_labels"], weights, place
                )
                labels = predicted(model, case.hidden["test_images"])
                score = accuracies(labels, case.hidden)["worst_group_acc"]
                found.setdefault((name, form), []).append(score)
        models.LAYOUT = chosen
        print(f"  {key.id}: {[round(values[-1], 3) for values in found.values()]}", flush=True)
    moves = [
        abs(float(np.mean(found[name, chosen]) - np.mean(found[name, other])))
        for name in ("erm", "group-weighted")
    ]
    print(f"layout: the other one moves a score by at most {max(moves):.3f} (aim: 0.03)")


def _group_weights(case: Case) -> np.ndarray:
    groups = 2 * case.seen["task_labels"] + case.seen["attribute"]
    return len(groups) / (4 * np.bincount(groups, minlength=4))[groups]


def _keys(count: int) -> Sequence[CaseKey]:
    """`count` cases of image-detection, spread over its strengths."""
    keys = DETECTION.keys()
    return [keys[place] for place in np.linspace(0, len(keys) - 1, count).astype(int)]


def main() -> None:
    """Runs the parts named, in a process whose numbers are pinned."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="*", default=["speed", "jobs", "cache", "layout"])
    parser.add_argument("--models", type=int, default=len(DETECTION.keys()))
    options = parser.parse_args()
    pinned = numeric_environment()
    if any(os.environ.get(name) != value for name, value in pinned.items()):
        raise SystemExit(subprocess.call([sys.executable, *sys.argv], env={**os.environ, **pinned}))
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    parts = {
        "speed": lambda: speed(options.models),
        "jobs": lambda: jobs(options.models),
        "cache": cache,
        "layout": layout,
    }
    for part in options.part:
        parts[part]()


if __name__ == "__main__":
    main()
