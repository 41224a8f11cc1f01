"""Counts cases in the flags and signals of its standard descriptors, kept open from its import on."""

import fcntl
import os

KEPT = [os.dup(number) for number in (0, 1, 2)]
SET_SIGNAL, GET_SIGNAL = 10, 11


def asked(number, command, *value):
    try:
        return fcntl.fcntl(number, command, *value)
    except OSError:
        return 0


def detect(rows, seed):
    found = 0
    for number in (*KEPT, 0, 1, 2):
        flags = asked(number, fcntl.F_GETFL)
        found += asked(number, GET_SIGNAL) != 0
        found += flags & os.O_APPEND != 0
    for number in (*KEPT, 0, 1, 2):
        asked(number, SET_SIGNAL, 12)
        asked(number, fcntl.F_SETFL, asked(number, fcntl.F_GETFL) | os.O_APPEND)
    return found
