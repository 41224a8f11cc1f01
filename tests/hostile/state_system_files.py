"""Looks for what the system tells of itself in files, beyond its processors, its memory and its libraries."""

import os

FACTS = {"cpuinfo", "meminfo", "self", "maps"}
FOLDERS = (
    "/proc/thread-self",
    "/proc/1",
    "/proc/net",
    "/proc/sys",
    "/sys",
    "/dev/fd",
    "/dev/pts",
)


def detect(rows, seed):
    found = sorted({*os.listdir("/proc"), *os.listdir("/proc/self")} - FACTS)
    print(found[:20])
    got = len(found) + sum(os.path.exists(folder) for folder in FOLDERS)
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        got += sum(line.startswith("cpu MHz") for line in file)
    return got + (os.stat("/proc/cpuinfo").st_mode & 0o222 != 0 and os.access("/proc/cpuinfo", os.W_OK))
