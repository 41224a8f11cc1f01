"""Leaves the sandbox by paths of other processes, by handles and by a new root."""

import ctypes
import json
import os

with open(os.path.join(os.path.dirname(__file__), "target.json"), encoding="utf-8") as file:
    TARGET = json.load(file)


def worked(action):
    try:
        action()
    except OSError:
        return False
    return True


def detect(rows, seed):
    libc = ctypes.CDLL(None)
    got = 0
    for name in ("1", "self", "thread-self"):
        for way in ("root", "cwd"):
            place = f"/proc/{name}/{way}"
            got += sum(os.path.lexists(place + path) for path in TARGET["paths"])
    got += sum(os.path.lexists("/.." * 20 + path) for path in TARGET["paths"])
    got += worked(lambda: os.chroot("/tmp"))
    name_to_handle_at, open_by_handle_at = 303, 304
    got += (
        libc.syscall(name_to_handle_at, -100, b"/", ctypes.create_string_buffer(b"\x80", 200), b"1234", 0)
        == 0
    )
    got += libc.syscall(open_by_handle_at, 3, ctypes.create_string_buffer(200), 0) >= 0
    return got
