"""Raises an error whose text forges a log, hides its end and cannot be told twice."""


class Hostile(BaseException):
    told = 0

    def __str__(self):
        Hostile.told += 1
        if Hostile.told > 1:
            raise KeyboardInterrupt
        return "\x1b[2J\u202e::error::" + "x" * 100000


def detect(rows, seed):
    if seed == 0:
        raise Hostile
    return 0
