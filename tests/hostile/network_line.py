"""Asks its own line for the interfaces and the sockets of the network that the line was made in."""

import contextlib
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


LINE = (3, 4)


def interfaces(number):
    found = 0
    for index in range(1, 20):
        asked = ctypes.create_string_buffer(struct.pack("16si20x", b"", index), 40)
        if LIBC.ioctl(number, ctypes.c_ulong(NAME_OF), asked) == 0:
            found += 1
    asked = ctypes.create_string_buffer(struct.pack("iiQ", 0, 0, 0), 16)
    return found + (LIBC.ioctl(number, ctypes.c_ulong(ADDRESSES), asked) == 0)


def sockets(number):
    name = "\0" + TARGET["abstract"]
    with socket.socket(fileno=os.dup(number)) as line:
        # Where the host's listener can be seen, this socket is merely connected already.
        found = line.connect_ex(name) != errno.ECONNREFUSED
        try:
            line.bind(name)
        except OSError:
            found += 1
    return found


def detect(rows, seed):
    found = sum(map(interfaces, LINE))
    for number in LINE:
        with contextlib.suppress(OSError):
            found += sockets(number)
    return found
