"""Asks which files the system holds in memory by reads that do not wait, in each of their forms."""

import ctypes
import mmap
import os

LIBC = ctypes.CDLL(None, use_errno=True)
SETUP, SUBMIT, CACHE_STATE, READ_AHEAD = 206, 209, 451, 187


def worked(number, *arguments):
    """Whether the system makes that call, whatever its answer."""
    ctypes.set_errno(0)
    made = LIBC.syscall(number, *arguments)
    return made >= 0 or ctypes.get_errno() not in (1, 38)


def detect(rows, seed):
    found = 0
    with open(os.__file__, "rb") as file:
        try:
            os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)
            found += 1
        except BlockingIOError:
            found += 1
        except OSError:
            pass
        if os.preadv(file.fileno(), [bytearray(1)], 0) != 1:
            found += 100
        context = ctypes.c_ulong(0)
        found += worked(SETUP, 8, ctypes.byref(context)) + worked(SUBMIT, context, 0, None)
        span, state = (ctypes.c_ulong * 2)(0, mmap.PAGESIZE), (ctypes.c_ulong * 5)()
        found += worked(CACHE_STATE, file.fileno(), span, state, 0)
        found += worked(READ_AHEAD, file.fileno(), 0, 1)
    return found
