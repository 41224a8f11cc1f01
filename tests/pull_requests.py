"""Git repositories for tests of what reads pull requests."""

import os
import subprocess
from pathlib import Path

from tests.entry_folders import METHOD, descriptor

GOOD = {"contrib/new_probe/entry.toml": descriptor(), "contrib/new_probe/method.py": METHOD}
"""The files of a pull request that may be scored."""
MAIN = {
    "README.md": "A project.\n",
    "benchmark/scorer.py": "SCORE = 1\n",
    "contrib/old_probe/entry.toml": descriptor(title="An old probe"),
    "contrib/old_probe/method.py": METHOD,
}
"""The files of the main branch."""
Files = dict[str, str | bytes | None]


class Git:
    """A repository with a branch `main`, in which a test makes commits."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder = folder
        self("init", "-q", "-b", "main")
        self.write(MAIN)
        self.main = self.commit("the main branch")

    def __call__(self, *arguments: str, given: bytes | None = None) -> str:
        settings = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
        for role in ("AUTHOR", "COMMITTER"):
            settings |= {f"GIT_{role}_NAME": "Someone", f"GIT_{role}_EMAIL": "someone@example.org"}
        command = ["git", "-C", str(self.folder), *arguments]
        ran = subprocess.run(command, check=True, capture_output=True, input=given, env=os.environ | settings)
        return ran.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, files: Files) -> None:
        """Writes files, and removes those that are None."""
        for name, content in files.items():
            path = self.folder / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, message: str = "a change") -> str:
        """The SHA of a commit of all that is in the folder."""
        self("add", "--all", "--force")
        self("commit", "-q", "--allow-empty", "-m", message)
        return self("rev-parse", "HEAD")

    def pull(self, files: Files) -> str:
        """The SHA of a commit that changes `files` on a branch of its own."""
        self("checkout", "-q", "-B", "pull", self.main)
        self.write(files)
        return self.commit()

    def pull_tree(self, lines: str, base: Files | None = None) -> str:
        """The SHA of a commit of `base` with paths added to its index: MODE SHA TAB PATH, one a line."""
        self.pull(dict(GOOD if base is None else base))
        self("update-index", "--add", "--index-info", given=lines.encode("utf-8", "surrogateescape"))
        self("commit", "-q", "-m", "odd")
        return self("rev-parse", "HEAD")

    def blob(self, content: bytes) -> str:
        """The SHA of a blob."""
        return self("hash-object", "-w", "--stdin", given=content)
