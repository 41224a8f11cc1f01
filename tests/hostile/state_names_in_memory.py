"""Asks whether the system holds the names of a path in memory, which whoever asked for it before decided."""

import ctypes
import glob
import os
import struct

LIBC = ctypes.CDLL(None, use_errno=True)
OPEN, HERE, ONLY_CACHED, AGAIN = 437, -100, 0x20, 11
FILES = sorted(glob.glob(os.path.dirname(os.__file__) + "/idlelib/Icons/*"))[:8]


def detect(rows, seed):
    got = 0
    for path in FILES:
        ctypes.set_errno(0)
        how = struct.pack("<QQQ", os.O_RDONLY, 0, ONLY_CACHED)
        found = LIBC.syscall(OPEN, HERE, path.encode(), how, len(how))
        got += found >= 0 or ctypes.get_errno() == AGAIN
    return got + (not FILES)
