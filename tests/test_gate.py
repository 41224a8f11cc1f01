"""What a pull request may be, decided from lists of its changes and files alone."""

import pytest

from benchmark.entry_files import MAX_BYTES, MAX_FILES, MAX_TOTAL
from benchmark.pipeline.checkout import ABSENT, Change, TreeFile
from benchmark.pipeline.gate import AREAS, MOST_REASONS, Verdict, decide

PLAIN = "100644"


def changed(*paths: str) -> list[Change]:
    return [Change(path, PLAIN, PLAIN) for path in paths]


def added(*paths: str) -> list[Change]:
    return [Change(path, ABSENT, PLAIN) for path in paths]


def held(*paths: str, mode: str = PLAIN, size: int | None = 10) -> list[TreeFile]:
    return [TreeFile(path, mode, "a" * 40, size) for path in paths]


def judged(*paths: str, mode: str = PLAIN, size: int | None = 10) -> Verdict:
    """The verdict on a pull request that adds `paths`."""
    return decide(added(*paths), {"erm"}, held(*paths, mode=mode, size=size))


NEW = ("contrib/my_probe/entry.toml", "contrib/my_probe/method.py")


def test_a_new_entry_is_accepted_with_all_its_files() -> None:
    found = judged(*NEW, "contrib/my_probe/sub/data.csv")
    assert (found.entry, found.reasons) == ("my_probe", ())
    assert [file.path for file in found.files] == [*NEW, "contrib/my_probe/sub/data.csv"]


def test_of_a_changed_entry_all_files_count_and_no_others() -> None:
    others = held("contrib/erm/method.py", "contrib/README.md", "contrib/dfr/.hidden")
    found = decide(changed(NEW[1]), {"my_probe", "erm", "dfr"}, [*held(*NEW), *others])
    assert found.entry == "my_probe"
    assert [file.path for file in found.files] == list(NEW)


def test_an_executable_file_is_a_plain_one() -> None:
    assert judged(*NEW, mode="100755").entry == "my_probe"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (".github/workflows/preview.yml", "the workflows"),
        ("benchmark/scorer.py", "the scorer"),
        ("scripts/score.py", "the scorer"),
        ("site/index.md", "the site"),
        ("tests/test_gate.py", "the tests"),
        ("README.md", "the project itself"),
        ("results", "the project itself"),
        ("contrib", "the project itself"),
        ("Contrib/my_probe/method.py", "the project itself"),
        ("./contrib/my_probe/method.py", "the project itself"),
    ],
)
def test_other_places_want_a_pull_request_of_their_own(path: str, said: str) -> None:
    assert refusal(path, said) == "take it out, or open a pull request of its own for it"


@pytest.mark.parametrize(
    ("path", "said", "step"),
    [
        ("results/embedding-detection/1.1/erm/results.json", AREAS["results"], "results are made after"),
        ("scores/embedding-detection/1.1/erm/results.json", AREAS["scores"], "it is for you alone"),
    ],
)
def test_what_runs_make_has_no_place_in_a_pull_request(path: str, said: str, step: str) -> None:
    assert refusal(path, said).startswith(f"take it out: {step}")


def refusal(path: str, said: str) -> str:
    """The step that the one reason against a pull request advises, which also changes `path`."""
    found = decide([*added(*NEW), *changed(path)], {"erm"}, held(*NEW))
    assert found.entry is None
    (reason,) = found.reasons
    words = f'"{path}": expected changes in contrib/<entry>/ alone, got one of {said}; '
    assert reason.startswith(words)
    return reason.removeprefix(words)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a\nb.py", "a control character"),
        ("a\x7f.py", "a control character"),
        ("\u202egpj.py", "not ASCII"),
        ("caf\u00e9.py", "not ASCII"),
        ("\u212a.py", "not ASCII"),
        ("\u017f.py", "not ASCII"),
        ("caf\udce9.py", "not ASCII"),
        ("a\\b.py", "a backslash"),
        ("a:b.py", "a colon"),
        ("..", "a name that leads elsewhere"),
        (".", "a name that leads elsewhere"),
        ("", "an empty name"),
        (".git", "git takes for its own"),
        (".GitAttributes", "git takes for its own"),
        ("GIT~1", "git takes for its own"),
        (".hidden", "a hidden name"),
        ("a.py.", "a dot or a space at its end"),
        ("a.py ", "a dot or a space at its end"),
        ("CON", "Windows keeps"),
        ("nul.txt", "Windows keeps"),
        ("Com1.py", "Windows keeps"),
        ("__pycache__", "what Python leaves behind"),
        ("a" * 101, "more than 100 characters"),
        ("a b.py", "another character"),
        ("-rf", "another character"),
        ("a$b", "another character"),
        ("~root", "another character"),
    ],
)
@pytest.mark.parametrize("place", ["contrib/my_probe/{}", "contrib/my_probe/{}/method.py"])
def test_a_name_that_is_not_plain_is_refused(name: str, said: str, place: str) -> None:
    found = judged(*NEW, place.format(name))
    assert found.entry is None
    step = "delete it" if name == "__pycache__" else "rename it"
    assert any(said in reason and step in reason for reason in found.reasons)
    assert all(reason.isprintable() for reason in found.reasons)


@pytest.mark.parametrize(
    "name", ["a.py", "A-b_c.1.csv", "_x", "console.py", "com.py", "nulls.txt", "git.py", "a" * 100]
)
def test_a_plain_name_is_accepted(name: str) -> None:
    assert judged(*NEW, f"contrib/my_probe/{name}").entry == "my_probe"


