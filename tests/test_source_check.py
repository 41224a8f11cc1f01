import re

import pytest

from benchmark.errors import EntryError
from benchmark.source_check import function_faults, parse_source, reading_faults, source_cautions
from benchmark.tracks.spec import Signature

SIGNATURE = Signature("detect", ("embeddings", "labels"), "float")


def faults(source: str) -> list[str]:
    return list(function_faults(parse_source(source.encode(), "m.py"), "detect", SIGNATURE, "m.py"))


@pytest.mark.parametrize(
    "source",
    [
        "def detect(embeddings, labels): pass",
        "def detect(labels, embeddings, extra=1, *rest, more=2): pass",
        "def detect(**everything): pass",
        "def detect(embeddings, **rest): pass",
        "def detect(*, embeddings, labels): pass",
        "from other import detect",
        "from other import find as detect",
        "import detect",
        "from other import *",
        "detect = print",
        "detect: object = print",
        "first, detect = print, print",
        "class detect:\n    pass",
        "@wrapped\ndef detect(x): pass",
        "try:\n    from fast import detect\nexcept ImportError:\n    def detect(embeddings, labels): pass",
        "def detect(x): pass\ndef detect(embeddings, labels): pass",
        "def detect(embeddings, labels=" + "-" * 300 + "1): pass",
    ],
)
def test_a_name_that_may_stand_for_the_function(source: str) -> None:
    assert faults(source) == []


@pytest.mark.parametrize(
    "source",
    [
        "",
        "def other(embeddings, labels): pass",
        "def outer():\n    def detect(embeddings, labels): pass",
        "class Method:\n    def detect(embeddings, labels): pass",
        "print(detect)",
        "numbers = [detect for detect in range(3)]",
    ],
)
def test_a_name_that_is_not_bound_at_the_top_level(source: str) -> None:
    assert faults(source) == [
        "m.py: expected a function detect(embeddings, labels) at the top level, got none of that name; "
        "define or import it"
    ]


@pytest.mark.parametrize(
    ("parameters", "got", "step"),
    [
        ("embeddings", "embeddings", "add labels"),
        ("", "", "add embeddings, labels"),
        ("embeddings, labels, seed", "embeddings, labels, seed", "remove or give a default to seed"),
        ("embeddings, labels, *, k", "embeddings, labels, *, k", "remove or give a default to k"),
        ("embeddings, /, labels", "embeddings, /, labels", "take by keyword embeddings"),
        ("embeddings=1, /, **k", "embeddings=..., /, **k", "take by keyword embeddings"),
        ("X, labels=0, *a", "X, labels=..., *a", "add embeddings, remove or give a default to X"),
    ],
)
def test_parameters_that_the_call_would_not_reach(parameters: str, got: str, step: str) -> None:
    assert faults(f"\ndef detect({parameters}): pass") == [
        "m.py:2: expected a function detect(embeddings, labels), called by keywords, "
        f"got detect({got}); {step}"
    ]


def test_the_last_binding_counts() -> None:
    assert "add embeddings, labels" in faults("from other import detect\ndef detect(): pass")[0]
    assert faults("def detect(): pass\ndetect = wrap(detect)") == []


def test_an_async_function_is_refused() -> None:
    assert faults("async def detect(embeddings, labels): pass") == [
        "m.py:1: expected a function detect(embeddings, labels), got async def detect; make it a plain def"
    ]


@pytest.mark.parametrize(
    ("source", "place"),
    [
        (b"x = 1\ndef detect(:\n", "m.py:2: expected Python, got a syntax error: "),
        (b"x = 1\nreturn x\n", "m.py:2: expected Python, got a syntax error: "),
        (b"def detect(a, a): pass", "m.py:1: expected Python, got a syntax error: "),
        (b"x = '\xff'\n", "m.py:1: expected Python, got a syntax error: "),
        (b"\x00", "m.py"),
        (b"x = " + b"-" * 100_000 + b"1", "m.py"),
        (b"x = " + b"(" * 100_000, "m.py"),
    ],
)
def test_what_is_not_python_is_one_line_with_its_place(source: bytes, place: str) -> None:
    with pytest.raises(EntryError) as error:
        parse_source(source, "m.py")
    (line,) = error.value.faults
    assert line.startswith(place) and "\n" not in line


