"""Connects to a port where the host listens."""

import json
import os
import socket

with open(os.path.join(os.path.dirname(__file__), "target.json"), encoding="utf-8") as file:
    TARGET = json.load(file)


def worked(action):
    try:
        action()
    except OSError:
        return False
    return True


def detect(rows, seed):
    return sum(
        worked(lambda place=place: socket.create_connection((place, TARGET["port"]), 1).close())
        for place in ("127.0.0.1", "localhost", "::1", "0.0.0.0")
    )
