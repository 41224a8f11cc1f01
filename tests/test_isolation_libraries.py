"""Libraries in a room, where there are no pipes and no sockets: they work, or say what they lack."""

import json
import textwrap
from pathlib import Path

import pytest

from benchmark.isolation.launchers import BWRAP
from tests.isolated import detect, worker, written

pytestmark = pytest.mark.bwrap

BEFORE = """
import json, os, queue, subprocess, sys, threading
from concurrent.futures import ThreadPoolExecutor
import numpy as np

def said(action):
    try:
        return action()
    except OSError as error:
        return type(error).__name__
"""


def told(folder: Path, before: str, body: str) -> dict[str, object]:
    """What an entry prints as JSON."""
    with worker(
        BWRAP, written(folder, textwrap.dedent(body) + "return 1", BEFORE + before), memory=4096, call=60
    ) as run:
        lines = run.examine(lambda call: call(detect())).output.splitlines()
    return json.loads(next(line for line in lines if line.startswith("{")))


def test_forests_and_folds_do_all_in_one_thread_whatever_is_asked_for(tmp_path: Path) -> None:
    before = """
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
"""
    body = """
    data = np.random.default_rng(0).normal(size=(90, 4))
    kinds = (data[:, 0] > 0).astype(int)
    forests = [RandomForestClassifier(9, n_jobs=n, random_state=0).fit(data, kinds) for n in (None, -1, 3)]
    likely = [forest.predict_proba(data).tolist() for forest in forests]
    line = LogisticRegression()
    folds = [cross_val_score(line, data, kinds, cv=3, n_jobs=n).tolist() for n in (None, -1, 2)]
    right = float((forests[1].predict(data) == kinds).mean())
    print(json.dumps({"likely": likely[0] == likely[1] == likely[2], "folds": folds, "right": right}))
    """
    seen = told(tmp_path, before, body)
    folds = seen["folds"]
    assert isinstance(folds, list) and folds[0] == folds[1] == folds[2] and len(folds[0]) == 3
    assert seen["likely"] is True and seen["right"] == 1.0


def test_torch_learns_and_loads_data(tmp_path: Path) -> None:
    body = """
    torch.manual_seed(0)
    image = torch.ones(1, 1, 4, 4)
    layer = torch.nn.Conv2d(1, 1, 3, bias=False)
    torch.nn.init.ones_(layer.weight)
    loss = layer(image).sum()
    loss.backward()
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.arange(5)), batch_size=2)
    loaded = [int(part.sum()) for part, in loader]
    print(json.dumps({"sum": loss.item(), "slope": layer.weight.grad.sum().item(), "loaded": loaded}))
    """
    # Four places, each a sum of nine ones; each of nine weights meets four of them.
    assert told(tmp_path, "import torch", body) == {"sum": 36.0, "slope": 36.0, "loaded": [1, 5, 4]}


def test_threads_and_programs_run_and_what_needs_pipes_says_so(tmp_path: Path) -> None:
    body = """
    done = queue.Queue()
    thread = threading.Thread(target=done.put, args=(5,))
    thread.start()
    thread.join()
    with ThreadPoolExecutor(3) as pool:
        sums = list(pool.map(sum, [[1, 2], [3, 4]]))
    started = os.posix_spawn(sys.executable, [sys.executable, "-S", "-c", "raise SystemExit(3)"], {})
    ended = os.waitstatus_to_exitcode(os.waitpid(started, 0)[1])
    import asyncio, multiprocessing, multiprocessing.pool
    ways = [
        lambda: subprocess.run([sys.executable, "-c", "pass"]),
        lambda: multiprocessing.get_context("fork").Pool(2),
        lambda: multiprocessing.pool.ThreadPool(2),
        lambda: asyncio.selector_events.BaseSelectorEventLoop(),
    ]
    print(json.dumps({"thread": done.get(), "sums": sums, "ended": ended, "refused": list(map(said, ways))}))
    """
    seen = told(tmp_path, "", body)
    assert seen == {"thread": 5, "sums": [3, 7], "ended": 3, "refused": ["PermissionError"] * 4}