@pytest.mark.parametrize(
    ("source", "does"),
    [
        ("import benchmark", "m.py:1: imports benchmark;"),
        (
            "def f():\n    import benchmark.data.patched_bars as p",
            "m.py:2: imports benchmark.data.patched_bars;",
        ),
        ("from benchmark import seeds", "m.py:1: imports benchmark.seeds;"),
        ("from benchmark.tracks import TRACKS", "m.py:1: imports benchmark.tracks.TRACKS;"),
        ("from benchmark.models_of import x", "m.py:1: imports benchmark.models_of.x;"),
        ("import contrib.other.method", "m.py:1: imports contrib.other.method;"),
        ("m = __import__('benchmark.seeds')", "m.py:1: names benchmark.seeds;"),
        ("open('../../results/x/1.0/y/results.json')", "m.py:1: names results.json;"),
        ("open(f'/proc/{1}/environ')", "m.py:1: names /proc;"),
    ],
)
def test_signs_of_reaching_for_the_truth_are_told(source: str, does: str) -> None:
    (line,) = source_cautions(parse_source(source.encode(), "m.py"), "m.py")
    assert line.startswith(f"warning: {does}")


@pytest.mark.parametrize(
    "source",
    [
        "import numpy, benchmark.models",
        "from benchmark.models import make_cnn",
        "from benchmark import models",
        "from . import helper",
        "from .benchmark import helper",
        "import benchmarking",
        '"""Compared with results.json of contrib/other."""',
        "x = 'a benchmark'",
        "open('data/processed.csv')",
        "# import benchmark",
    ],
)
def test_what_an_entry_may_do_is_not_warned_of(source: str) -> None:
    assert list(source_cautions(parse_source(source.encode(), "m.py"), "m.py")) == []


def test_nothing_is_run_and_nothing_is_warned_about() -> None:
    parse_source(b"1 / 0\nraise SystemExit\nx = '\\d'\nassert (1, 2)\n", "m.py")


@pytest.mark.parametrize("encoding", ["unicode_escape", "utf-7", "latin-1", "rot13", "nonsense"])
@pytest.mark.parametrize(
    "line", ["# coding: {}", "# -*- coding: {} -*-", "#!/usr/bin/python\n# vim: set fileencoding={} :"]
)
def test_a_coding_line_that_could_hide_code_is_a_fault(encoding: str, line: str) -> None:
    content = (line.format(encoding) + "\n# \\nHIDDEN = 42\\n\n").encode()
    (fault,) = reading_faults(content, "m.py")
    assert fault.startswith("m.py: expected a file in UTF-8, got ")
    with pytest.raises(EntryError, match="take out its coding line"):
        parse_source(content, "m.py")


@pytest.mark.parametrize(
    "content", [b"x = 1", b"# coding: utf-8\n", b"\xef\xbb\xbfx = 1", b"#\n#\n# coding: latin-1\n"]
)
def test_utf_8_by_name_or_by_default_is_none(content: bytes) -> None:
    assert list(reading_faults(content, "m.py")) == []


@pytest.mark.parametrize(
    ("line", "got"),
    [
        (b"x = 1 # a comment\rimport os", "U+000D"),
        ("x = 1 # \u202eso ti".encode(), "U+202E"),
        (b"x = 1 # \x1b[2K\x0c", "U+000C, U+001B"),
        ("x = 1 # \u2028".encode(), "U+2028"),
    ],
)
def test_characters_that_hide_code_are_named_with_their_line(line: bytes, got: str) -> None:
    with pytest.raises(EntryError, match=re.escape("m.py:2: expected characters")) as caught:
        parse_source(b"y = 0\n" + line + b"\nz = 2\n", "m.py")
    assert f"got {got};" in str(caught.value)


def test_tabs_line_ends_of_windows_and_letters_of_all_scripts_are_plain() -> None:
    assert list(reading_faults("\ufeffx = 'é日本\u200d'\r\n\ty\r\n".encode(), "m.py")) == []
