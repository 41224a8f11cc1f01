"""Hangs, and ignores every signal that can be ignored."""

import signal
import time


def detect(rows, seed):
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue
    while seed == 0:
        time.sleep(1)
    return 0
