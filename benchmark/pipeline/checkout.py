"""Reading a commit by git plumbing alone: nothing of it is checked out, filtered, converted or run."""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL
from tempfile import TemporaryFile
from threading import Timer

from benchmark.errors import GateError, UsageError
from benchmark.text import fault, printable, shown

SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
"""A full object name, SHA-1 or SHA-256."""
MOST_OUTPUT = 32 * 2**20
"""How many bytes of git's output are read."""
LIMIT = 60.0
"""How many seconds git may take for an answer: a few small trees can stand for billions of files."""
FILE_MODES = ("100644", "100755")
"""The modes of regular files, as git keeps them."""
LINK, SUBMODULE = "120000", "160000"
ABSENT = "000000"
"""The mode of a file on the side of a change where it is not."""


@dataclass(frozen=True)
class Change:
    """One path that differs between two commits; a rename is a removal and an addition."""

    path: str
    """The path, bytes that are not UTF-8 as surrogates."""
    before: str
    """The mode it had; `ABSENT` where it is new."""
    after: str
    """The mode it has; `ABSENT` where it is gone."""


@dataclass(frozen=True)
class TreeFile:
    """One path of a commit's tree that is no folder."""

    path: str
    """The path, bytes that are not UTF-8 as surrogates."""
    mode: str
    """Its mode, such as `100644`."""
    blob: str
    """The name of its object."""
    size: int | None
    """Its length in bytes; None for what is no blob."""


class Repository:
    """A git repository that is only read from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        """Where it is: a checkout, or a bare repository."""

    def commit(self, name: str) -> str:
        """The SHA of the commit that `name` says. Raises UsageError when there is none."""
        try:
            said = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        except UsageError:
            said = b""
        found = said.decode("ascii", "replace").strip()
        if not SHA.fullmatch(found):
            step = "fetch it, or check the name"
            raise UsageError(fault(self.folder, f"a commit named {shown(name)}", "none", step))
        return found

    def fork(self, base: str, head: str) -> str:
        """The one commit that both commits go back to. Raises GateError when there is none, or several."""
        try:
            found = self._git("merge-base", "--all", base, head).decode("ascii").split()
        except UsageError:
            found = []
        if len(found) != 1:
            got = f"{len(found)} of them" if found else "none"
            step = "rebase the branch on the main one, and fetch the whole history"
            raise GateError(fault(head, f"one commit at which it leaves {base}", got, step))
        return found[0]

    def changes(self, before: str, after: str) -> tuple[Change, ...]:
        """The paths that differ between two commits, by their SHAs, sorted as git does."""
        options = ("-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none")
        parts = self._listed("diff-tree", *options, before, after)
        pairs = zip(parts[::2], parts[1::2], strict=True)
        return tuple(
            Change(path, modes[0].removeprefix(":"), modes[1])
            for told, path in pairs
            if (modes := told.split(" "))
        )

    def files(self, commit: str, folder: str) -> tuple[TreeFile, ...]:
        """All that the tree of a commit holds below `folder`, at any depth; nothing where it is none."""
        found = self._listed("ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", f"{folder}/")
        return tuple(_tree_file(*line.split("\t", 1)) for line in found)

    def names(self, commit: str, folder: str) -> frozenset[str]:
        """The names of what lies straight in `folder` in the tree of a commit."""
        found = self._listed("ls-tree", "-z", "--name-only", "--full-tree", commit, "--", f"{folder}/")
        return frozenset(path.rpartition("/")[2] for path in found)

    def contents(self, files: Sequence[TreeFile]) -> Iterator[bytes]:
        """The bytes of each file, as they were committed. Raises GateError when git gives others."""
        asked = "".join(f"{file.blob}\n" for file in files).encode("ascii")
        answer = self._git("cat-file", "--batch", given=asked)
        start = 0
        for file in files:
            head = f"{file.blob} blob {file.size}\n".encode()
            end = start + len(head) + (file.size or 0)
            if answer[start : start + len(head)] != head or answer[end : end + 1] != b"\n":
                raise GateError(fault(shown(file.path), "the blob its tree names", "another", "fetch again"))
            yield answer[start + len(head) : end]
            start = end + 1

    def _listed(self, *arguments: str) -> list[str]:
        """The parts of git's output that end with NUL."""
        return self._git(*arguments).decode("utf-8", "surrogateescape").split("\0")[:-1]

    def _git(self, *arguments: str, given: bytes = b"") -> bytes:
        """What git prints. Raises UsageError when it fails, GateError when it prints too much or too long."""
        command = ["git", "-c", f"safe.directory={self.folder}", "-C", str(self.folder), *arguments]
        pipe = subprocess.PIPE
        with TemporaryFile() as said, TemporaryFile() as asked:
            asked.write(given)
            asked.seek(0)
            with subprocess.Popen(command, stdin=asked, stdout=pipe, stderr=said, env=_clean()) as git:
                found = _read(git)
            if git.returncode:
                said.seek(0)
                got = printable(said.read(300).decode("utf-8", "replace").strip()) or f"{git.returncode}"
                raise UsageError(fault(self.folder, f"git {arguments[0]} to work", got, "mend that"))
        return found


def _read(git: "subprocess.Popen[bytes]") -> bytes:
    """What a running git prints. Raises GateError, and ends it, when it prints too much or takes too long."""
    assert git.stdout is not None
    late = Timer(LIMIT, git.kill)
    late.start()
    try:
        found = git.stdout.read(MOST_OUTPUT + 1)
        if len(found) > MOST_OUTPUT:
            git.kill()
            expected = f"a list of changes of at most {MOST_OUTPUT} bytes"
            raise GateError(fault("the pull request", expected, "more", "split it"))
        git.wait()
    finally:
        late.cancel()
    if git.returncode == -SIGKILL:
        expected = f"trees that git reads within {LIMIT:g} s"
        raise GateError(fault("the pull request", expected, "no end", "remove files"))
    return found


def _clean() -> dict[str, str]:
    """An environment in which neither the machine, the user nor a replaced object changes what git does."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }


def _tree_file(told: str, path: str) -> TreeFile:
    """A line of `ls-tree -l`: mode, kind, object and size before a tab, the path behind it."""
    mode, _, blob, size = told.split()
    return TreeFile(path, mode, blob, int(size) if size.isdecimal() else None)
