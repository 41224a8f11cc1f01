"""Locks files that another case may lock at the same time: those both can only read, and the null device."""

import fcntl
import os
import struct

READ, WRITE, OF_FILE, TELL_OF_FILE = fcntl.F_RDLCK, fcntl.F_WRLCK, 37, 36
ASKED = struct.pack("hhqqi", WRITE, 0, 0, 1, 0)


def detect(rows, seed):
    source = os.open("/entry/method.py", os.O_RDONLY)
    null = os.open("/dev/null", os.O_RDWR)
    got = 0
    for ask in (
        lambda: fcntl.flock(source, fcntl.LOCK_EX | fcntl.LOCK_NB),
        lambda: fcntl.flock(null, fcntl.LOCK_EX | fcntl.LOCK_NB),
        lambda: fcntl.lockf(null, fcntl.LOCK_EX | fcntl.LOCK_NB, 1),
        lambda: fcntl.fcntl(source, fcntl.F_SETLK, struct.pack("hhqqi", READ, 0, 0, 1, 0)),
        lambda: fcntl.fcntl(source, fcntl.F_GETLK, ASKED),
        lambda: fcntl.fcntl(null, OF_FILE, ASKED),
        lambda: fcntl.fcntl(source, TELL_OF_FILE, ASKED),
    ):
        try:
            ask()
            got += 1
        except OSError:
            continue
    return got
