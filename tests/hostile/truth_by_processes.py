"""Looks for processes beyond its own, and for what their commands say."""

import json
import os
from pathlib import Path

with open(os.path.join(os.path.dirname(__file__), "target.json"), encoding="utf-8") as file:
    TARGET = json.load(file)


def detect(rows, seed):
    numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    others = [number for number in numbers if number not in (1, os.getpid())]
    try:
        os.kill(TARGET["host"], 0)
        seen = TARGET["host"] not in numbers
    except OSError:
        seen = False
    text = b"".join(Path(f"/proc/{number}/cmdline").read_bytes() for number in numbers)
    return len(others) + seen + any(path.encode() in text for path in TARGET["paths"])
