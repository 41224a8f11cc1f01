"""Keeps what it saw in a pipe and a pair of sockets that its import opened."""

import os
import select
import socket

READING, WRITING = os.pipe()
NEAR, FAR = socket.socketpair()


def detect(rows, seed):
    found = len(select.select([READING, FAR], [], [], 0)[0])
    os.write(WRITING, b"x")
    NEAR.send(b"x")
    return found