@pytest.mark.parametrize(
    ("mode", "size", "said"),
    [
        ("120000", 5, "a link"),
        ("160000", None, "a submodule"),
        ("100664", 5, "something of mode 100664"),
        ("040000", None, "something of mode 040000"),
        (PLAIN, None, "something of mode 100644"),
        (PLAIN, MAX_BYTES + 1, f"at most {MAX_BYTES} bytes, got {MAX_BYTES + 1}"),
    ],
)
def test_only_plain_files_of_limited_size_are_accepted(mode: str, size: int | None, said: str) -> None:
    odd = held("contrib/my_probe/odd", mode=mode, size=size)
    unchanged = decide(changed(NEW[1]), {"my_probe"}, [*held(*NEW), *odd])
    assert unchanged.entry is None
    (reason,) = unchanged.reasons
    assert reason.startswith('"contrib/my_probe/odd": expected ') and said in reason


@pytest.mark.parametrize("name", ["x", "My_probe", "my-probe", "a" * 41, "__pycache__", "a.b", "caf\u00e9"])
def test_an_id_is_2_to_40_plain_characters(name: str) -> None:
    found = judged(f"contrib/{name}/method.py")
    assert found.entry is None
    assert "a name of 2 to 40 characters of a-z, 0-9 and _" in found.reasons[0]


def test_an_id_like_another_is_refused() -> None:
    found = judged("contrib/ERM/method.py")
    assert any('expected an id of its own, got one like "erm"' in reason for reason in found.reasons)


def test_an_id_that_was_taken_meanwhile_is_refused() -> None:
    taken = decide(added(*NEW), {"my_probe"}, held(*NEW))
    assert len(taken.reasons) == 1 and "that of an entry merged meanwhile" in taken.reasons[0]
    more = decide(added(NEW[1]), {"my_probe"}, held(*NEW))
    assert more.entry == "my_probe"


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (("data.csv", "Data.csv"), "Data.csv"),
        (("sub/a.csv", "SUB/b.csv"), "SUB"),
        (("sub", "sub/a.csv"), "sub"),
        (("a.csv", "a.csv"), "a.csv"),
    ],
)
def test_names_that_are_one_elsewhere_are_refused(paths: tuple[str, str], said: str) -> None:
    found = judged(*NEW, *(f"contrib/my_probe/{path}" for path in paths))
    assert found.entry is None
    assert any(f'"contrib/my_probe/{said}": expected a name of its own' in reason for reason in found.reasons)


def test_a_removed_entry_is_a_maintainers_matter() -> None:
    found = decide([Change("contrib/erm/method.py", PLAIN, ABSENT)], {"erm"}, held(*NEW))
    assert len(found.reasons) == 1 and "together with its results" in found.reasons[0]


def test_a_file_may_be_removed() -> None:
    gone = Change("contrib/my_probe/data.csv", PLAIN, ABSENT)
    assert decide([gone], {"my_probe"}, held(*NEW)).entry == "my_probe"


def test_a_rename_to_another_id_touches_two_entries() -> None:
    moved = [Change("contrib/erm/method.py", PLAIN, ABSENT), *added(*NEW)]
    found = decide(moved, {"erm"}, held(*NEW))
    assert 'got 2 of them, "erm", "my_probe"; open a pull request for each' in found.reasons[-1]
    assert any("its removal" in reason for reason in found.reasons)


def test_no_change_and_a_file_straight_in_contrib_are_refused() -> None:
    assert "got none" in decide([], {"erm"}, []).reasons[0]
    straight = decide(added("contrib/probe.py"), {"erm"}, held("contrib/probe.py"))
    assert straight.reasons == (
        '"contrib/probe.py": expected files in an entry\'s folder, got one straight in contrib/; '
        "move it into contrib/<entry>/",
    )


def test_many_and_large_files_are_refused() -> None:
    many = [f"contrib/my_probe/f{i}" for i in range(MAX_FILES + 1)]
    assert f"got {MAX_FILES + 1}" in judged(*many).reasons[0]
    deep = [f"contrib/my_probe/d{i}/f" for i in range(MAX_FILES // 2 + 1)]
    assert f"got {MAX_FILES + 2}" in judged(*deep).reasons[0]
    heavy = judged(*(f"contrib/my_probe/f{i}" for i in range(5)), size=MAX_BYTES)
    assert heavy.reasons == (
        f'"contrib/my_probe": expected at most {MAX_TOTAL} bytes in all files, got {5 * MAX_BYTES}; '
        "remove or shorten some",
    )
    long = judged("contrib/my_probe/" + "/".join(["d" * 50] * 4))
    assert len(long.reasons) == 1 and "a path of at most 200 characters, got 220" in long.reasons[0]


def test_all_reasons_come_at_once_and_are_bounded() -> None:
    found = decide(
        [*added(*NEW), *changed("benchmark/scorer.py", "contrib/x/method.py")],
        {"erm"},
        [*held(NEW[0]), *held(NEW[1], mode="120000"), *held("contrib/x/method.py")],
    )
    assert [
        next(word for word in ("the scorer", "a link", "2 to 40", "2 of them") if word in reason)
        for reason in found.reasons
    ] == ["the scorer", "a link", "2 to 40", "2 of them"]
    flood = decide(changed(*(f"benchmark/{i}" for i in range(1000))), {"erm"}, [])
    assert len(flood.reasons) == MOST_REASONS + 1
    assert flood.reasons[-1] == "and 950 more like these"
