"""Looks for processes beyond its own, and for what their commands say."""

import json
import os
from pathlib import Path

with open(os.path.join(os.path.dirname(__file__), "target.json"), encoding="utf-8") as file:
    TARGET = json.load(file)


def there(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def detect(rows, seed):
    numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    numbers += [number for number in range(1, 600) if number not in numbers and there(number)]
    others = [number for number in numbers if number not in (1, os.getpid())]
    try:
        os.kill(TARGET["host"], 0)
        seen = TARGET["host"] not in numbers
    except OSError:
        seen = False
    lines = [Path(f"/proc/{number}/cmdline") for number in numbers]
    text = b"".join(line.read_bytes() for line in lines if line.exists())
    return len(others) + seen + any(path.encode() in text for path in TARGET["paths"])
