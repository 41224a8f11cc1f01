"""Keeps what it saw in its own memory, in numpy's and in the interpreter's."""

import builtins
import sys

import numpy as np

seen = []


def detect(rows, seed):
    before = len(seen) + hasattr(builtins, "hostile") + hasattr(np, "hostile") + ("hostile" in sys.modules)
    seen.append(seed)
    builtins.hostile = np.hostile = sys.modules["hostile"] = seen
    return before
