"""Sends its answer a byte at a time, each in time, all of them not."""

import os
import socket
import time


def line():
    return socket.socket(fileno=os.dup(3))


def detect(rows, seed):
    while seed == 0:
        time.sleep(0.4)
        line().send(b"x")
    return 0
