"""Looks up names, which carry what they spell to whoever answers."""

import socket
import urllib.request


def worked(action):
    try:
        action()
    except OSError:
        return False
    return True


def detect(rows, seed):
    got = worked(lambda: socket.getaddrinfo("loot.example.org", 80))
    return got + worked(lambda: urllib.request.urlopen("http://192.0.2.1/loot", timeout=1))
