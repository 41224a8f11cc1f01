"""The gate on real git repositories."""

import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmark.commands import ROOT, run
from benchmark.errors import GateError, UsageError
from benchmark.pipeline import checkout
from benchmark.pipeline.checkout import Repository
from benchmark.pipeline.gate import Verdict, verdict
from scripts.gate import main
from tests.pull_requests import GOOD, Git

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    return Git(tmp_path / "repository")


def gate(git: Git, head: str, *, base: str = "main") -> object:
    """The exit code of the command, which writes into `into` beside the repository."""
    into = git.folder.parent / "into"
    with pytest.raises(SystemExit) as stop:
        run(main, [base, head, "--into", str(into), "--repository", str(git.folder)])
    return stop.value.code


def written(git: Git) -> dict[str, bytes]:
    into = git.folder.parent / "into"
    return {
        path.relative_to(into).as_posix(): path.read_bytes() for path in into.rglob("*") if path.is_file()
    }


def judged(git: Git, head: str) -> Verdict:
    return verdict(Repository(git.folder), "main", head)


def test_a_good_one_is_accepted_and_its_files_are_there_byte_for_byte(git: Git, capsys: Capture) -> None:
    odd = bytes(range(256)) + b"\r\n$Id$\n\n"
    head = git.pull({**GOOD, "contrib/new_probe/sub/data.bin": odd, "contrib/new_probe/empty": b""})
    assert gate(git, head) == 0
    assert written(git) == {
        **{name.removeprefix("contrib/"): str(text).encode() for name, text in GOOD.items()},
        "new_probe/sub/data.bin": odd,
        "new_probe/empty": b"",
    }
    assert capsys.readouterr().out.startswith("accepted: new_probe, 4 files in ")


def test_the_command_runs_as_a_script(git: Git, tmp_path: Path) -> None:
    head = git.pull(dict(GOOD))
    command = [sys.executable, ROOT / "scripts" / "gate.py", git.main, head, "--into", tmp_path / "into"]
    ran = subprocess.run([*command, "--repository", git.folder], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (tmp_path / "into" / "new_probe" / "method.py").is_file()


def test_an_executable_file_is_written_as_a_plain_one(git: Git) -> None:
    head = git.pull(dict(GOOD))
    git("update-index", "--chmod=+x", "contrib/new_probe/method.py")
    git("commit", "-q", "--amend", "-m", "x")
    head = git("rev-parse", "HEAD")
    assert "100755" in git("ls-tree", "-r", head, "contrib/new_probe/")
    assert gate(git, head) == 0
    place = git.folder.parent / "into" / "new_probe" / "method.py"
    assert stat.S_IMODE(place.stat().st_mode) & 0o111 == 0


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"benchmark/scorer.py": "SCORE = 2\n"}, "the scorer"),
        ({".github/workflows/preview.yml": "on: push\n"}, "the workflows"),
        ({"results/a/1.0/old_probe/results.json": "{}"}, "the results"),
        ({"contrib/old_probe/method.py": "x = 1\n"}, "2 of them"),
        ({"README.md": None}, "the project itself"),
        ({".gitattributes": "*.py text eol=crlf\n"}, "the project itself"),
        ({".gitmodules": ""}, "the project itself"),
        ({"contrib/new_probe/.gitattributes": "* -diff\n"}, "git takes for its own"),
        ({"contrib/new_probe/__pycache__/method.cpython-311.pyc": b"\0"}, "what Python leaves behind"),
        ({"contrib/new_probe/large.txt": "a" * (2**20 + 1)}, "at most 1048576 bytes"),
    ],
)
def test_what_touches_or_holds_more_is_refused_and_nothing_is_written(
    git: Git, capsys: Capture, files: dict[str, str | bytes | None], said: str
) -> None:
    assert gate(git, git.pull({**GOOD, **files})) == 1
    told = capsys.readouterr()
    assert said in told.err and told.out == "refused: this pull request is not scored\n"
    assert written(git) == {}


