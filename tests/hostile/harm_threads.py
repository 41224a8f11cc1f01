"""Starts threads without end."""

import threading
import time


def detect(rows, seed):
    started = 0
    while seed == 0:
        threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
        started += 1
        if started > 5000:
            return started
    return 0
