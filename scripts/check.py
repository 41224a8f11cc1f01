"""Checks entries and results in seconds, without running any entry, and reports all faults at once."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from benchmark import fresh, gallery, verified
from benchmark.audit import is_stale, load, misplaced, version_of
from benchmark.commands import ROOT, Exit, complain, near, run
from benchmark.entries import Entry, cautions, entry_folders, list_entries, read_entry
from benchmark.entry_files import DESCRIPTOR, REQUIREMENTS
from benchmark.errors import LeaderboardError, UsageError, raise_all
from benchmark.requirements import conflicts
from benchmark.results import FILE_NAME, Result
from benchmark.text import fault

RESULTS = "results"
KNOWN = {
    1: ("README.md", ".gitkeep", verified.FILE_NAME),
    3: (fresh.FILE_NAME,),
    4: (FILE_NAME, gallery.FILE_NAME),
}
"""The names that a file in results/ may have, by how deep it lies."""
T = TypeVar("T")


class Check:
    """What has been checked, and the faults found on the way."""

    def __init__(self) -> None:
        self.entries = 0
        """How many entries were read."""
        self.results = 0
        """How many results were read."""
        self.faults: list[str] = []
        """One line for each fault."""
        self.cautions: list[str] = []
        """One line for whatever a reviewer should look at in an entry."""
        self.digests: dict[str, str] = {}
        """The digests of the valid entries, by id."""
        self.scored: dict[Path, Result] = {}
        """The valid results, by path."""

    def path(self, path: Path) -> None:
        """Checks an entry's folder, a folder of entries, a folder of results, or one results.json."""
        if path.name == FILE_NAME:
            self._result(path)
        elif (path / DESCRIPTOR).exists():
            self.entries += 1
            self._remember([self._kept(lambda: read_entry(path))])
        elif path.name == "contrib" or any(path.glob(f"*/{DESCRIPTOR}")):
            self.entries += len(entry_folders(path))
            self._remember(self._kept(lambda: list_entries(path)) or [])
        elif _results_root(path) or any(path.rglob(FILE_NAME)):
            self.faults.extend(_strays(path))
            for found in sorted(path.rglob(FILE_NAME)):
                self._result(found)
            for keys in sorted(path.rglob(fresh.FILE_NAME)):
                self._kept(partial(fresh.load, keys))
            self._kept(partial(verified.last, path))
        else:
            self.entries += 1
            self._kept(lambda: read_entry(path))

    def notes(self) -> Iterator[str]:
        """What a reader should know of valid results: what has changed since."""
        for path, result in self.scored.items():
            now = self.digests.get(result.entry)
            if now and now != result.digests.entry:
                yield f"note: {path.as_posix()}: the entry has changed since it was scored"
            if is_stale(version_of(result), result):
                yield f"note: {path.as_posix()}: data or metrics have changed since; score it again"
            if fresh.is_old(result, path):
                yield f"note: {path.as_posix()}: its fresh score is of an older key; use score.py --fresh"

    def orphans(self, contrib: Path) -> Iterator[str]:
        """The faults of results whose entry is not in `contrib`."""
        for path, result in self.scored.items():
            if not (contrib / result.entry).is_dir():
                yield fault(path, f"its entry {result.entry} in contrib/", "none", "remove the result too")

    def _result(self, path: Path) -> None:
        self.results += 1
        result = self._kept(lambda: load(path))
        if result is not None:
            self.scored[path] = result
            if root := _results_root(path):
                self.faults.extend(misplaced(result, path, root))

    def _remember(self, entries: list[Entry] | list[Entry | None]) -> None:
        for entry in entries:
            if entry is not None:
                self.digests[entry.id] = entry.digest
                self.cautions.extend(cautions(entry.folder))
                self._kept(partial(conflicts, entry.folder / REQUIREMENTS))

    def _kept(self, step: Callable[[], T]) -> T | None:
        try:
            return step()
        except LeaderboardError as error:
            self.faults.extend(error.faults)
            return None


def _results_root(path: Path) -> Path | None:
    """The folder named results that `path` is or lies in; None when there is none."""
    return next((folder for folder in (path, *path.parents) if folder.name == RESULTS), None)


def _strays(folder: Path) -> Iterator[str]:
    """The faults of files that have no business among committed results."""
    root = _results_root(folder)
    if root is None:
        return
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(root).parts
        known = parts[-1] in KNOWN.get(len(parts), ())
        if path.is_symlink() or (path.is_file() and not known):
            expected = f"only <track>/<version>/<entry>/{FILE_NAME} in {RESULTS}/"
            yield fault(path, expected, "another file", "remove it or move it")


def main(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Entries, results.json files or folders of them; all by default."),
    ] = None,
) -> None:
    """Check entries and results. Exit codes: 0 all valid, 1 something is not, 2 wrong use."""
    missing = [path for path in paths or () if not path.exists()]
    raise_all(UsageError, (fault(path, "a path that exists", "none", "check it") for path in missing))
    check = Check()
    for path in paths or (near(ROOT / "contrib"), near(ROOT / RESULTS)):
        check.path(path)
    if not paths:
        check.faults.extend(check.orphans(ROOT / "contrib"))
    complain(check.faults)
    complain(check.cautions)
    for note in check.notes():
        print(note)
    found = len(check.faults)
    counts = ((check.entries, "entry", "entries"), (check.results, "result", "results"))
    looked_at = " and ".join(f"{n} {one if n == 1 else many}" for n, one, many in counts)
    print(f"checked {looked_at}: {found or 'no'} fault{'' if found == 1 else 's'}")
    raise typer.Exit(Exit.SHORT if found else Exit.FINE)


if __name__ == "__main__":
    run(main)
