"""Marks pages as used, so that no case can leave a mark that the next one sees.

It stands alone beside `worker.py`. The system marks each page of memory that is used, in three steps, and
tells of the marks (`/proc/self/smaps`). Pages that a fork has not written are still those of the process it
was forked from, and so are their marks. Where all are at their end already, nothing can be told by them.
"""

import ctypes
import re

READ_EACH = 22
"""Linux's advice that reads each page of a range, and marks it by a step."""
STEPS = 3
WRITTEN = re.compile(rb"^([0-9a-f]+)-([0-9a-f]+) rw.p ", re.MULTILINE)
"""Of the system's list: memory of this process alone that it may write, and so may have new pages in."""
OWN = re.compile(rb"^([0-9a-f]+)-([0-9a-f]+) r.-p ", re.MULTILINE)
"""The same with what it can only read, which may hold pages of its own that are not written any more."""
LIBRARY = ctypes.CDLL(None)


def mark(what: re.Pattern[bytes]) -> None:
    """Takes the marks of this process's pages to their end; nothing where the system has no such advice."""
    try:
        with open("/proc/self/maps", "rb") as file:
            found = what.findall(file.read())
    except OSError:
        return
    for low, high in found:
        start, end = int(low, 16), int(high, 16)
        for _ in range(STEPS):
            LIBRARY.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), READ_EACH)
