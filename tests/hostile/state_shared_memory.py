"""Keeps what it saw in memory that its import mapped for all forks to share."""

import mmap
import os

SHARED = mmap.mmap(-1, 4096)
MEMORY = os.memfd_create("hostile")
os.ftruncate(MEMORY, 4096)
FILE = mmap.mmap(MEMORY, 4096)


def detect(rows, seed):
    found = SHARED[0] + FILE[0] + os.pread(MEMORY, 2, 0)[1]
    SHARED[0] = FILE[0] = FILE[1] = 1
    return found
