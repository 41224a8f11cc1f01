"""The result of an entry that could not even be started: a row for each case, with the reason."""

import time

from benchmark.digests import suite_digest
from benchmark.entries import Entry
from benchmark.errors import EntryError
from benchmark.fingerprint import fingerprint
from benchmark.machine import environment
from benchmark.records import Outcome, Status
from benchmark.results import Result
from benchmark.scorer import Request, Run, assembled
from benchmark.text import printable

MOST_CHARACTERS = 1000
"""How long the reason may be."""


def unscored(request: Request, error: EntryError) -> Result:
    """The incomplete result of a request whose entry failed before its first case, all its cases crashed.

    Raises LaboratoryError when this machine cannot be described.
    """
    started = time.monotonic()
    reason = _reason(request.entry, error)
    outcomes = tuple(Outcome(key, key.kind, Status.CRASHED, reason) for key in request.keys)
    machine = environment(request.launcher, fingerprint(request.cache))
    suite = suite_digest(request.version, request.keys)
    return assembled(request, Run(outcomes, suite, machine, started)).result


def _reason(entry: Entry, error: EntryError) -> str:
    """What went wrong, in one line that is the same wherever the entry's folder lies."""
    text = " | ".join(error.faults).replace(f"{entry.folder.as_posix()}/", "")
    return printable(f"not started: {text}")[:MOST_CHARACTERS]
