"""Reads numbers that the kernel gives once, which tell how many it gave: of processes, sockets and mounts."""

import ctypes
import os
import socket
import struct

LIBC = ctypes.CDLL(None, use_errno=True)
COOKIE, NETWORK, OF_PEER, OPEN_PROCESS = 57, 71, 77, 434
STATX, OF_MOUNT, HERE = 332, 0x4000, -100
CLONE, WITH_DESCRIPTOR, END = 56, 0x1000, 17


def detect(rows, seed):
    got = 0
    for option, size in ((COOKIE, 8), (NETWORK, 8), (OF_PEER, 4)):
        try:
            with socket.socket(fileno=os.dup(3)) as line:
                got += len(line.getsockopt(socket.SOL_SOCKET, option, size)) > 0
        except OSError:
            continue
    handle = LIBC.syscall(OPEN_PROCESS, os.getpid(), 0)
    got += handle >= 0 and os.fstat(handle).st_ino > 0
    about = ctypes.create_string_buffer(256)
    if LIBC.syscall(STATX, HERE, b"/tmp", 0, OF_MOUNT, about) == 0:
        got += struct.unpack_from("<Q", about.raw, 0x90)[0] > 0
    made = ctypes.c_int(-1)
    child = LIBC.syscall(CLONE, WITH_DESCRIPTOR | END, 0, ctypes.byref(made), 0, 0)
    if child == 0:
        os._exit(0)
    return got + (child > 0)
