"""The Jinja environment: whatever an expression gives is made harmless before it is written."""

import json
from dataclasses import dataclass
from pathlib import Path

import jinja2

from benchmark.pages import axis, raster
from benchmark.pages.escape import https, neutral, plain


def environment(folder: Path) -> jinja2.Environment:
    """The templates of `folder`; every expression passes `neutral`, and a missing name is an error."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        finalize=neutral,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters |= {
        "https": https,
        "number": axis.number,
        "signed": axis.signed,
        "span": axis.span,
        "rank": axis.rank_text,
        "seconds": axis.seconds,
        "cut_at": raster.cut_at,
        "zip": zip,
    }
    return templates


@dataclass(frozen=True)
class Page:
    """A Markdown page before it is written."""

    path: str
    """Where it goes, below site/leaderboard/."""
    title: str
    """Its name in the browser's tab."""
    description: str
    """One sentence for search engines."""
    body: str
    """Its Markdown and HTML."""
    wide: bool = False
    """Whether it needs the width of the side bars."""
    searched: bool = True
    """Whether the site's search finds it."""
    card: str = ""
    """The picture that link previews show, below site/leaderboard/; empty for none."""
    dataset: str = ""
    """The page's data as JSON-LD; empty for none."""

    @property
    def text(self) -> str:
        """The file's content: front matter and body."""
        hidden = ["navigation", "toc"] if self.wide else ["navigation"]
        lines = [
            f"title: {json.dumps(plain(self.title), ensure_ascii=False)}",
            f"description: {json.dumps(plain(self.description), ensure_ascii=False)}",
            f"hide: {json.dumps(hidden)}",
            *([] if self.searched else ["search:", "  exclude: true"]),
            *([f"card: {json.dumps(self.card)}"] if self.card else []),
            *([f"dataset: {json.dumps(self.dataset, ensure_ascii=False)}"] if self.dataset else []),
        ]
        return "\n".join(["---", *lines, "---", "", self.body])
