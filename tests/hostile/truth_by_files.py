"""Looks for the repository, its results, and every file that holds the truth."""

import json
import os
import sys

with open(os.path.join(os.path.dirname(__file__), "target.json"), encoding="utf-8") as file:
    TARGET = json.load(file)


def detect(rows, seed):
    found = sum(os.path.lexists(path) for path in TARGET["paths"])
    for folder, folders, files in os.walk("/"):
        if folder in ("/", os.path.dirname(sys.base_prefix)):
            known = ("proc", "usr", "packages", "lib", os.path.basename(sys.base_prefix))
            folders[:] = [name for name in folders if name not in known]
        found += sum(name in ("results.json", "truth.txt", "scorer.py") for name in files)
    return found
