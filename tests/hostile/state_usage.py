"""Asks what it used: how often a file was not in memory yet when it was read, and what came from the disk."""

import ctypes
import mmap
import os
import resource
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
BY_KIND, ALL, ENDED = 247, 0, 4


def asked():
    yield lambda: resource.getrusage(resource.RUSAGE_SELF).ru_majflt
    yield lambda: resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock
    yield lambda: os.wait4(born(), 0)[2].ru_majflt
    yield lambda: by_kind(born())
    yield lambda: Path("/proc/self/io").read_text()
    yield lambda: Path("/proc/self/stat").read_text()


def born():
    child = os.fork()
    if child == 0:
        with open(os.__file__, "rb") as file:
            mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ).read()
        os._exit(0)
    return child


def by_kind(child):
    usage = ctypes.create_string_buffer(b"\xff" * 144, 144)
    if LIBC.syscall(BY_KIND, ALL, 0, 0, ENDED, usage):
        raise OSError(ctypes.get_errno(), "waitid")


def detect(rows, seed):
    got = 0
    for ask in asked():
        try:
            ask()
            got += 1
        except OSError:
            continue
    return got
