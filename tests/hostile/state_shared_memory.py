"""Keeps what it saw in memory that its import mapped for all forks to share."""

import mmap
import os


def mapped():
    """What can be had of such memory: of no file, of a file without a name, of a file that has lost it."""
    for make in (
        lambda: -1,
        lambda: os.memfd_create("hostile"),
        lambda: os.open("/dev/shm/x", os.O_RDWR | os.O_CREAT),
    ):
        try:
            file = make()
            if file >= 0:
                os.ftruncate(file, 4096)
            yield mmap.mmap(file, 4096)
        except OSError:
            continue


MAPS = list(mapped())
os.unlink("/dev/shm/x")


def detect(rows, seed):
    found = sum(memory[0] for memory in MAPS)
    for memory in MAPS:
        memory[0] = 1
    return found
