import pytest

from benchmark.descriptor import MOST_FAULTS, describe, parse_toml, wanted_functions
from benchmark.errors import EntryError
from tests.entry_folders import VALUES, descriptor


def the_fault(table: dict[str, object]) -> str:
    with pytest.raises(EntryError) as error:
        describe(table, "entry.toml")
    (line,) = error.value.faults
    return line


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "x" * 80, "summary": "y" * 300, "authors": ["z" * 100]},
        {"title": "Ünïcode δ 方法", "authors": ["Ada", "علی\u200cرضا"]},
        {"kind": "control", "family": "2-nn"},
        {"paper": "https://arxiv.org/abs/1610.01644?v=1#sec-2", "code": "https://example.org:8443/~ada"},
        {"bibtex": "@article{a,\n\ttitle = {B}\n}\n"},
        {"functions": {"embedding-detection": "find"}},
    ],
)
def test_what_may_stand_in_an_entry_toml(changes: dict[str, object]) -> None:
    said = describe(VALUES | changes, "entry.toml")
    assert {key: getattr(said, key) for key in VALUES | changes} == VALUES | changes


@pytest.mark.parametrize("key", VALUES)
def test_every_required_key_is_asked_for(key: str) -> None:
    line = the_fault({name: value for name, value in VALUES.items() if name != key})
    assert line.startswith(f"entry.toml: {key}: expected ")
    assert f"got nothing; add it, as in {key} = " in line


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("title", 12, "title: expected one line of 1 to 80 characters, got 12; write it as in title = "),
        ("title", "", 'got ""'),
        ("title", "x" * 81, "(81 characters)"),
        ("title", "a\nb", 'got "a\\nb"; take out the character U+000A'),
        ("title", "a\u202eb", 'got "a\\u202eb"; take out the character U+202E'),
        ("title", " a", "take out the spaces at its ends"),
        ("summary", "x" * 301, "summary: expected one line of 1 to 300 characters"),
        ("authors", "Ada", 'got "Ada"'),
        ("authors", [], "got a list of 0"),
        ("authors", ["Ada", 3], "authors[1]: "),
        ("authors", ["Ada", "Ada"], 'give "Ada" once'),
        ("license", True, "got true"),
        ("tracks", [], "tracks: expected a list of tracks, at least one, got a list of 0"),
        ("tracks", ["embeding-detection"], 'tracks[0]: expected a list of tracks, at least one, got "embed'),
        ("tracks", ["embeding-detection"], 'did you mean "embedding-detection"?'),
        ("tracks", ["embedding-detection"] * 2, 'give "embedding-detection" once'),
        ("kind", "Method", 'kind: expected "method" or "control", got "Method"'),
        ("family", "Probe", 'got "Probe"'),
        ("family", "x" * 31, "family: expected 1 to 30 lowercase letters, digits or hyphens"),
        ("paper", "http://x.org", 'paper: expected an https address of up to 300 characters, got "http:'),
        ("paper", "javascript:alert(1)", "paper: "),
        ("code", "https://", "code: "),
        ("code", "https://github.com@example.org", "without user names"),
        ("code", 'https://example.org/"><script>', "without user names, spaces or quotes"),
        ("code", "https://[::1", "mend the address"),
        ("code", "https://example.org/" + "x" * 300, "characters)"),
        ("bibtex", "a paper", "begin it with @"),
        ("bibtex", "@a{\x1b}", "take out the character U+001B"),
        ("functions", {"image": "f"}, '"image" is not among the entry\'s tracks'),
        ("functions", {"embedding-detection": "not a name"}, "functions.embedding-detection: "),
        ("functions", {"embedding-detection": "class"}, "give a name that method.py can define"),
        ("titel", "x", 'titel: expected only the keys of an entry.toml, got another; did you mean "title"?'),
        ("x\x1b\n" * 100, "x", "x\\x1b\\nx\\x1b\\n"),
    ],
)
def test_every_fault_names_key_expected_and_got(key: str, value: object, expected: str) -> None:
    assert expected in the_fault({**VALUES, key: value})


def test_all_faults_come_at_once() -> None:
    with pytest.raises(EntryError) as error:
        describe({"title": 1, "summary": 2, "x": 3}, "entry.toml")
    keys = [line.split(": ")[1] for line in error.value.faults]
    assert keys == ["title", "summary", "authors", "license", "tracks", "kind", "family", "x"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\xef\xbb\xbftitle = 'x'", "expected UTF-8 text, got a byte order mark"),
        ("title = 'x'".encode("utf-16"), "expected UTF-8 text, got byte 0xff in line 1"),
        (b"a = 1\nb = '\xe9'", "expected UTF-8 text, got byte 0xe9 in line 2"),
        (b"a = 1\nb =\n", "expected TOML, got a fault in it: Invalid value (at line 2, column 4)"),
        (b"a = 1\na = 2\n", "line 2"),
        (b"a = " + b"9" * 5000, "expected TOML"),
        (b"a = " + b"[" * 16_000, "expected TOML"),
        (b"a = 1\x00", "expected TOML"),
        (b"a" + b".a" * 200_000 + b" = 1", "expected at most 16384 bytes, got 400005 bytes"),
    ],
)
def test_what_is_not_toml_is_one_line_with_its_place(content: bytes, expected: str) -> None:
    with pytest.raises(EntryError) as error:
        parse_toml(content, "entry.toml")
    (line,) = error.value.faults
    assert line.startswith("entry.toml: ") and expected in line and "\n" not in line


@pytest.mark.parametrize(
    "value", ["0x" + "f" * 5000, "2020-01-01T00:00:00Z", "inf", "[[[[1]]]]", "{a.b.c = 1}"]
)
def test_values_of_any_type_are_answered_in_one_line(value: str) -> None:
    table = parse_toml(f"title = {value}\n{descriptor(title=None)}".encode(), "entry.toml")
    assert the_fault(table).startswith("entry.toml: title: expected one line")


def test_functions_are_known_as_far_as_the_table_is_right() -> None:
    tracks = ["embedding-detection", "unknown", 3]
    assert list(wanted_functions({"tracks": tracks})) == [("embedding-detection", "detect")]
    renamed = {"embedding-detection": "find"}
    assert list(wanted_functions({"tracks": tracks, "functions": renamed})) == [*renamed.items()]
    assert list(wanted_functions({"tracks": 3, "functions": 4})) == []


def test_very_many_faults_are_counted() -> None:
    table = {f"key{n}": 1 for n in range(1000)}
    with pytest.raises(EntryError) as error:
        describe(table, "entry.toml")
    assert len(error.value.faults) == MOST_FAULTS + 1
    # Six keys are required and missing, besides the thousand that there are not.
    assert error.value.faults[-1] == f"entry.toml: and {1007 - MOST_FAULTS} more faults; mend these first"


def test_every_key_at_its_longest_fits() -> None:
    longest = descriptor(
        title="t" * 80,
        summary="é" * 300,
        authors=["é" * 100] * 1 + [f"é{n:02}" * 33 for n in range(49)],
        license="é" * 60,
        paper="https://example.org/" + "p" * 280,
        code="https://example.org/" + "p" * 280,
        bibtex="@" + "é" * 2999,
    )
    assert describe(parse_toml(longest.encode(), "entry.toml"), "entry.toml").title == "t" * 80
