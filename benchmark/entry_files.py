"""The files of an entry's folder: which there are, what they may be, and their digest."""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import Version

from benchmark.errors import EntryError, raise_all
from benchmark.text import fault, shown

DESCRIPTOR = "entry.toml"
METHOD = "method.py"
REQUIREMENTS = "requirements.txt"

MAX_FILES = 200
"""How many files and folders an entry may have."""
MAX_BYTES = 2**20
"""How large each of its files may be."""
MAX_TOTAL = 4 * 2**20
"""How large all of them together may be."""
CACHE = "__pycache__"
"""What Python leaves behind: never read."""
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
COMPILED = frozenset({".so", ".pyd", ".dll", ".dylib", ".exe", ".pyc", ".pyo"})
PIN = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)==([0-9][A-Za-z0-9.!+_-]*)")


@dataclass(frozen=True)
class Pin:
    """One version of one package, as a line of a requirements.txt names it."""

    name: str
    """The package, normalized: lowercase, with single hyphens."""
    version: str
    """Its version, normalized as PEP 440 has it."""
    line: int
    """Which line of the file, from 1."""

    @property
    def text(self) -> str:
        """The pin as pip reads it: `name==version`."""
        return f"{self.name}=={self.version}"


def list_files(folder: Path) -> tuple[Path, ...]:
    """All files below `folder` outside of __pycache__, sorted by posix path.

    Raises EntryError with all faults: links, hidden, special, or compiled files, files that are not UTF-8
    text, odd names, more than 200 files, a file over 1 MiB, more than 4 MiB in all.
    """
    paths: list[Path] = []
    for path in _walk(folder):
        paths.append(path)
        if len(paths) > MAX_FILES:
            raise EntryError(
                fault(folder, f"at most {MAX_FILES} files and folders", "more", "remove or join some of them")
            )
    raise_all(EntryError, (wrong for path in paths for wrong in (*_faults(path), *_text_faults(path))))
    raise_all(EntryError, _total_faults(folder, paths))
    files = (path for path in paths if path.is_file())
    return tuple(sorted(files, key=lambda path: path.relative_to(folder).as_posix()))


def read_bytes(path: Path) -> bytes:
    """What a file of an entry holds. Raises EntryError when it is missing or may not be in an entry."""
    raise_all(EntryError, _faults(path))
    try:
        return path.read_bytes()
    except OSError as error:
        got = error.strerror or "an error"
        raise EntryError(fault(path, "a file that can be read", got, "mend it")) from None


def files_digest(folder: Path, files: tuple[Path, ...], functions: Mapping[str, str]) -> str:
    """The SHA-256, in hex, of all that can change a score; the same on every machine.

    files: of `folder`; entry.toml and Markdown files are left out. functions: track -> function name,
    where it differs from the track's own.
    """
    digest = hashlib.sha256()
    for path in _counted(folder, files):
        for part in (path.relative_to(folder).as_posix().encode(), read_bytes(path)):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
    digest.update(json.dumps(sorted(functions.items())).encode())
    return digest.hexdigest()


def copy_counted(folder: Path, target: Path) -> None:
    """Copies into `target` the files of `folder` that its digest counts, and no others."""
    for path in _counted(folder, list_files(folder)):
        place = target / path.relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(read_bytes(path))


def _counted(folder: Path, files: tuple[Path, ...]) -> Iterator[Path]:
    """The files that can change a score: all but the descriptor and Markdown."""
    for path in files:
        if path != folder / DESCRIPTOR and path.suffix.lower() != ".md":
            yield path


def pins(path: Path) -> tuple[Pin, ...]:
    """What a requirements.txt pins, in its order; nothing when there is no such file.

    Raises EntryError with all that requirement_faults finds.
    """
    lines = _requirement_lines(path)
    raise_all(EntryError, _pin_faults(path, lines))
    return tuple(pin for line in lines if (pin := _pin(*line)))


def requirement_faults(path: Path) -> Iterator[str]:
    """What is wrong with a requirements.txt, if there is one: anything but exact pins, one to a line."""
    yield from _pin_faults(path, _requirement_lines(path))