def test_links_and_submodules_are_refused_even_where_gitmodules_hides_them(git: Git) -> None:
    target = git.blob(b"../../results")
    assert "a link" in judged(git, git.pull_tree(f"120000 {target}\tcontrib/new_probe/link\n")).reasons[0]
    git("checkout", "-q", "main")
    paths = ("contrib/new_probe/sub", "benchmark/sub")
    text = (f'[submodule "{path}"]\n\tpath = {path}\n\turl = x\n\tignore = all\n' for path in paths)
    git.write({".gitmodules": "".join(text)})
    git.main = git.commit()
    found = judged(git, git.pull_tree(f"160000 {git.main}\tcontrib/new_probe/sub\n"))
    assert len(found.reasons) == 1 and "a submodule" in found.reasons[0]
    alone = judged(git, git.pull_tree(f"160000 {git.main}\tbenchmark/sub\n"))
    assert len(alone.reasons) == 1 and "the scorer" in alone.reasons[0]


def test_a_folder_that_is_a_link_is_refused(git: Git) -> None:
    target = git.blob(b"../benchmark")
    found = judged(git, git.pull_tree(f"120000 {target}\tcontrib/linked\n"))
    assert len(found.reasons) == 1 and "straight in contrib/" in found.reasons[0]


def test_odd_names_are_refused_and_told_on_one_line(git: Git, capsys: Capture) -> None:
    blob = git.blob(b"x")
    quoted = '"contrib/new_probe/a\\nb"'
    lines = f"100644 {blob}\t{quoted}\n100644 {blob}\tcontrib/new_probe/METHOD.py\n"
    lines += f"100644 {blob}\tcontrib/new_probe/::error::x ##[add-mask]\n"
    lines += f'100644 {blob}\t"contrib/new_probe/caf\\351"\n'
    assert gate(git, git.pull_tree(lines)) == 1
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 4
    for words in ("a control character", "not ASCII", "a colon", "a name of its own"):
        assert words in told
    assert "::" not in told and "##[" not in told


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("..", "leads elsewhere"),
        (".git", "git takes for its own"),
        ("a/../../b", "leads elsewhere"),
        ("/a", "an empty name"),
    ],
)
def test_trees_that_git_itself_would_not_write_lead_nowhere(
    git: Git, capsys: Capture, name: str, said: str
) -> None:
    entry = f"100644 {name}\0".encode() + bytes.fromhex(git.blob(b"x"))
    tree = git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", given=entry)
    old = git("rev-parse", f"{git.main}^{{tree}}:contrib").split()[0]
    held = git("ls-tree", old) + f"\n040000 tree {tree}\tnew_probe"
    contrib = git("mktree", given=held.encode() + b"\n")
    rest = git("ls-tree", git.main).replace(old, contrib)
    head = git("commit-tree", git("mktree", given=rest.encode() + b"\n"), "-p", git.main, "-m", "x")
    assert gate(git, head) == 1
    assert said in capsys.readouterr().err
    assert written(git) == {}


