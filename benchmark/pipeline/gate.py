"""Which pull requests may be scored: those that change one entry's folder, and hold plain files there."""

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.entries import ID
from benchmark.entry_files import CACHE, MAX_BYTES, MAX_FILES, MAX_TOTAL
from benchmark.errors import GateError, UsageError, raise_all
from benchmark.pipeline.checkout import ABSENT, FILE_MODES, LINK, SUBMODULE, Change, Repository, TreeFile
from benchmark.text import fault, shown

CONTRIB = "contrib"
MOST_PATH = 200
"""How many characters a path in an entry's folder may have."""
MOST_REASONS = 50
"""How many reasons are given; the rest is counted."""
MOST_NAMED = 10
"""How many of the entries that a refused pull request touches are looked at."""
ALONE = "take it out, or open a pull request of its own for it"
MADE = {
    "results": "take it out: results are made after the merge",
    "scores": "take it out: it is for you alone",
}
"""The next step where a change is of what runs make."""

AREAS = {
    "results": "the results, which the maintainers' own runs write",
    "scores": "what score.py wrote on your machine",
    ".github": "the workflows",
    "benchmark": "the scorer",
    "scripts": "the scorer",
    "tests": "the tests",
    "perf": "the performance scripts",
    "schemas": "the schemas",
    "site": "the site",
    "templates": "the site",
}
"""What a change outside of contrib/ is a change of."""

LEFT = "what Python leaves behind"
NAME_FAULTS = tuple(
    (re.compile(pattern, re.IGNORECASE | re.ASCII), words)
    for pattern, words in (
        (r"", "an empty name"),
        (r"\.\.?", "a name that leads elsewhere"),
        (r"(?s:.*)[\x00-\x1f\x7f](?s:.*)", "a control character"),
        (r".*[^\x00-\x7f].*", "characters that are not ASCII"),
        (r".*\\.*", "a backslash"),
        (r".*:.*", "a colon"),
        (r"\.git.*|git~\d+", "a name that git takes for its own"),
        (r"\..*", "a hidden name"),
        (r".*[. ]", "a dot or a space at its end"),
        (r"(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\..*)?", "a name that Windows keeps for a device"),
        (re.escape(CACHE), LEFT),
        (r".{101,}", "more than 100 characters"),
        (r"(?![a-z0-9_][a-z0-9_.-]*$).*", "another character"),
    )
)
"""What a name of a file or folder may not be, the first that fits, and what that is called."""


@dataclass(frozen=True)
class Verdict:
    """Whether a pull request may be scored."""

    entry: str | None
    """The id of the entry that it adds or changes; None when it is refused."""
    reasons: tuple[str, ...] = ()
    """Why it is refused, one line each: what, where, expected, got, next step."""
    files: tuple[TreeFile, ...] = ()
    """All files of the entry; none when it is refused."""


def decide(changes: Sequence[Change], entries: Collection[str], files: Sequence[TreeFile]) -> Verdict:
    """Whether a pull request may be scored: the entry, or every reason against it.

    changes: what it changes since it left the main branch. entries: the ids there are on the main branch
    now. files: all that its head holds below contrib/.
    """
    if not changes:
        return Verdict(None, (fault("the pull request", "changes to one entry", "none", "add an entry"),))
    reasons = [*_places(changes)]
    touched = sorted({_entry_of(change.path) for change in changes} - {""})
    for name in touched[:MOST_NAMED]:
        own = [file for file in files if _entry_of(file.path) == name]
        its = [change for change in changes if _entry_of(change.path) == name]
        reasons += [*_id_faults(name, entries, _is_new(its, own)), *_folder_faults(name, own)]
    if len(touched) > 1:
        reasons.append(_several(touched))
    if reasons:
        return Verdict(None, _first(reasons))
    (entry,) = touched
    return Verdict(entry, (), tuple(file for file in files if _entry_of(file.path) == entry))


def verdict(repository: Repository, base: str, head: str) -> Verdict:
    """The verdict on the commit `head` as a pull request against `base`, both by name.

    Raises UsageError for names of no commit, GateError when they have no one common ancestor.
    """
    old, new = repository.commit(base), repository.commit(head)
    changes = repository.changes(repository.fork(old, new), new)
    return decide(changes, repository.names(old, CONTRIB), repository.files(new, CONTRIB))


def extract(repository: Repository, accepted: Verdict, into: Path) -> Path:
    """Writes the files of an accepted entry below `into`, as they were committed, and says where.

    Raises UsageError when something is in its place, GateError when git does not give the files.
    """
    assert accepted.entry is not None
    folder = into / accepted.entry
    if os.path.lexists(folder):
        raise UsageError(fault(folder, "nothing there yet", "something", "choose another folder for --into"))
    folder.mkdir(parents=True)
    for file, content in zip(accepted.files, repository.contents(accepted.files), strict=True):
        place = into / Path(file.path).relative_to(CONTRIB)
        place.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as target:
            target.write(content)
    return folder


def refuse(refused: Verdict) -> None:
    """Nothing for an accepted pull request. Raises GateError with the reasons against a refused one."""
    raise_all(GateError, refused.reasons)


