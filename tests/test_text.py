from pathlib import Path

import pytest

from benchmark.text import did_you_mean, fault, printable, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain — ünïcode", "plain — ünïcode"),
        ("a\nb\x1b[31m", "a\\nb\\x1b[31m"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\udc80", "\\udc80"),
        ("\u2028\ufeff", "\\u2028\\ufeff"),
        ("\u200d", "\u200d"),
    ],
)
def test_what_cannot_be_seen_is_escaped(text: str, expected: str) -> None:
    assert printable(text) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('a"b\n', '"a\\"b\\n"'),
        ("x" * 100, '"' + "x" * 60 + '"... (100 characters)'),
        (True, "true"),
        (12, "12"),
        ([1, 2], "a list of 2"),
        ({"a": 1}, "a table of 1"),
    ],
)
def test_values_are_shown_short_and_on_one_line(value: object, expected: str) -> None:
    assert shown(value) == expected


def test_a_number_too_long_to_print_is_measured() -> None:
    assert shown(16**5000) == "a whole number of 20001 bits"


def test_a_near_word_is_offered_and_otherwise_all() -> None:
    assert did_you_mean("helo", ["hello", "bye"]) == 'did you mean "hello"?'
    assert did_you_mean("xyz", ["hello", "bye"]) == "choose from bye, hello"


def test_a_fault_is_one_line() -> None:
    assert fault(Path("a\nb"), "x", "y", "z") == "a\\nb: expected x, got y; z"
