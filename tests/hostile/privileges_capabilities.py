"""Raises capabilities, its own and those of a program it starts."""

import ctypes
import struct
import subprocess
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
    said = subprocess.run([sys.executable, "-S", "-c", read], capture_output=True, text=True).stdout
    return got + (said.split() != ["24", "1", "2"])
