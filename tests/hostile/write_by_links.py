"""Writes to what it may not through links in its scratch folder."""

import os


def worked(action):
    try:
        action()
    except OSError:
        return False
    return True


def detect(rows, seed):
    os.symlink("/entry/method.py", "/tmp/soft")
    got = worked(lambda: open("/tmp/soft", "a").close())
    got += worked(lambda: os.link("/entry/method.py", "/tmp/hard"))
    got += worked(lambda: os.rename("/entry/method.py", "/tmp/moved"))
    os.symlink("/", "/tmp/root")
    return got + worked(lambda: open("/tmp/root/written", "w").close())
