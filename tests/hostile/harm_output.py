"""Prints without end, and prints commands to the workflow that reads the log."""

import os


def detect(rows, seed):
    os.write(1, b"::set-output name=score::1\n##[error]x\n\x1b[2J\x1b]0;title\x07")
    while seed == 0:
        os.write(1, b"::add-mask::" * 5000 + b"\n")
    return 0
