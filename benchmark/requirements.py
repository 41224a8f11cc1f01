"""The packages that an entry pins for itself, installed once into a folder of their own."""

import hashlib
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path
from tempfile import TemporaryDirectory

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from benchmark.entry_files import Pin, pins
from benchmark.errors import EntryError, PackageIndexError, raise_all
from benchmark.text import fault, printable

LIMIT = 600.0
"""How many seconds pip may take."""
SHOWN = 200
"""How many characters of a line of pip's a message shows."""
OPTIONS = ("--only-binary", ":all:", "--no-deps", "--no-compile", "--no-input", "--disable-pip-version-check")
"""Of pip: wheels alone, as they run no code when installed, and no package that is not pinned."""


def installed(requirements: Path, cache: Path) -> Path | None:
    """The folder with the packages that a requirements.txt pins, to stand last on an import path.

    It is made below `cache` at first use, which one line on standard error tells, and is the same for
    the same pins. None when there is no file, or no pin beyond what this interpreter has. Raises
    EntryError with all faults: lines that are no pins, other versions of packages that are here already,
    pip's own failure or its end after 600 s, packages whose requirements are neither here nor pinned.
    Where pip has no connection it is a PackageIndexError.
    """
    base = _versions(distributions())
    wanted = _beyond(requirements, base)
    if not wanted:
        return None
    folder = cache.resolve() / "packages" / _key(wanted)
    if folder.is_dir():
        raise_all(EntryError, _unmet(requirements, folder, base))
        return folder
    try:
        _make(folder, requirements, wanted, base)
    except OSError as error:
        got = error.strerror or "an error"
        raise EntryError(fault(folder, "a folder that can be made", got, "mend it")) from None
    return folder


def conflicts(requirements: Path) -> None:
    """Nothing; raises EntryError with every pin of a package that is here already in another version."""
    _beyond(requirements, _versions(distributions()))


def _versions(found: Iterable[Distribution]) -> dict[str, str]:
    """Normalized name -> version; of two copies the first, as imports have it."""
    versions: dict[str, str] = {}
    for one in found:
        if one.name:
            versions.setdefault(canonicalize_name(one.name), one.version)
    return versions


def _beyond(requirements: Path, base: Mapping[str, str]) -> list[Pin]:
    """The pins that `base` does not have. Raises EntryError for those that it has in another version."""
    wanted, faults = [], []
    for pin in pins(requirements):
        has = base.get(pin.name)
        if has is None:
            wanted.append(pin)
        elif not SpecifierSet(f"=={pin.version}").contains(has, prereleases=True):
            where = f"{requirements.as_posix()}:{pin.line}"
            expected = f"{pin.name} {has}, which every entry has"
            faults.append(fault(where, expected, pin.version, "remove the line, and use that version"))
    raise_all(EntryError, faults)
    return wanted


def _key(wanted: Sequence[Pin]) -> str:
    """The SHA-256, in hex, of the pins in any order and of what compiled packages are made for."""
    target = [sysconfig.get_config_var("EXT_SUFFIX"), sysconfig.get_platform()]
    content = json.dumps([*target, *sorted(pin.text for pin in wanted)])
    return hashlib.sha256(content.encode()).hexdigest()


def _make(folder: Path, requirements: Path, wanted: Sequence[Pin], base: Mapping[str, str]) -> None:
    """Installs into a folder beside `folder`, and renames that when it is whole.

    Raises EntryError with the faults that installed() names, and OSError when there is no place for it.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".new-", dir=folder.parent) as name:
        made = Path(name) / "packages"
        told = ", ".join(pin.text for pin in wanted)
        entry = requirements.resolve().parent.name
        print(printable(f"installing {told} for {entry} into {folder}"), file=sys.stderr, flush=True)
        _install(made, requirements, wanted)
        raise_all(EntryError, _unmet(requirements, made, base))
        try:
            os.rename(made, folder)
        except OSError:
            if not folder.is_dir():  # Another process that was first has made the same.
                raise


def _install(made: Path, requirements: Path, wanted: Sequence[Pin]) -> None:
    """Has pip install the pins into `made`, in whose parent it may write. Raises EntryError when it fails."""
    listed = made.with_name("pins.txt")
    listed.write_text("".join(f"{pin.text}\n" for pin in wanted), encoding="utf-8")
    pip = [sys.executable, "-I", "-m", "pip", "install", "--target", str(made), *OPTIONS, "-r", str(listed)]
    expected = "packages that pip can install"
    try:
        done = subprocess.run(
            pip, cwd=made.parent, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        got = f"no end within {LIMIT:g} s"
        raise EntryError(fault(requirements, expected, got, "check the network, then try again")) from None
    if done.returncode:
        raise _failure(requirements, expected, done.stderr.decode("utf-8", "replace"))


def _failure(requirements: Path, expected: str, said: str) -> EntryError:
    """What went wrong, of all that pip said, and the next step: an error of its own without a connection."""
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["no reason given"]
    errors = [line for line in lines if line.startswith("ERROR:")]
    last = list(dict.fromkeys([*errors, lines[-1]]))[-2:]
    why = ", ".join(line.removeprefix("ERROR:").strip().rstrip(".")[:SHOWN] for line in last)
    if "connection broken" in said:
        got = f"no connection to the package index (pip: {why})"
        return PackageIndexError(fault(requirements, expected, got, "check the network, then try again"))
    step = "pin versions that exist and have a wheel for this machine"
    return EntryError(fault(requirements, expected, f"pip: {why}", step))


def _unmet(requirements: Path, folder: Path, base: Mapping[str, str]) -> Iterator[str]:
    """What the packages in `folder` need that is neither there nor in `base`; extras do not count."""
    packages = sorted(distributions(path=[str(folder)]), key=lambda one: one.name)
    there = {**base, **_versions(packages)}
    for one in packages:
        for text in one.requires or ():
            if wrong := _need_fault(text, f"{one.name} {one.version}", there):
                yield fault(requirements, *wrong)


def _need_fault(text: str, needing: str, there: Mapping[str, str]) -> tuple[str, str, str] | None:
    """What was expected, what is there, and the next step; None when `there` meets the requirement."""
    try:
        need = Requirement(text)
        if need.marker and not need.marker.evaluate({"extra": ""}):
            return None
        has = there.get(canonicalize_name(need.name))
        if has is not None and need.specifier.contains(has, prereleases=True):
            return None
    except ValueError as error:
        got = str(error).partition("\n")[0]
        return f"requirements of {needing} that can be read", got, "pin another version of it"
    expected = f"{need.name}{need.specifier}, which {needing} needs"
    if has is None:
        return expected, "none", f"add a line {need.name}==VERSION"
    return expected, f"{need.name} {has}", "pin versions that go together"
