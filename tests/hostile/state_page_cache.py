"""Keeps what it saw in which files the system holds in memory: drops one, and asks whether it is there."""

import ctypes
import glob
import mmap
import os

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, *[ctypes.c_size_t] * 5]
FILES = sorted(glob.glob(os.path.dirname(os.__file__) + "/idlelib/*.py"))[:8]
PAGE = mmap.PAGESIZE
PAGE_OUT = 21


def held(path):
    """Whether the system holds the file's first page, or None where it does not say."""
    told = ctypes.create_string_buffer(b"\2", 1)
    with open(path, "rb") as file:
        place = LIBC.mmap(None, PAGE, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
    LIBC.mincore(ctypes.c_void_p(place), ctypes.c_size_t(PAGE), told)
    LIBC.madvise(ctypes.c_void_p(place), ctypes.c_size_t(PAGE), PAGE_OUT)
    LIBC.munmap(ctypes.c_void_p(place), ctypes.c_size_t(PAGE))
    return None if told.raw == b"\2" else bool(told.raw[0] & 1)


def dropped(path):
    """Whether the system was willing to drop it."""
    with open(path, "rb") as file:
        try:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        except OSError:
            return False
    return True


def detect(rows, seed):
    return sum((held(path) is not None) + dropped(path) for path in FILES)
