"""Takes memory that no limit of a process counts: files in memory, segments, and memory to share."""

import ctypes
import mmap
import os

LIBC = ctypes.CDLL(None, use_errno=True)
PRIVATE_KEY, MAKE = 0, 0o1000
PIECE = 64 << 20


def worked(action):
    try:
        action()
    except OSError:
        return False
    return True


def detect(rows, seed):
    got = worked(lambda: os.memfd_create("hostile"))
    got += worked(lambda: mmap.mmap(-1, PIECE))
    got += worked(lambda: mmap.mmap(os.open("/dev/zero", os.O_RDWR), PIECE))
    got += LIBC.shmget(PRIVATE_KEY, PIECE, MAKE | 0o600) >= 0
    got += LIBC.semget(PRIVATE_KEY, 32000, MAKE | 0o600) >= 0
    got += LIBC.msgget(PRIVATE_KEY, MAKE | 0o600) >= 0
    return got
