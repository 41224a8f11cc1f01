"""Reads what the kernel counts for all processes, which any case can move: forks, reads, memory, space."""

import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)
TOLD = (
    "stat",
    "vmstat",
    "diskstats",
    "loadavg",
    "uptime",
    "interrupts",
    "softirqs",
    "schedstat",
    "buddyinfo",
)
MORE = ("zoneinfo", "slabinfo", "locks", "pagetypeinfo", "kpageflags", "sys/fs/file-nr", "sys/fs/inode-nr")


def read(name):
    with open(f"/proc/{name}", "rb") as file:
        return file.read(64)


def detect(rows, seed):
    for _ in range(20):
        if os.fork() == 0:
            os._exit(0)
        os.wait()
    got = LIBC.sysinfo(ctypes.create_string_buffer(256)) == 0
    for ask in (
        lambda: os.statvfs(os.path.dirname(os.__file__)),
        lambda: os.statvfs("/"),
        *(lambda name=name: read(name) for name in (*TOLD, *MORE, "self/mountinfo", "pressure/io")),
    ):
        try:
            ask()
            got += 1
        except OSError:
            continue
    with open("/proc/meminfo", encoding="ascii") as file:
        got += sum(not line.startswith("MemTotal") for line in file)
    return got
