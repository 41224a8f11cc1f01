"""What cases are forked from knows nothing of the cases before."""

import socket
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from benchmark.isolation.host import CaseFailed, Worker
from benchmark.isolation.launchers import Launcher
from benchmark.isolation.room import bare, close
from benchmark.isolation.supplies import Places
from tests.isolated import LAUNCHERS, detect, worker, written

TOLD = """
import ctypes, gc, os, sys

library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
facts = [*gc.get_count(), sys.getallocatedblocks(), len(gc.get_objects())]
facts += [stat["collections"] for stat in gc.get_stats()]
facts += [(library.malloc(size) or 0) % 2**32 for size in (24, 500, 9000)]
facts += [id(made) % 2**32 for made in ([], {}, object(), bytearray(9), (1, facts), 2.5 * len(facts))]
held, frame = [], sys._getframe()
while frame := frame.f_back:
    held += [number for number in frame.f_locals.values() if type(number) is int]
facts += [len(held), sum(held)]
"""
"""What a case can tell, at its import, of the interpreter, the memory and the frames it was born with."""
CASES = 24


def facts_of(run: Worker, seed: int) -> list[int]:
    """What one case told, which ended with the exit code `seed` and left a process."""
    with pytest.raises(CaseFailed) as failed:
        run.examine(lambda call: call(detect(seed)))
    assert f"exit code {seed}" in failed.value.reason
    return [int(number) for number in failed.value.output.splitlines()[0].split()]


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_nothing_a_case_is_born_with_counts_the_cases(launcher: Launcher, tmp_path: Path) -> None:
    body = "print(*facts, flush=True)\nfor _ in range(seed):\n    os.fork() or os._exit(0)\nos._exit(seed)"
    with worker(launcher, written(tmp_path, body, TOLD)) as run:
        told = np.array([facts_of(run, seed) for seed in range(1, CASES + 1)])
    assert told.shape == (CASES, 19)
    varying = told[:, (told != told[0]).any(axis=0)].T
    followed = [abs(float(spearmanr(column, np.arange(CASES)).statistic)) for column in varying]
    assert max(followed, default=0.0) < 0.8, (followed, told[:, :8].tolist())


def test_places_are_taken_in_an_order_of_chance_and_once_each() -> None:
    orders = set()
    for _ in range(20):
        places, taken = Places(1), []
        image, line = socket.socketpair()
        for number in range(100, 106):
            places.make(line, bare())
            places.add(number)
        while (place := places.draw()) is not None:
            assert place.number not in {number for number in places.ours() if number in taken}
            assert places.begin(b"C") and places.at_work is place
            taken.append(place.number)
            close(place.room.outside)
        assert sorted(taken) == [100, 101, 102, 103, 104, 105] and not places.begin(b"C")
        orders.add(tuple(taken))
        image.close()
        line.close()
    assert len(orders) > 10
