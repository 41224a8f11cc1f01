"""Asks for a socket of every family but the local one."""

import socket


def worked(action):
    try:
        action()
    except OSError:
        return False
    return True


def detect(rows, seed):
    kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET)
    got = [
        (family, kind)
        for family in range(64)
        for kind in kinds
        if family != socket.AF_UNIX and worked(lambda f=family, k=kind: socket.socket(f, k).close())
    ]
    print(got)
    return len(got)
