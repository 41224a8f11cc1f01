"""Keeps what it saw in POSIX semaphores and named shared memory."""

import _multiprocessing
import _posixshmem
import os


def detect(rows, seed):
    found = 0
    try:
        _multiprocessing.SemLock(1, 0, 1, "/hostile", False)
    except FileExistsError:
        found += 1
    try:
        os.close(_posixshmem.shm_open("/hostile-memory", os.O_CREAT | os.O_EXCL | os.O_RDWR, mode=0o600))
    except FileExistsError:
        found += 1
    return found
