"""Keeps what it saw in System V memory and semaphores, and in a POSIX message queue."""

import ctypes

LIBC = ctypes.CDLL(None, use_errno=True)
KEY, MAKE, ONLY = 0x5EC, 0o1000, 0o2000
MQ_OPEN = 240


def detect(rows, seed):
    found = LIBC.shmget(KEY, 4096, 0o600) >= 0
    found += LIBC.semget(KEY, 1, 0o600) >= 0
    found += LIBC.msgget(KEY, 0o600) >= 0
    found += LIBC.syscall(MQ_OPEN, b"hostile", 0, 0, None) >= 0
    LIBC.shmget(KEY, 4096, MAKE | 0o600)
    LIBC.semget(KEY, 1, MAKE | 0o600)
    LIBC.msgget(KEY, MAKE | 0o600)
    LIBC.syscall(MQ_OPEN, b"hostile", 0o100 | 2, 0o600, None)
    return found
