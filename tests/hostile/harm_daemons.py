"""Leaves daemons behind, in sessions of their own."""

import os
import sys
import time
from pathlib import Path


def detect(rows, seed):
    mark = "--hostile-daemon"
    lines = [Path(f"/proc/{name}/cmdline").read_text() for name in os.listdir("/proc") if name.isdigit()]
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
            os.closerange(0, 100)
            os.execv(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(100)", mark])
    time.sleep(0.1)
    return sum(mark in line for line in lines)
