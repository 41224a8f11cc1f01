"""Raises its own limits."""

import resource


def detect(rows, seed):
    got = 0
    for name in ("DATA", "AS", "FSIZE", "NOFILE", "CORE", "NPROC"):
        kind = getattr(resource, "RLIMIT_" + name)
        hard = resource.getrlimit(kind)[1]
        try:
            resource.setrlimit(kind, (hard + 1, hard + 1))
        except (ValueError, OSError):
            continue
        got += resource.getrlimit(kind)[0] > hard
    return got
