"""The summary of a preview run: what people read, with text of others that does nothing."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from benchmark.isolation.protocol import harmless
from benchmark.pipeline.markdown import fenced
from benchmark.pipeline.summary import MOST_BYTES, Findings, render
from tests.previews import parsed, preview, track

HOSTILE = [
    "```",
    "~~~~",
    "`" * 40,
    "</code></pre><script>alert(1)</script>",
    "<!-- ",
    "@everyone #1 [x](https://example.org) ![x](https://example.org/x.png)",
    "::error::x",
    "##[add-mask]x",
    "    ```text",
    "| a | b |",
    "\x1b[2J\x07\u202e\ud800",
    "a\r```\rb",
]


def tokens(markdown: str) -> list[tuple[str, str]]:
    """The kinds and texts of the blocks that a CommonMark parser with tables finds."""
    parser = MarkdownIt("commonmark").enable("table")
    return [(token.type, token.content) for token in parser.parse(markdown)]


@given(lines=st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=40)), max_size=6))
@example(HOSTILE)
def test_nothing_ends_a_block_of_others_text(lines: list[str]) -> None:
    found = tokens(f"before\n\n{fenced(lines, 10_000)}\n\nafter")
    kinds = [kind for kind, _ in found]
    paragraph = ["paragraph_open", "inline", "paragraph_close"]
    assert kinds == [*paragraph, "fence", *paragraph]
    held = found[3][1]
    expected = harmless("\n".join(lines)).strip("\n").replace("\0", "\ufffd")
    assert held.removesuffix("\n") == expected
    assert "::" not in held and "##[" not in held and "\x1b" not in held and "\u202e" not in held


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (["a" * 50] * 100, 1000),
        (["\u00e9" * 25] * 100, 19 * 51 - 1),
        (["a" * 50] * 10 + ["\u00e9" * 400], 10 * 51 - 1),
        (["\u00e9" * 1000], 1000),
    ],
)
def test_a_long_text_is_cut_and_says_so(lines: list[str], kept: int) -> None:
    text = fenced(lines, 1000)
    assert text.endswith(f"\n```\n\nCut here: the first {kept} bytes are shown.")
    assert len(text.encode()) < 1100
    assert next(kind for kind, _ in tokens(text)) == "fence"
    assert "Cut here" not in fenced(lines, 10_000)


def test_a_fence_is_longer_than_any_run_in_its_text() -> None:
    text = fenced(["`" * 50] * 30, 1000)
    assert next(kind for kind, _ in tokens(text)) == "fence"
    assert text.startswith("`" * 51 + "text\n")


def test_a_summary_holds_numbers_output_and_the_commands() -> None:
    notes = {"embedding-detection": ["linear/0.3/1: crashed: ValueError", "  it printed: hello"]}
    failed = parsed(preview(track(status="incomplete", failed={"crashed": 1}, rank=None)))
    text = render(Findings(failed, cautions=["warning: look here"], notes=notes), [])
    assert text.startswith("## Preview of `new_probe`\n\n### embedding-detection 1.1\n\n**1 of 360 cases")
    assert "```text\nlinear/0.3/1: crashed: ValueError\n  it printed: hello\n```\n" in text
    reviewer = text.split("### For the reviewer\n\n")[1]
    assert reviewer.split("\n\n")[1:3] == [
        "```text\nwarning: look here\n```",
        "What else it imports and does is for you to read.",
    ]
    commands = ".venv/bin/python scripts/check.py contrib/new_probe\n"
    assert f"{commands}.venv/bin/python scripts/score.py contrib/new_probe\n```\n" in text
    complete = render(Findings(parsed(preview(suite="quick"))), ["quadratic_probe"])
    assert "It cannot be told apart from `quadratic_probe`." in complete
    assert "By name it reaches for nothing of this repository." in complete
    assert "| AUROC | 0.125 | 0.062 to 0.250 | higher is better |" in complete
    assert "scripts/score.py contrib/new_probe --quick" in complete


def test_faults_are_listed_in_a_block() -> None:
    faults = ["contrib/x/entry.toml: <img src=x>", "contrib/x/method.py: ```"]
    text = render(Findings(parsed(preview(tracks=[], faults=2, entry=None)), faults), [])
    assert "## Preview of an entry\n\nThe static check found 2 faults, so nothing was run." in text
    blocks = [content for kind, content in tokens(text) if kind == "fence"]
    assert blocks[0] == "\n".join(faults) + "\n"
    assert "contrib/<entry>" in blocks[1]
    assert not any(kind.startswith("html") for kind, _ in tokens(text))


def test_a_summary_stays_below_githubs_limit() -> None:
    tracks = [track(), track(track="embedding-mitigation", version="1.0", metrics={}, intervals={})]
    huge = ["x" * 1000] * 5000
    notes = {one["track"]: huge for one in tracks}
    text = render(Findings(parsed(preview(*tracks)), (), huge, notes), [])
    assert MOST_BYTES / 2 < len(text.encode()) < 2**20
    assert text.count("Cut here: ") == 3
    assert text.count("### The same on your machine") == 1
