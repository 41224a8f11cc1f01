"""How faults are worded, and how text that others wrote is shown in them."""

import json
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import PurePath

JOINERS = "\u200c\u200d"
"""Invisible, but part of the spelling of some languages' names."""
HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode's control, format (bidi too), surrogate, private, unassigned, and line and paragraph characters."""
SHOWN = 60
"""How many characters of a value a message shows."""


def fault(where: PurePath | str, expected: str, got: str, step: str) -> str:
    """One line about one fault: where it is, what was expected, what came, and the next step."""
    place = where.as_posix() if isinstance(where, PurePath) else where
    return printable(f"{place}: expected {expected}, got {got}; {step}")


def is_plain(character: str) -> bool:
    """Whether a character shows as itself and changes nothing around it."""
    return unicodedata.category(character) not in HIDDEN_CATEGORIES or character in JOINERS


def printable(text: str) -> str:
    r"""`text` on one line: control, bidi, and other invisible characters as escapes such as `\u202e`."""
    return "".join(c if is_plain(c) else c.encode("unicode_escape").decode() for c in text)


def shown(value: object) -> str:
    """A value as messages show it, short and on one line: `"abc"`, `12`, `true`, `a list of 3`."""
    if isinstance(value, str):
        rest = f"... ({len(value)} characters)" if len(value) > SHOWN else ""
        return printable(json.dumps(value[:SHOWN], ensure_ascii=False)) + rest
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"a table of {len(value)}"
    if isinstance(value, int) and value.bit_length() > 100:
        return f"a whole number of {value.bit_length()} bits"
    return printable(str(value))[:SHOWN]


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """`did you mean "x"?` for the choice nearest to `word`, or all choices where none is near."""
    known = sorted(choices)
    near = get_close_matches(word[:SHOWN], known, n=1)
    return f'did you mean "{near[0]}"?' if near else f"choose from {', '.join(known)}"
