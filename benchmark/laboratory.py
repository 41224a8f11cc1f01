"""The scorer's own training and probing: in pinned processes, and remembered by content.

Numbers that the scorer computes with BLAS or torch would otherwise hang on how its own process was started.
Here they come from a process with one thread and one instruction set, like an entry's.
"""

import hashlib
import io
import os
import queue
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Self

import numpy as np

from benchmark import gallery
from benchmark.errors import LaboratoryError
from benchmark.isolation.host import CaseFailed, EntryCode, Limits, Worker
from benchmark.isolation.launchers import PROCESS
from benchmark.isolation.numeric import numeric_class
from benchmark.provided import FILES, HERE, provided
from benchmark.records import Arrays, Call, Caller, Field
from benchmark.seeds import arrays_digest, digest_of

LIMITS = Limits(call_seconds=900.0, load_seconds=300.0, memory_mib=8192)
PACKAGES = ("numpy", "scipy", "scikit-learn", "torch")
"""The packages whose versions may change an answer."""
DIGEST = "digest"
"""The name under which a file of remembered arrays holds their own digest."""


class Laboratory:
    """A laboratory at work: any number of threads may call it, each in a process of its own.

    name: a folder of `benchmark/lab/`. memory: the folder for answers that are remembered.
    """

    def __init__(self, name: str, memory: Path) -> None:
        self._folder = HERE / "lab" / name
        self._memory = memory
        self._idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        self._stack = ExitStack()
        self._code = EntryCode(
            folder=self._folder,
            function="laboratory",
            signature_name="laboratory",
            arguments=(),
            packages=(self._stack.enter_context(provided()),),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()

    def compute(self, call: Call) -> Arrays:
        """The answer to a call, computed now. Raises LaboratoryError when there is none."""
        worker = self._worker()
        try:
            return worker.examine(lambda caller: _asked(caller, call)).value
        except CaseFailed as failed:
            raise LaboratoryError(
                f"laboratory {self._folder.name}: expected an answer to {call.function}, got "
                f"{failed.status.value}: {failed.reason}; see that the machine has memory and time to spare"
            ) from None
        finally:
            self._idle.put(worker)

    def remembered(self, call: Call) -> Arrays:
        """The answer to a call: the one kept from an earlier run, or computed now and kept.

        It is found by a hash of everything that made it: the arguments with every byte of their arrays, the
        code, the settings, the versions of the packages, and the instruction set. A file that is torn or
        was changed is not believed but computed again. Raises LaboratoryError when there is no answer.
        """
        place = self._memory / f"{self._key(call)}.npz"
        found = _recalled(place, call.returns)
        if found is None:
            found = self.compute(call)
            _keep(place, found)
        return found

    def _worker(self) -> Worker:
        """A worker that does nothing else; a new one when all are at work."""
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            return self._stack.enter_context(Worker(PROCESS, self._code, LIMITS))

    def _key(self, call: Call) -> str:
        arrays = {name: value for name, value in call.arguments.items() if isinstance(value, np.ndarray)}
        numbers = sorted((name, value) for name, value in call.arguments.items() if isinstance(value, int))
        if len(arrays) + len(numbers) < len(call.arguments):
            raise ValueError(f"{call.function}: expected arrays and whole numbers to remember an answer by")
        return digest_of(
            call.function,
            arrays_digest(arrays),
            repr(numbers),
            repr([(field.name, field.dtype, field.shape) for field in call.returns]),
            _code_digest(self._folder),
            repr([(name, version(name)) for name in PACKAGES]),
            numeric_class(),
        ).hex()


def _asked(caller: Caller, call: Call) -> Arrays:
    caller(Call("laboratory", {}, returns=()))
    return caller(call)


def _code_digest(folder: Path) -> str:
    """The SHA-256, in hex, of the code that answers: the laboratory's and the shared models'."""
    digest = hashlib.sha256()
    for path in (folder / "method.py", *(HERE / file for file in FILES)):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _recalled(place: Path, fields: Sequence[Field]) -> Arrays | None:
    """The arrays kept at `place`, if they are whole and those that `fields` ask for."""
    try:
        with np.load(io.BytesIO(place.read_bytes()), allow_pickle=False) as held:
            arrays = {name: held[name] for name in held.files}
    except gallery.UNREADABLE:
        return None
    digest = arrays.pop(DIGEST, np.array(""))
    wanted = {field.name: (field.dtype, field.shape) for field in fields}
    got = {name: (array.dtype.name, array.shape) for name, array in arrays.items()}
    return arrays if got == wanted and str(digest) == arrays_digest(arrays) else None


def _keep(place: Path, arrays: Arrays) -> None:
    """Writes arrays in one step: `place` holds all of them or what it held before, never a part.

    A folder that cannot be written to only costs the time to compute them again.
    """
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, **{DIGEST: np.array(arrays_digest(arrays))}, **arrays)  # type: ignore[arg-type]
            os.replace(temporary, place)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