def _requirement_lines(path: Path) -> list[tuple[int, str]]:
    """The number and text of each line that is more than white space and a comment."""
    if not os.path.lexists(path):
        return []
    lines = read_bytes(path).decode("utf-8", "replace").splitlines()
    texts = (re.sub(r"(^|\s)#.*", "", line).strip() for line in lines)
    return [(number, text) for number, text in enumerate(texts, start=1) if text]


def _pin_faults(path: Path, lines: Sequence[tuple[int, str]]) -> Iterator[str]:
    seen: set[str] = set()
    for number, text in lines:
        where = f"{path.as_posix()}:{number}"
        pin = _pin(number, text)
        if pin is None:
            yield fault(where, "an exact pin name==version", shown(text), "pin one version of one package")
            continue
        if pin.name in seen:
            yield fault(where, "each package once", f"{shown(pin.name)} again", "remove one of the lines")
        seen.add(pin.name)


def _pin(number: int, text: str) -> Pin | None:
    """The pin that a line holds, or None when it holds anything else."""
    if (match := PIN.fullmatch(text)) is None:
        return None
    try:
        version = str(Version(match[2]))
    except ValueError:
        return None
    return Pin(canonicalize_name(match[1]), version, number)


def _walk(folder: Path) -> Iterator[Path]:
    """Files and folders below `folder`, without following links or entering oddly named folders."""
    waiting = [folder]
    while waiting:
        for path in _children(waiting.pop()):
            if path.name == CACHE:
                continue
            yield path
            if NAME.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
                waiting.append(path)


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        got = error.strerror or "an error"
        raise EntryError(fault(folder, "a folder that can be read", got, "mend it")) from None


def _faults(path: Path) -> Iterator[str]:
    """Why a file or folder may not be in an entry."""
    try:
        status = path.lstat()
    except OSError:
        yield fault(path, "a file", "nothing there", "add it; scripts/new_entry.py shows how it looks")
        return
    if path.name.startswith("."):
        yield fault(path, "no hidden files", "one", "remove it or move it out of the entry's folder")
    elif not NAME.fullmatch(path.name):
        yield fault(path, "a name of ASCII letters, digits, '_', '-' and '.'", "another", "rename it")
    if stat.S_ISLNK(status.st_mode):
        yield fault(path, "files and folders", "a link", "put there what it points to")
    elif stat.S_ISREG(status.st_mode):
        yield from _content_faults(path, status.st_size)
    elif not stat.S_ISDIR(status.st_mode):
        yield fault(path, "files and folders", "a special file", "remove it")


def _text_faults(path: Path) -> Iterator[str]:
    """Why a file of an allowed kind and size is no text that can be reviewed."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES or path.suffix.lower() in COMPILED:
        return
    try:
        content = path.read_bytes()
    except OSError as error:
        yield fault(path, "a file that can be read", error.strerror or "an error", "mend it")
        return
    step = "keep numbers as text, such as CSV or JSON, and compute what is large in the function"
    if b"\0" in content:
        yield fault(path, "text, which can be reviewed", f"a NUL byte at {content.index(0)}", step)
        return
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        got = f"byte 0x{content[error.start]:02x} at {error.start}"
        yield fault(path, "UTF-8 text, which can be reviewed", got, step)


def _total_faults(folder: Path, paths: Sequence[Path]) -> Iterator[str]:
    total = sum(path.lstat().st_size for path in paths if path.is_file())
    if total > MAX_TOTAL:
        yield fault(folder, f"at most {MAX_TOTAL} bytes in all files", f"{total}", "remove or shorten some")


def _content_faults(path: Path, size: int) -> Iterator[str]:
    if size > MAX_BYTES:
        yield fault(path, f"at most {MAX_BYTES} bytes", f"{size}", "make it smaller or split it")
    if path.suffix.lower() in COMPILED:
        yield fault(path, "source or data", "compiled code, which nobody can review", "remove it")
