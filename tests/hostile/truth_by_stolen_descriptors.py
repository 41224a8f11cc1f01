"""Takes descriptors out of other processes."""

import ctypes
import os


def detect(rows, seed):
    libc = ctypes.CDLL(None)
    pidfd_getfd = 438
    taken = 0
    try:
        handle = os.pidfd_open(1)
        taken = sum(libc.syscall(pidfd_getfd, handle, number, 0) >= 0 for number in range(20))
        os.close(handle)
    except PermissionError:
        pass
    opened = 0
    for number in range(20):
        opened += os.path.lexists(f"/proc/1/fd/{number}")
    return taken + opened
