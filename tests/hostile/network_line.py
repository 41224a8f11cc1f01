"""Asks its own line for the interfaces and the sockets of the network that the line was made in."""

import ctypes
import errno
import json
import os
import socket
import struct

with open(os.path.join(os.path.dirname(__file__), "target.json"), encoding="utf-8") as file:
    TARGET = json.load(file)
LIBC = ctypes.CDLL(None, use_errno=True)
NAME_OF, ADDRESSES = 0x8910, 0x8912


def detect(rows, seed):
    found = 0
    for index in range(1, 20):
        asked = ctypes.create_string_buffer(struct.pack("16si20x", b"", index), 40)
        if LIBC.ioctl(3, ctypes.c_ulong(NAME_OF), asked) == 0:
            found += 1
    asked = ctypes.create_string_buffer(struct.pack("iiQ", 0, 0, 0), 16)
    found += LIBC.ioctl(3, ctypes.c_ulong(ADDRESSES), asked) == 0
    with socket.socket(fileno=os.dup(3)) as line:
        # Where the host's listener can be seen, this socket is merely connected already.
        found += line.connect_ex("\0" + TARGET["abstract"]) != errno.ECONNREFUSED
        try:
            line.bind("\0" + TARGET["abstract"])
        except OSError:
            found += 1
    return found
