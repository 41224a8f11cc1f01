"""The host of an entry: starts its worker, gives each case a fresh fork, and ends what is left of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Self, TypeVar

from benchmark.isolation.case import Case
from benchmark.isolation.channel import Gone
from benchmark.isolation.launched import Task
from benchmark.isolation.launchers import Launcher
from benchmark.isolation.protocol import Malformed
from benchmark.isolation.tree import Tree
from benchmark.records import Caller, CallFailed, Status

T = TypeVar("T")


FEW_CASES, MOST_CASES = 8, 200
"""How many cases one start of a worker serves, unless more are expected, and at most."""


@dataclass(frozen=True)
class EntryCode:
    """An entry's function for one track."""

    folder: Path
    """The entry's folder, which holds `method.py`."""
    function: str
    """The function's name in `method.py`."""
    signature_name: str
    """The function's name as the track states it, and as calls name it."""
    arguments: tuple[str, ...]
    """The names of its arguments."""
    packages: tuple[Path, ...] = ()
    """Folders to import from after the installed packages, which they cannot hide; read-only in a sandbox."""
    pinned: tuple[Path, ...] = ()
    """Such folders that the entry chose, which each case imports from anew."""
    preload: tuple[str, ...] = ()
    """Modules imported before the entry is, so that no case pays for it."""


@dataclass(frozen=True)
class Limits:
    """What an entry may use."""

    call_seconds: float
    """Wall time of one call, from the first byte sent to the last byte of the answer."""
    load_seconds: float
    """Wall time of its imports."""
    memory_mib: int
    """Memory of each of its processes, in MiB."""


@dataclass(frozen=True)
class Examined(Generic[T]):
    """One examined case."""

    value: T
    """What was made of the entry's answers."""
    seconds: float
    """Wall time of the entry's calls, the transfer of arrays included."""
    output: str
    """What the entry printed, bounded and made harmless."""


class CaseFailed(CallFailed):
    """A case without a usable answer, with its status and reason."""

    def __init__(self, failed: CallFailed, seconds: float = 0.0, output: str = "") -> None:
        super().__init__(failed.status, failed.reason)
        self.seconds = seconds
        """Wall time of the entry's calls; 0 where none was made."""
        self.output = output
        """What the entry printed, its traceback included, bounded and made harmless."""


class Worker:
    """An entry at work on cases, one at a time: its packages imported once, each case in a fresh fork.

    Any thread may use a worker, one at a time. What cases are forked from is made before the first of them,
    for as many as are expected. After those, and after a timeout or a broken frame, all its processes are
    ended, and the next case pays for the import again. An entry that cannot be loaded is not tried again:
    every case fails with the reason.
    """

    def __init__(self, launcher: Launcher, entry: EntryCode, limits: Limits, cases: int = FEW_CASES) -> None:
        self._launcher = launcher
        self._cases = min(cases, MOST_CASES)
        self._entry = entry
        self._limits = limits
        self._tree: Tree | None = None
        self._unloadable: CaseFailed | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.end()

    def end(self) -> None:
        """Ends every process of the worker. A later case would start it anew."""
        tree, self._tree = self._tree, None
        if tree is not None:
            tree.end()

    def examine(self, examine: Callable[[Caller], T]) -> Examined[T]:
        """What `examine` makes of one case, by calls through the caller it is given.

        Raises CaseFailed when a call gives no usable answer or the entry cannot be loaded, and
        IsolationError when the launcher cannot start a worker. Whatever else `examine` raises comes through.
        """
        tree, case = self._begun()
        try:
            value = examine(case.call)
            return Examined(value, case.seconds, case.output)
        except CallFailed as failed:
            raise CaseFailed(failed, case.seconds, case.output) from None
        finally:
            tree.finish(case)
            if case.broken:
                self.end()

    def _begun(self) -> tuple[Tree, Case]:
        """A fork for one case: of the image that runs, or of a new one where that is gone."""
        if self._tree is not None:
            try:
                return self._tree, self._tree.begin(self._limits.call_seconds)
            except (TimeoutError, Gone, Malformed):
                self.end()
        tree = self._loaded()
        try:
            return tree, tree.begin(self._limits.call_seconds)
        except (TimeoutError, Gone, Malformed):
            self.end()
            reason = "method.py: expected to be forked for each case once imported, got no fork"
            raise CaseFailed(CallFailed(Status.CRASHED, reason)) from None

    def _loaded(self) -> Tree:
        """New processes with the entry imported; a failure is remembered."""
        if self._unloadable is not None:
            raise CaseFailed(self._unloadable, output=self._unloadable.output)
        entry = self._entry
        self._tree = Tree(
            self._launcher.start(
                Task(
                    folder=entry.folder,
                    function=entry.function,
                    signature=entry.signature_name,
                    arguments=entry.arguments,
                    memory_mib=self._limits.memory_mib,
                    cases=self._cases,
                    packages=entry.packages,
                    pinned=entry.pinned,
                    preload=entry.preload,
                )
            )
        )
        try:
            self._tree.load(self._limits.load_seconds)
        except CallFailed as failed:
            self._unloadable = CaseFailed(failed, output=self._tree.printed)
            self.end()
            raise CaseFailed(self._unloadable, output=self._unloadable.output) from None
        return self._tree
