"""What makes text of contributors harmless on a page."""

import re
import unicodedata
from functools import lru_cache
from urllib.parse import urlsplit

from markupsafe import Markup

SHORT = 40
"""Texts up to this length are remembered, as tables hold them again and again."""
_MEANT = re.compile(r"[^\w ,.;:()/%+\-\u2010-\u2015\u2018-\u201f]|_")
_TAB_TITLE = re.compile(r"[^\w ,.;:()/%+\-\u2010-\u2015\u2018-\u201f]+")


def neutral(value: object) -> Markup:
    """`value` as HTML that shows it and does nothing else, in text and in quoted attributes alike.

    Markup passes as it is. Of all else, each character that means something to HTML or to Markdown
    becomes a numeric entity, new lines among them; invisible characters go.
    """
    if isinstance(value, Markup):
        return value
    text = str(value)
    return _remembered(text) if len(text) <= SHORT else _neutral(text)


def _neutral(text: str) -> Markup:
    return Markup(_MEANT.sub(lambda match: f"&#{ord(match[0])};", visible(text)))


_remembered = lru_cache(maxsize=1 << 15)(_neutral)


def visible(text: str) -> str:
    """`text` without invisible characters; new lines and tabs stay."""
    return text if text.isprintable() else "".join(c for c in text if c in "\n\t" or _visible(c))


def plain(text: str) -> str:
    """`text` on one line without any mark of HTML, YAML or Markdown: for a page's title in the tab."""
    return " ".join(_TAB_TITLE.sub(" ", "".join(filter(_visible, text))).split())


def https(link: str | None) -> str | None:
    """`link` when it is an https address with a host; None otherwise."""
    if link is None or any(c.isspace() or not _visible(c) for c in link):
        return None
    try:
        parts = urlsplit(link)
    except ValueError:
        return None
    return link if parts.scheme == "https" and parts.hostname else None


def _visible(character: str) -> bool:
    """Whether it is neither a control, a bidi mark nor another invisible character."""
    return unicodedata.category(character)[0] != "C"
