"""Writes kernel settings, such as the program that core dumps are piped to."""

import os


def worked(action):
    try:
        action()
    except OSError:
        return False
    return True


def detect(rows, seed):
    written = []
    for folder, _, files in os.walk("/proc", onerror=None):
        if folder.count("/") > 4 or "/task/" in folder or folder.endswith("/fd"):
            continue
        for name in files:
            place = os.path.join(folder, name)
            if worked(lambda place=place: os.close(os.open(place, os.O_WRONLY))):
                written.append(place)
    print(written[:9])
    return len(written)