def _entry_of(path: str) -> str:
    """The name of the folder in contrib/ that `path` lies in; empty where it lies in none."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == CONTRIB else ""


def _places(changes: Sequence[Change]) -> Iterator[str]:
    """The changes that lie in no entry's folder."""
    for path in (change.path for change in changes if not _entry_of(change.path)):
        top, *below = path.split("/")
        if top == CONTRIB and below:
            step = "move it into contrib/<entry>/"
            yield fault(shown(path), "files in an entry's folder", "one straight in contrib/", step)
            continue
        area = AREAS.get(top, "the project itself") if below else "the project itself"
        step = MADE.get(top, ALONE) if below else ALONE
        yield fault(shown(path), f"changes in {CONTRIB}/<entry>/ alone", f"one of {area}", step)


def _is_new(changes: Sequence[Change], files: Sequence[TreeFile]) -> bool:
    """Whether all that the folder holds is added, and nothing was there before."""
    return len(changes) == len(files) and all(change.before == ABSENT for change in changes)


def _id_faults(name: str, entries: Collection[str], is_new: bool) -> Iterator[str]:
    where = shown(f"{CONTRIB}/{name}")
    if not ID.fullmatch(name) or name == CACHE:
        yield fault(where, "a name of 2 to 40 characters of a-z, 0-9 and _", shown(name), "choose another")
    if is_new and name in entries:
        step = "bring the branch up to date where that is your entry, or choose another name"
        yield fault(where, "a name of its own", "that of an entry merged meanwhile", step)
    for other in sorted(entries):
        if other != name and other.casefold() == name.casefold():
            yield fault(where, "an id of its own", f"one like {shown(other)}", "choose another")


def _folder_faults(name: str, files: Sequence[TreeFile]) -> Iterator[str]:
    """What is wrong with the whole of an entry's folder, whichever part of it was changed."""
    where = shown(f"{CONTRIB}/{name}")
    if not files:
        step = "ask a maintainer, who removes an entry together with its results"
        yield fault(where, "an entry that stays", "its removal", step)
        return
    for file in files:
        yield from _file_faults(file)
    short = [file.path for file in files if len(file.path) <= MOST_PATH]
    yield from _alike(short)
    count = len({prefix for path in short for prefix in _prefixes(path)})
    if count > MAX_FILES:
        yield fault(
            where, f"at most {MAX_FILES} files and folders", f"{count}", "remove or join some of them"
        )
    total = sum(file.size or 0 for file in files)
    if total > MAX_TOTAL:
        yield fault(where, f"at most {MAX_TOTAL} bytes in all files", f"{total}", "remove or shorten some")


def _file_faults(file: TreeFile) -> Iterator[str]:
    where, plain = shown(file.path), "plain files"
    if file.mode == LINK:
        yield fault(where, plain, "a link", "put there what it points to")
    elif file.mode == SUBMODULE:
        yield fault(where, plain, "a submodule", "put there the files that are needed")
    elif file.mode not in FILE_MODES or file.size is None:
        yield fault(where, plain, f"something of mode {file.mode}", "add it anew as a file")
    elif file.size > MAX_BYTES:
        yield fault(where, f"at most {MAX_BYTES} bytes", f"{file.size}", "make it smaller or split it")
    if len(file.path) > MOST_PATH:
        yield fault(where, f"a path of at most {MOST_PATH} characters", f"{len(file.path)}", "shorten it")
    allowed = "a name of ASCII letters, digits, '_', '-' and '.'"
    for part in file.path.split("/")[2:]:
        if (got := _name_fault(part)) is not None:
            yield fault(where, allowed, got, "delete it" if got == LEFT else "rename it")


def _name_fault(name: str) -> str | None:
    """What a name is that may not be; None for one that may."""
    return next((words for pattern, words in NAME_FAULTS if pattern.fullmatch(name)), None)


def _prefixes(path: str) -> Iterator[str]:
    """The path and the folders it lies in, below its entry's."""
    parts = path.split("/")
    yield from ("/".join(parts[:end]) for end in range(3, len(parts) + 1))


def _alike(paths: Sequence[str]) -> Iterator[str]:
    """The names that are one where case is not told apart, or that a file and a folder share."""
    first: dict[str, tuple[str, bool]] = {}
    for path in paths:
        for prefix in _prefixes(path):
            now = (prefix, prefix == path)
            before = first.setdefault(prefix.casefold(), now)
            if before is not now and (before != now or now[1]):
                yield fault(shown(prefix), "a name of its own", f"one like {shown(before[0])}", "rename it")


def _several(names: Sequence[str]) -> str:
    listed = ", ".join(map(shown, names[:MOST_NAMED])) + (", ..." if len(names) > MOST_NAMED else "")
    step = "open a pull request for each"
    return fault("the pull request", "changes to one entry", f"{len(names)} of them, {listed}", step)


def _first(reasons: Sequence[str]) -> tuple[str, ...]:
    """The first reasons, each once, and how many more there are."""
    every = tuple(dict.fromkeys(reasons))
    more = len(every) - MOST_REASONS
    return (*every[:MOST_REASONS], f"and {more} more like these") if more > 0 else every
