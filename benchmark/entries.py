"""Finding and reading entries: folders with a descriptor and a method, never imported."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from benchmark.descriptor import PLACEHOLDERS, Descriptor, describe, parse_toml, wanted_functions
from benchmark.entry_files import (
    CACHE,
    DESCRIPTOR,
    METHOD,
    REQUIREMENTS,
    copy_counted,
    files_digest,
    list_files,
    read_bytes,
    requirement_faults,
)
from benchmark.errors import EntryError, raise_all
from benchmark.source_check import function_faults, parse_source, reading_faults, source_cautions
from benchmark.text import fault, shown
from benchmark.tracks import TRACKS

ID = re.compile(r"[a-z0-9_]{2,40}")
T = TypeVar("T")


@dataclass(frozen=True)
class Entry:
    """A method or a control, as its folder describes it."""

    id: str
    """The folder's name, `[a-z0-9_]{2,40}`."""
    folder: Path
    """Where it is."""
    title: str
    """Its name in tables, one line of up to 80 characters."""
    summary: str
    """What it does, one line of up to 300 characters."""
    authors: tuple[str, ...]
    """Who wrote it, at least one name."""
    license: str
    """The license of its files."""
    tracks: tuple[str, ...]
    """Keys of `TRACKS`, at least one."""
    kind: str
    """`method`, or `control`: shown, not ranked."""
    family: str
    """The kind of method."""
    paper: str | None
    """An https link, where there is a paper."""
    code: str | None
    """An https link, where the method's own code is public."""
    bibtex: str | None
    """How to cite it."""
    functions: Mapping[str, str]
    """For each of its tracks, the function in method.py that stands for the track's."""
    digest: str
    """SHA-256 in hex of all that can change a score: all but entry.toml, Markdown and __pycache__."""


def id_fault(folder: Path) -> str | None:
    """Why the name of `folder` cannot be an entry's id; None when it can."""
    name = os.path.basename(os.path.abspath(folder))
    if ID.fullmatch(name):
        return None
    return fault(folder, "a name of 2 to 40 characters of a-z, 0-9 and _", shown(name), "choose another")


def read_entry(folder: Path) -> Entry:
    """The entry in `folder`, which may be anywhere. Raises EntryError with all faults found.

    Nothing of it is run: method.py is compiled only.
    """
    if folder.is_symlink() or not folder.is_dir():
        got = "a link" if folder.is_symlink() else "a file" if folder.exists() else "nothing there"
        raise EntryError(fault(folder, "an entry's folder", got, "check the path"))
    faults = [wrong for wrong in [id_fault(folder)] if wrong]
    files = _kept(faults, partial(list_files, folder))
    table = _kept(faults, partial(_table, folder / DESCRIPTOR))
    descriptor = None
    if table is not None:
        descriptor = _kept(faults, partial(describe, table, (folder / DESCRIPTOR).as_posix()))
    checks = (
        _method_faults(folder / METHOD, table or {}),
        requirement_faults(folder / REQUIREMENTS),
        _reading_faults(files or ()),
    )
    for found in checks:
        _kept(faults, partial(raise_all, EntryError, found))
    raise_all(EntryError, dict.fromkeys(faults))
    assert files is not None and descriptor is not None
    return _entry(folder, files, descriptor)


def cautions(folder: Path) -> Iterator[str]:
    """Lines on what a reviewer should look at in a valid entry; none is a fault."""
    table = _table(folder / DESCRIPTOR)
    for key, value in PLACEHOLDERS.items():
        if table.get(key) == value:
            where = (folder / DESCRIPTOR).as_posix()
            yield f"warning: {where}: {key}: still what new_entry.py wrote; say it in your own words"
    for path in list_files(folder):
        if path.suffix.lower() == ".py":
            with suppress(EntryError):
                yield from source_cautions(parse_source(read_bytes(path), path.as_posix()), path.as_posix())


@contextmanager
def staged(entry: Entry) -> Iterator[Path]:
    """A private folder with exactly the files that the entry's digest counts, gone on leaving.

    So nothing can change a score that the digest does not tell: no descriptor, no Markdown, no bytecode.
    Raises EntryError when the files have changed since the entry was read.
    """
    with TemporaryDirectory(prefix="entry-") as name:
        folder = Path(name)
        copy_counted(entry.folder, folder)
        if files_digest(folder, list_files(folder), _renamed(entry.functions)) != entry.digest:
            raise EntryError(fault(entry.folder, "files that stay as they are", "a change", "score it again"))
        yield folder


def entry_folders(contrib: Path) -> list[Path]:
    """The folders in `contrib` that are meant as entries, sorted: all but hidden ones and __pycache__.

    Raises EntryError when `contrib` is no folder.
    """
    if not contrib.is_dir():
        raise EntryError(fault(contrib, "a folder of entries", "no folder", "check the path"))
    folders = (path for path in contrib.iterdir() if path.is_dir() and not path.name.startswith("."))
    return sorted(folder for folder in folders if folder.name != CACHE)


def list_entries(contrib: Path) -> list[Entry]:
    """All entries in `contrib`, sorted by id. Raises EntryError with all faults of all folders."""
    folders = entry_folders(contrib)
    faults = [*_alike(folders)]
    entries = [_kept(faults, partial(read_entry, folder)) for folder in folders]
    raise_all(EntryError, faults)
    return [entry for entry in entries if entry is not None]


def _kept(faults: list[str], step: Callable[[], T]) -> T | None:
    """What `step` gives; when it raises EntryError, None, with its faults added to `faults`."""
    try:
        return step()
    except EntryError as error:
        faults.extend(error.faults)
        return None


def _table(path: Path) -> dict[str, object]:
    return parse_toml(read_bytes(path), path.as_posix())


def _reading_faults(files: Iterable[Path]) -> Iterator[str]:
    """The faults of Python files that hide what they hold behind another encoding."""
    for path in files:
        if path.suffix.lower() == ".py":
            yield from reading_faults(read_bytes(path), path.as_posix())


def _method_faults(path: Path, table: Mapping[str, object]) -> Iterator[str]:
    module = parse_source(read_bytes(path), path.as_posix())
    for key, name in wanted_functions(table):
        yield from function_faults(module, name, TRACKS[key].signature, path.as_posix())


def _entry(folder: Path, files: tuple[Path, ...], descriptor: Descriptor) -> Entry:
    own = {key: TRACKS[key].signature.name for key in descriptor.tracks}
    functions = own | descriptor.functions
    return Entry(
        id=os.path.basename(os.path.abspath(folder)),
        folder=folder,
        title=descriptor.title,
        summary=descriptor.summary,
        authors=tuple(descriptor.authors),
        license=descriptor.license,
        tracks=tuple(descriptor.tracks),
        kind=descriptor.kind,
        family=descriptor.family,
        paper=descriptor.paper,
        code=descriptor.code,
        bibtex=descriptor.bibtex,
        functions=functions,
        digest=files_digest(folder, files, _renamed(functions)),
    )


def _renamed(functions: Mapping[str, str]) -> dict[str, str]:
    """The functions, by track, whose names differ from the track's own."""
    return {key: name for key, name in functions.items() if name != TRACKS[key].signature.name}


def _alike(folders: list[Path]) -> Iterator[str]:
    """Folders whose names are the same name where a file system does not tell case apart."""
    first: dict[str, Path] = {}
    for folder in folders:
        other = first.setdefault(folder.name.casefold(), folder)
        if other is not folder:
            yield fault(folder, "an id of its own", f"one like {shown(other.name)}", "choose another")
