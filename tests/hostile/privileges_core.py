"""Has itself dumped to the program that the machine pipes core dumps to, which a limit of 0 does not stop."""

import ctypes
import resource

LIBC = ctypes.CDLL(None, use_errno=True)
CORE, SET_LIMIT = resource.RLIMIT_CORE, 160


def detect(rows, seed):
    found = resource.getrlimit(CORE)[0] != 1
    for limits in ((0, 1), (0, 0)):
        try:
            resource.setrlimit(CORE, limits)
        except (OSError, ValueError):
            continue
        found += 1
    found += LIBC.syscall(SET_LIMIT, CORE, (ctypes.c_ulong * 2)(0, 0)) == 0
    return found