def test_attributes_and_settings_change_nothing(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attributes of the main branch and a filter in the user's settings reach no byte of an entry."""
    home = git.folder.parent / "home"
    home.mkdir()
    trap = home / "ran"
    filters = "".join(
        f"\t{name} = touch {trap}; cat\n" for name in ("smudge", "clean", "textconv", "command")
    )
    (home / ".gitconfig").write_text(
        f'[filter "f"]\n{filters}[diff "f"]\n{filters}[core]\n\tautocrlf = true\n'
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", f"touch {trap}")
    git.write({".gitattributes": "*.py filter=f diff=f ident text eol=crlf working-tree-encoding=UTF-16\n"})
    git("-c", "core.attributesFile=/dev/null", "config", "core.hooksPath", str(home))
    subprocess.run(["git", "-C", git.folder, "config", "diff.f.textconv", f"touch {trap}"], check=True)
    attributes = git.blob((git.folder / ".gitattributes").read_bytes())
    git("update-index", "--add", "--cacheinfo", f"100644,{attributes},.gitattributes")
    git("commit", "-q", "-m", "attributes")
    git.main = git("rev-parse", "HEAD")
    method = b"# $Id$\nx = 1\r\ny = 2\n"
    lines = f"100644 {git.blob(method)}\tcontrib/new_probe/method.py\n"
    git("checkout", "-q", "-f", "-B", "pull")
    git("update-index", "--add", "--index-info", given=lines.encode())
    git("commit", "-q", "-m", "a probe")
    assert gate(git, "pull") == 0
    assert written(git) == {"new_probe/method.py": method}
    assert not trap.exists()


def test_a_replaced_object_is_not_what_is_read(git: Git) -> None:
    head = git.pull(dict(GOOD))
    real = git("rev-parse", f"{head}:contrib/new_probe/method.py")
    git("replace", real, git.blob(b"another method\n"))
    assert gate(git, head) == 0
    assert written(git)["new_probe/method.py"] == str(GOOD["contrib/new_probe/method.py"]).encode()


def test_only_what_the_branch_itself_changed_counts(git: Git) -> None:
    head = git.pull(dict(GOOD))
    git("checkout", "-q", "main")
    git.write({"benchmark/scorer.py": "SCORE = 3\n"})
    git.commit("the main branch moves on")
    assert judged(git, head).entry == "new_probe"
    git("checkout", "-q", "pull")
    git("merge", "-q", "-m", "up to date", "main")
    assert judged(git, "pull").entry == "new_probe"


def test_histories_without_one_common_commit_are_refused(git: Git, capsys: Capture) -> None:
    git("checkout", "-q", "--orphan", "other")
    git.write(dict(GOOD))
    assert gate(git, git.commit()) == 1
    assert "one commit at which it leaves" in capsys.readouterr().err
    left = git("commit-tree", f"{git.main}^{{tree}}", "-p", git.main, "-m", "left")
    right = git("commit-tree", f"{git.main}^{{tree}}", "-p", git.main, "-m", "right")
    crossed = [
        git("commit-tree", f"{git.main}^{{tree}}", "-p", one, "-p", two, "-m", "crossed")
        for one, two in ((left, right), (right, left))
    ]
    with pytest.raises(GateError, match="got 2 of them"):
        verdict(Repository(git.folder), *crossed)


@pytest.mark.parametrize("name", ["nothing", "--all", "-h", "", "main:README.md", "main^{tree}", "a\nb"])
def test_a_name_of_no_commit_is_wrong_use(git: Git, name: str) -> None:
    with pytest.raises(UsageError, match="expected a commit named"):
        verdict(Repository(git.folder), "main", name)


def test_wrong_use_exits_2(git: Git, tmp_path: Path, capsys: Capture) -> None:
    head = git.pull(dict(GOOD))
    assert gate(git, head, base="nothing") == 2
    (tmp_path / "into" / "new_probe").mkdir(parents=True)
    assert gate(git, head) == 2
    assert "expected nothing there yet" in capsys.readouterr().err
    with pytest.raises(UsageError):
        Repository(tmp_path).commit("main")


@pytest.mark.parametrize("changes", [{"size": 3}, {"blob": "0" * 40}, {"blob": "{tree}", "size": 2}])
def test_only_the_blobs_that_the_tree_names_are_written(git: Git, changes: dict[str, Any]) -> None:
    head = git.pull(dict(GOOD))
    repository = Repository(git.folder)
    file = repository.files(head, "contrib/new_probe")[0]
    named = {key: str(value).format(tree=head) if key == "blob" else value for key, value in changes.items()}
    with pytest.raises(GateError, match="the blob its tree names"):
        list(repository.contents([replace(file, **named)]))


def test_a_few_trees_that_stand_for_a_billion_files_are_refused(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = f"100644 blob {git('hash-object', '-w', '--stdin', given=b'x')}"
    for _ in range(9):
        tree = git("mktree", given="".join(f"{line}\t{name}\n" for name in range(10)).encode())
        line = f"040000 tree {tree}"
    below = git("mktree", given=f"{line}\tnew_probe\n".encode())
    root = git("mktree", given=f"040000 tree {below}\tcontrib\n".encode())
    head = git("commit-tree", root, "-p", git.main, "-m", "a billion files")
    monkeypatch.setattr(checkout, "LIMIT", 0.5)
    with pytest.raises(GateError, match=r"expected trees that git reads within 0\.5 s, got no end"):
        judged(git, head)


def test_a_flood_of_changes_is_refused(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    head = git.pull({f"contrib/new_probe/{i}": "x" for i in range(100)})
    monkeypatch.setattr(checkout, "MOST_OUTPUT", 2000)
    with pytest.raises(GateError, match="at most 2000 bytes, got more; split it"):
        judged(git, head)
    assert os.listdir(git.folder.parent) == ["repository"]
