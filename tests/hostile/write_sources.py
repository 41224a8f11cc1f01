"""Writes into its own folder and into the worker that runs it."""

import os


def worked(action):
    try:
        action()
    except OSError:
        return False
    return True


def detect(rows, seed):
    files = [os.path.join(folder, name) for folder in ("/entry", "/worker") for name in os.listdir(folder)]
    got = sum(worked(lambda file=file: open(file, "a").close()) for file in files)
    got += sum(worked(lambda file=file: os.chmod(file, os.stat(file).st_mode & 0o777)) for file in files)
    got += sum(worked(lambda file=file: os.unlink(file)) for file in files)
    return got + sum(
        worked(lambda folder=folder: os.mkdir(folder + "/x")) for folder in ("/entry", "/worker", "/")
    )
