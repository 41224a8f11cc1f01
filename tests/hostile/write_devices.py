"""Changes the machine's devices, and makes one of its own."""

import os
import stat


def worked(action):
    try:
        action()
    except OSError:
        return False
    return True


def detect(rows, seed):
    got = 0
    for name in ("null", "full", "random", "urandom"):
        place = "/dev/" + name
        mode = os.stat(place).st_mode & 0o777
        got += worked(lambda place=place, mode=mode: os.chmod(place, mode))
        got += worked(lambda place=place: os.utime(place))
        got += worked(lambda place=place: os.unlink(place))
    for kind, number in ((stat.S_IFBLK, os.makedev(8, 0)), (stat.S_IFCHR, os.makedev(1, 1))):
        got += worked(lambda kind=kind, number=number: os.mknod("/tmp/device", kind | 0o666, number))
    return got
