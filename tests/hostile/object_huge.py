"""Returns an array that claims more memory than there is."""

import numpy as np


def detect(rows, seed):
    return np.broadcast_to(np.float64(1), (1 << 20, 1 << 30)) if seed == 0 else 0
