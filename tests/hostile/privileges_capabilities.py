"""Raises capabilities, its own and those of a program it starts."""

import ctypes
import os
import struct
import sys


def detect(rows, seed):
    libc = ctypes.CDLL(None)
    head = struct.pack("=Ii", 0x20080522, 0)
    got = libc.capset(head, struct.pack("=6I", *[1 << 21] * 3, 0, 0, 0)) == 0
    ambient, raise_it = 47, 2
    got += libc.prctl(ambient, raise_it, 21, 0, 0) == 0
    read = (
        "import ctypes, struct; c = ctypes.CDLL(None); held = ctypes.create_string_buffer(b'x' * 24, 24);"
        "c.capget(struct.pack('=Ii', 0x20080522, 0), held);"
        "print(held.raw.count(0), c.prctl(39, 0, 0, 0, 0), c.prctl(21, 0, 0, 0, 0))"
    )
    with open("/tmp/said", "w+") as said:
        started = (os.POSIX_SPAWN_DUP2, said.fileno(), 1)
        command = [sys.executable, "-S", "-c", read]
        os.waitpid(os.posix_spawn(sys.executable, command, os.environ, file_actions=[started]), 0)
        said.seek(0)
        told = said.read()
    return got + (told.split() != ["24", "1", "2"])
