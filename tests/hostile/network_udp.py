"""Sends datagrams, which need no connection."""

import socket


def worked(action):
    try:
        action()
    except OSError:
        return False
    return True


def sent(family, place):
    with socket.socket(family, socket.SOCK_DGRAM) as line:
        line.sendto(b"loot", (place, 53))


def detect(rows, seed):
    ways = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "::1"))
    return sum(worked(lambda way=way: sent(*way)) for way in ways)
