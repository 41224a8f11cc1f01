"""Connects to a local socket of the host that has a name but no file."""

import json
import os
import socket

with open(os.path.join(os.path.dirname(__file__), "target.json"), encoding="utf-8") as file:
    TARGET = json.load(file)


def detect(rows, seed):
    try:
        with socket.socket(socket.AF_UNIX) as line:
            return int(line.connect_ex("\0" + TARGET["abstract"]) == 0)
    except PermissionError:
        return 0
