"""Has its line send every answer with bytes of its own before it."""

import socket

FORGED = bytes(15)
honest = socket.socket.sendall


def sendall(self, data, *more):
    return honest(self, FORGED + bytes(data), *more)


socket.socket.sendall = sendall


def detect(rows, seed):
    return 0
