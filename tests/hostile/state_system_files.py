"""Looks for what the system tells of itself in files, beyond the kind of its processors and its memory."""

import os

FACTS = {"cpuinfo", "meminfo"}
FOLDERS = (
    "/proc/self",
    "/proc/thread-self",
    "/proc/1",
    "/proc/net",
    "/proc/sys",
    "/sys",
    "/dev/fd",
    "/dev/pts",
)


def detect(rows, seed):
    found = sorted(set(os.listdir("/proc")) - FACTS)
    print(found[:20])
    got = len(found) + sum(os.path.exists(folder) for folder in FOLDERS)
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        got += sum(line.startswith("cpu MHz") for line in file)
    return got + (os.stat("/proc/cpuinfo").st_mode & 0o222 != 0 and os.access("/proc/cpuinfo", os.W_OK))
