"""Changes limits, priority and processors of the process that forks the cases."""

import json
import os
import resource

with open(os.path.join(os.path.dirname(__file__), "target.json"), encoding="utf-8") as file:
    TARGET = json.load(file)


def settings():
    limits = [resource.getrlimit(kind) for kind in range(16)]
    return [limits, os.getpriority(0, 0), sorted(os.sched_getaffinity(0)), os.sched_getscheduler(0)]


BEFORE = settings()


def detect(rows, seed):
    others = [0, 1, os.getppid()]
    found = BEFORE[1] != TARGET["nice"]
    found += BEFORE[0][resource.RLIMIT_NOFILE][0] != 512
    for number in others:
        for action in (
            lambda number=number: resource.prlimit(number, resource.RLIMIT_NOFILE, (400, 400)),
            lambda number=number: os.setpriority(os.PRIO_PROCESS, number, 5),
            lambda: os.setpriority(os.PRIO_USER, 0, 5),
            lambda: os.setpriority(os.PRIO_PGRP, 0, 5),
            lambda number=number: os.sched_setaffinity(number, {0}),
        ):
            try:
                action()
            except OSError:
                continue
    return found
