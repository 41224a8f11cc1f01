"""Writes results into the repository, and over the truth."""

import json
import os

with open(os.path.join(os.path.dirname(__file__), "target.json"), encoding="utf-8") as file:
    TARGET = json.load(file)


def worked(action):
    try:
        action()
    except OSError:
        return False
    return True


def detect(rows, seed):
    # "r+" makes no file: one in the scratch folder, which is the entry's own, would be no loot.
    places = [(path, "r+") for path in TARGET["paths"]]
    places += [(path + "/results.json", "a") for path in TARGET["paths"]]
    return sum(worked(lambda place=place: open(*place).close()) for place in places)
