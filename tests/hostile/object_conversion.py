"""Returns an object that runs code, and leaves a daemon, when it becomes an array."""

import os
import time

import numpy as np


class Hostile:
    def __array__(self, *given, **more):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        return np.array([["TRUTH", object()]], dtype=object)


def detect(rows, seed):
    return Hostile() if seed == 0 else 0
