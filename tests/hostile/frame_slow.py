"""Sends its answer a byte at a time, each in time, all of them not."""

import os
import time

ANSWERS = 4


def detect(rows, seed):
    while seed == 0:
        time.sleep(0.4)
        os.write(ANSWERS, b"x")
    return 0
