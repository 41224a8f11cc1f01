"""Names and kinds of files in an entry's folder that mean harm: each is refused, in words that do none."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.entries import read_entry
from benchmark.errors import EntryError

DESCRIPTOR = """
title = "Spread"
summary = "Answers with the spread of all embeddings."
authors = ["Nobody"]
license = "MIT"
tracks = ["embedding-detection"]
kind = "control"
family = "none"
"""
METHOD = "def detect(embeddings, attribute, task_labels, seed):\n    return 0.0\n"

NAMES = {
    "markup": "<img src=x onerror=alert(1)>.py",
    "formula": "=HYPERLINK(1).py",
    "right to left": "yp\u202eexe.py",
    "control": "clear\x1b[2J.py",
    "line": "one\ntwo.py",
    "command": "::error::x.py",
    "hidden": ".gitattributes",
    "space": "a b.py",
    "letters of another script": "mеthod.py",
    "option": "-rf",
    "shell": "$(reboot).py",
    "long": "a" * 101 + ".py",
    "compiled": "numpy.so",
    "bytecode": "method.pyc",
}


def entry(folder: Path) -> Path:
    """An entry that is as it should be."""
    place = folder / "spread"
    place.mkdir()
    (place / "method.py").write_text(METHOD, encoding="utf-8")
    (place / "entry.toml").write_text(DESCRIPTOR, encoding="utf-8")
    return place


def refusal(place: Path) -> str:
    """The words in which an entry is refused."""
    with pytest.raises(EntryError) as raised:
        read_entry(place)
    return str(raised.value)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_hostile_name_is_refused_in_harmless_words(name: str, tmp_path: Path) -> None:
    place = entry(tmp_path)
    assert read_entry(place).id == "spread"
    (place / name).write_text("", encoding="utf-8")
    words = refusal(place)
    assert "expected" in words and "\x1b" not in words and "\u202e" not in words
    assert len(words.splitlines()) == 1 and not words.startswith("::")


KINDS: dict[str, Callable[[Path], None]] = {
    "link to a file": lambda path: path.symlink_to("/etc/passwd"),
    "link to a folder": lambda path: path.symlink_to("/"),
    "link to nothing": lambda path: path.symlink_to("nowhere"),
    "pipe": lambda path: os.mkfifo(path),
    "folder that goes round": lambda path: path.symlink_to("."),
    "large": lambda path: path.write_bytes(bytes(2**20 + 1)),
}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_hostile_kind_of_file_is_refused(make: Callable[[Path], None], tmp_path: Path) -> None:
    place = entry(tmp_path)
    make(place / "data.py")
    assert "data.py" in refusal(place)


def test_too_many_files_are_refused_before_they_are_read(tmp_path: Path) -> None:
    place = entry(tmp_path)
    for number in range(300):
        (place / f"a{number}.py").touch()
    assert "at most 200 files and folders" in refusal(place)
