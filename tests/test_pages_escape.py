import html

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from benchmark.pages.escape import https, neutral, plain


def test_neutral_leaves_no_character_that_html_or_markdown_reads() -> None:
    assert neutral('<b>*a* _b_ `c` [d](e) {: #f } --8<-- "g" & h|i') == (
        "&#60;b&#62;&#42;a&#42; &#95;b&#95; &#96;c&#96; &#91;d&#93;(e) &#123;: &#35;f &#125; --8&#60;-- "
        "&#34;g&#34; &#38; h&#124;i"
    )


def test_neutral_keeps_line_breaks_as_entities_and_drops_what_is_invisible() -> None:
    assert neutral("a\nb\u202ec\x00\u200bd") == "a&#10;bcd"


def test_neutral_passes_markup() -> None:
    assert neutral(Markup("<b>x</b>")) == "<b>x</b>"


@given(st.text(st.characters(exclude_categories=["C", "Z"]), max_size=50))
def test_neutral_shows_what_it_was_given(text: str) -> None:
    assert html.unescape(neutral(text)) == text


def test_plain_is_one_line_without_marks() -> None:
    assert (
        plain("</title><script>alert('x')</script>\n&amp; \"R\": {}")
        == "/title script alert( x ) /script amp; R :"
    )


@pytest.mark.parametrize("link", ["https://a.org/x?y=1", "https://a.org"])
def test_https_links_are_kept(link: str) -> None:
    assert https(link) == link


@pytest.mark.parametrize(
    "link",
    [
        None,
        "",
        "http://a.org",
        "javascript:alert(1)",
        "https:",
        "https://",
        "https://a.org/ x",
        "//a.org",
        "https://[x",
    ],
)
def test_other_links_are_dropped(link: str | None) -> None:
    assert https(link) is None
