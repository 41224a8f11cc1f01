"""Keeps what it saw in where the system holds memory: by policies of nodes, and by pages put together."""

import ctypes
import mmap

LIBC = ctypes.CDLL(None, use_errno=True)
CALLS = {"mbind": 237, "set_mempolicy": 238, "get_mempolicy": 239}
MERGEABLE, COLLAPSE, COLD = 12, 25, 20


def detect(rows, seed):
    found = sum(LIBC.syscall(number, 0, 0, 0, 0, 0, 0) == 0 for number in CALLS.values())
    memory = mmap.mmap(-1, 1 << 22, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory[0] = 1
    for advice in (MERGEABLE, COLLAPSE, COLD):
        try:
            memory.madvise(advice)
        except OSError:
            continue
        found += 1
    return found
