import hashlib
import os
from pathlib import Path

import pytest

from benchmark.entry_files import Pin, files_digest, list_files, pins, read_bytes, requirement_faults
from benchmark.errors import EntryError


def written(folder: Path, **files: str) -> Path:
    """A folder with files; `__` in a name stands for a dot."""
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def the_fault(folder: Path) -> str:
    with pytest.raises(EntryError) as error:
        list_files(folder)
    (line,) = error.value.faults
    return line.removeprefix(f"{folder.as_posix()}/")


def digest(folder: Path, **functions: str) -> str:
    return files_digest(folder, list_files(folder), functions)


def test_files_are_listed_in_the_order_of_their_posix_paths(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "__pycache__").mkdir()
    written(tmp_path / "b", a__py="")
    written(tmp_path / "__pycache__", x__pyc="")
    written(tmp_path, **{"b-c__py": "", "Z__py": ""})
    listed = [path.relative_to(tmp_path).as_posix() for path in list_files(tmp_path)]
    assert listed == ["Z.py", "b-c.py", "b/a.py"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (".env", ".env: expected no hidden files, got one"),
        ("a b", "a b: expected a name of ASCII letters"),
        ("\u202ex", "\\u202ex: expected a name of ASCII letters"),
        ("a\nb", "a\\nb: expected a name of ASCII letters"),
        ("x" * 101, "x" * 101 + ": expected a name of ASCII letters"),
        ("fast.SO", "fast.SO: expected source or data, got compiled code"),
    ],
)
def test_names_that_are_refused(tmp_path: Path, name: str, expected: str) -> None:
    (tmp_path / name).write_text("")
    assert the_fault(tmp_path).startswith(expected)


def test_links_and_special_files_are_refused_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/")
    assert the_fault(tmp_path).startswith("link: expected files and folders, got a link")
    (tmp_path / "link").unlink()
    os.mkfifo(tmp_path / "pipe")
    assert the_fault(tmp_path).startswith("pipe: expected files and folders, got a special file")
    with pytest.raises(EntryError, match="special file"):
        read_bytes(tmp_path / "pipe")


def test_sizes_and_numbers_are_capped(tmp_path: Path) -> None:
    (tmp_path / "weights.csv").write_bytes(b"1" * 2**20)
    assert len(list_files(tmp_path)) == 1
    (tmp_path / "weights.csv").write_bytes(b"1" * (2**20 + 1))
    assert the_fault(tmp_path).startswith("weights.csv: expected at most 1048576 bytes, got 1048577")
    written(tmp_path, **{f"f{i}": "" for i in range(200)})
    with pytest.raises(EntryError, match="at most 200 files"):
        list_files(tmp_path)


def test_all_files_together_are_capped(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.csv").write_bytes(b"1" * 2**20)
    assert len(list_files(tmp_path)) == 4
    (tmp_path / "more.csv").write_text("1")
    with pytest.raises(EntryError, match="expected at most 4194304 bytes in all files, got 4194305"):
        list_files(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x93NUMPY\x01\x00", "weights.npy: expected text, which can be reviewed, got a NUL byte at 7"),
        (b"caf\xe9", "weights.npy: expected UTF-8 text, which can be reviewed, got byte 0xe9 at 3"),
        ("a\ud800".encode("utf-8", "surrogatepass"), "weights.npy: expected UTF-8 text"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "weights.npy").write_bytes(content)
    assert the_fault(tmp_path).startswith(said)


def test_text_in_any_script_is_fine(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("δ ρ é 名前\n", encoding="utf-8")
    assert [path.name for path in list_files(tmp_path)] == ["names.txt"]


def test_the_digest_is_of_names_contents_and_renamed_functions(tmp_path: Path) -> None:
    written(tmp_path, method__py="1")
    first = digest(tmp_path)
    by_hand = b"\0\0\0\0\0\0\0\x09method.py" + b"\0\0\0\0\0\0\0\x011" + b"[]"
    assert first == hashlib.sha256(by_hand).hexdigest()
    assert digest(tmp_path, track="f") != first
    written(tmp_path, method__py="2")
    assert digest(tmp_path) != first


def test_the_digest_tells_where_a_name_ends(tmp_path: Path) -> None:
    assert digest(written(tmp_path, a="bc")) != digest(written(_emptied(tmp_path), ab="c"))
    assert digest(written(_emptied(tmp_path), a="", b="")) != digest(written(_emptied(tmp_path), ab=""))


def test_the_digest_leaves_out_what_changes_no_score(tmp_path: Path) -> None:
    written(tmp_path, method__py="1")
    first = digest(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    written(tmp_path / "__pycache__", x__pyc="1")
    written(tmp_path, entry__toml="1", README__md="1")
    assert digest(tmp_path) == first
    (tmp_path / "data").mkdir()
    written(tmp_path / "data", entry__toml="1")
    assert digest(tmp_path) != first


def _emptied(folder: Path) -> Path:
    for path in folder.iterdir():
        path.unlink()
    return folder


def test_exact_pins_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    assert list(requirement_faults(path)) == []
    path.write_text("# why\nscikit-learn==1.9.0\n\nsome_pkg==2!1.0rc1+cpu  # note\n")
    assert list(requirement_faults(path)) == []


@pytest.mark.parametrize(
    "line",
    [
        "numpy",
        "numpy>=1",
        "numpy==1.*",
        "numpy==1.0,<2",
        "numpy[extra]==1.0",
        "-r other.txt",
        "--index-url=https://example.org",
        "git+https://example.org/x",
        "numpy==1.0; python_version>'3'",
        "numpy === 1.0",
        "numpy==1.0.zip",
        "numpy==1-what",
        "numpy==" + "1" * 5000,
    ],
)
def test_anything_else_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text(f"scipy==1.0\n{line}\n")
    (found,) = requirement_faults(path)
    assert found.startswith(f"{path.as_posix()}:2: expected an exact pin name==version, got ")


def test_a_package_is_pinned_once(tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text("some-pkg==1\nSome_Pkg==2\n")
    (found,) = requirement_faults(path)
    assert ':2: expected each package once, got "some-pkg" again' in found


def test_pins_are_read_in_their_normal_form(tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    assert pins(path) == ()
    path.write_text("# why\nSome_.Pkg==1.0RC1  # note\n\nother==2-1\n")
    assert pins(path) == (Pin("some-pkg", "1.0rc1", 2), Pin("other", "2.post1", 4))
    assert [pin.text for pin in pins(path)] == ["some-pkg==1.0rc1", "other==2.post1"]


def test_pins_are_refused_with_all_faults(tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text("one\ntwo==1\nTwo==1\n")
    with pytest.raises(EntryError) as error:
        pins(path)
    assert error.value.faults == tuple(requirement_faults(path))
    assert [line.split(":")[1] for line in error.value.faults] == ["1", "3"]
