import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmark.commands import ROOT
from benchmark.entries import entry_folders, list_entries, read_entry
from benchmark.entry_files import files_digest
from benchmark.errors import EntryError
from benchmark.text import is_plain
from tests.entry_folders import METHOD, VALUES, descriptor, make_entry


def faults_of(folder: Path) -> list[str]:
    with pytest.raises(EntryError) as error:
        read_entry(folder)
    return [line.removeprefix(f"{folder.as_posix()}/") for line in error.value.faults]


def test_an_entry_is_read_as_its_folder_says(tmp_path: Path) -> None:
    folder = make_entry(tmp_path, paper="https://example.org/paper")
    entry = read_entry(folder)
    assert (entry.id, entry.folder, entry.title, entry.kind) == ("a_probe", folder, "A probe", "method")
    assert (entry.authors, entry.tracks) == (("Some Author",), ("embedding-detection",))
    assert (entry.paper, entry.code, entry.bibtex) == ("https://example.org/paper", None, None)
    assert entry.functions == {"embedding-detection": "detect"}
    assert re.fullmatch("[0-9a-f]{64}", entry.digest)


def test_reading_runs_nothing(tmp_path: Path) -> None:
    folder = make_entry(tmp_path, method=f"open('ran', 'w')\nraise SystemExit(3)\n{METHOD}")
    read_entry(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["entry.toml", "method.py"]


def test_a_function_may_have_another_name(tmp_path: Path) -> None:
    method = METHOD.replace("detect", "find")
    entry = read_entry(make_entry(tmp_path, method=method, functions={"embedding-detection": "find"}))
    assert entry.functions == {"embedding-detection": "find"}
    assert "expected a function detect(" in faults_of(make_entry(tmp_path, method=method))[0]


def test_naming_the_usual_function_changes_no_digest(tmp_path: Path) -> None:
    both = METHOD + METHOD.replace("detect", "find")
    folder = make_entry(tmp_path, method=both)
    plain = read_entry(folder).digest
    assert plain == files_digest(folder, (folder / "method.py",), {})
    table = {"embedding-detection": "detect"}
    assert read_entry(make_entry(tmp_path, method=both, functions=table)).digest == plain
    assert read_entry(make_entry(tmp_path, method=both, title="Another")).digest == plain
    table = {"embedding-detection": "find"}
    assert read_entry(make_entry(tmp_path, method=both, functions=table)).digest != plain


def test_all_faults_of_all_files_come_at_once(tmp_path: Path) -> None:
    folder = make_entry(tmp_path, "Bad-Name", method="def detect(x): pass", title=1)
    (folder / "requirements.txt").write_text("numpy\n")
    (folder / "link").symlink_to("method.py")
    begins = [line.split(": ")[0] for line in faults_of(folder)]
    assert begins == [folder.as_posix(), "link", "entry.toml", "method.py:1", "requirements.txt:1"]


def test_missing_files_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "a_probe"
    folder.mkdir()
    assert [line.split("; ")[0] for line in faults_of(folder)] == [
        "entry.toml: expected a file, got nothing there",
        "method.py: expected a file, got nothing there",
    ]


def test_a_link_is_told_once_and_what_it_points_to_is_not_read(tmp_path: Path) -> None:
    folder = make_entry(tmp_path)
    (folder / "method.py").unlink()
    (folder / "method.py").symlink_to(tmp_path / "secret")
    (tmp_path / "secret").write_text("secret = ")
    assert [line.split("; ")[0] for line in faults_of(folder)] == [
        "method.py: expected files and folders, got a link"
    ]


@pytest.mark.parametrize("name", ["a", "x" * 41, "Probe", "a-b", "a.b", "été", "a b"])
def test_an_id_that_is_refused(tmp_path: Path, name: str) -> None:
    folder = make_entry(tmp_path, name)
    assert (
        f'{folder.as_posix()}: expected a name of 2 to 40 characters of a-z, 0-9 and _, got "{name}"'
        in (faults_of(folder)[0])
    )


@pytest.mark.parametrize("name", ["ab", "x" * 40, "2nn", "a_b_3"])
def test_an_id_that_is_fine(tmp_path: Path, name: str) -> None:
    assert read_entry(make_entry(tmp_path, name)).id == name


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(make_entry(tmp_path))
    (tmp_path / "file").write_text("")
    for name, got in (("link", "a link"), ("file", "a file"), ("gone", "nothing there")):
        with pytest.raises(EntryError, match=f"{name}: expected an entry's folder, got {got}"):
            read_entry(tmp_path / name)


def test_the_folder_may_be_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(make_entry(tmp_path))
    assert read_entry(Path()).id == "a_probe"


def test_entries_are_listed_by_id_and_other_things_passed_over(tmp_path: Path) -> None:
    for name in ("zeta", "alpha", ".hidden", "__pycache__"):
        make_entry(tmp_path, name)
    (tmp_path / "README.md").write_text("")
    assert [entry.id for entry in list_entries(tmp_path)] == ["alpha", "zeta"]


def test_all_faults_of_all_folders_come_at_once(tmp_path: Path) -> None:
    make_entry(tmp_path, "one", title=1)
    make_entry(tmp_path, "two", kind="x")
    make_entry(tmp_path, "three")
    with pytest.raises(EntryError) as error:
        list_entries(tmp_path)
    places = [line.removeprefix(f"{tmp_path.as_posix()}/").split(": ")[:2] for line in error.value.faults]
    assert places == [["one/entry.toml", "title"], ["two/entry.toml", "kind"]]


def test_ids_are_unique_where_case_is_not_told_apart(tmp_path: Path) -> None:
    make_entry(tmp_path, "probe")
    make_entry(tmp_path, "Probe")
    with pytest.raises(EntryError, match='probe: expected an id of its own, got one like "Probe"'):
        list_entries(tmp_path)


def test_a_folder_of_entries_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(EntryError, match="expected a folder of entries, got no folder"):
        entry_folders(tmp_path / "gone")


def test_every_entry_in_contrib_is_valid() -> None:
    assert len(list_entries(ROOT / "contrib")) == len(entry_folders(ROOT / "contrib"))


VALUE = st.one_of(
    st.text(max_size=90).map(repr),
    st.sampled_from(["1", "-0.5", "true", "inf", "[]", "{}", "[[], 1]", "{a.b = 1}", "1979-05-27"]),
    st.lists(st.sampled_from(["'embedding-detection'", "'x'", "1"])).map(lambda x: f"[{', '.join(x)}]"),
)
KEY = st.sampled_from([*VALUES, "paper", "bibtex", "functions", "functions.x", '"\\u202e"'])


@settings(max_examples=150, deadline=None)
@given(key=KEY, value=VALUE)
def test_no_value_breaks_the_reading(key: str, value: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = descriptor(**{key: None}) + f"{key} = {value}\n"
    _read_or_refuse(tmp_path_factory.mktemp("values"), text.encode("utf-8", "replace"))


@settings(max_examples=150, deadline=None)
@given(start=st.integers(0, 200), length=st.integers(0, 30), inserted=st.binary(max_size=12))
@example(start=0, length=0, inserted=b"\xef\xbb\xbf")
@example(start=0, length=300, inserted=b"")
def test_no_bytes_break_the_reading(
    start: int, length: int, inserted: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    valid = descriptor().encode()
    _read_or_refuse(tmp_path_factory.mktemp("bytes"), valid[:start] + inserted + valid[start + length :])


def _read_or_refuse(parent: Path, toml: bytes) -> None:
    """An entry or an EntryError whose faults are plain lines that name the file; nothing else."""
    faults: tuple[str, ...] = ()
    try:
        read_entry(make_entry(parent, toml=toml))
    except EntryError as refused:
        faults = refused.faults or ("no fault told",)
    for line in faults:
        assert line.startswith(parent.as_posix()) and ": expected " in line and ", got " in line
        assert all(is_plain(character) for character in line)
