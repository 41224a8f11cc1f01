"""The one comment under a pull request that tells of its preview: validated numbers and our own words."""

from collections.abc import Collection, Iterator

from benchmark.pipeline.github import GitHub, Json, by_us
from benchmark.pipeline.markdown import code, track_lines
from benchmark.pipeline.preview import Preview

MARKER = "<!-- shortcut-leaderboard: preview -->"
"""What our comments begin with."""


def render(preview: Preview | None, head: str, run_url: str, known: Collection[str]) -> str:
    """The comment's Markdown.

    preview: None where the run left no valid one; nothing of it is shown then. head, run_url: checked
    before. known: the ids of the entries there are.
    """
    link = f"[run's summary]({run_url})"
    parts = _none(link) if preview is None else _parts(preview, link, known)
    return "\n\n".join([MARKER, *parts, f"For commit {head[:12]}."]) + "\n"


def _none(link: str) -> Iterator[str]:
    yield "## No preview"
    yield f"The run gave no valid preview. The {link} and its log may say why."


def _parts(preview: Preview, link: str, known: Collection[str]) -> Iterator[str]:
    yield f"## Preview of {code(preview.entry) if preview.entry else 'an entry'}"
    if preview.faults:
        count = f"{preview.faults} fault" + ("s" if preview.faults > 1 else "")
        yield f"**The static check found {count}**, so nothing was run. The {link} lists all of them."
        return
    for one in preview.tracks:
        yield from track_lines(preview, one, known)
    if preview.complete:
        yield f"The {link} holds more, and how to run the same on your machine."
    else:
        yield f"The {link} says what failed and why, with what the entry printed."
    yield "This is a preview: what counts is what the maintainers' own run commits after the merge."


def post(github: GitHub, head: str, body: str) -> list[int]:
    """The numbers of the open pull requests with that head, each of which has the comment now.

    The pull request is found by its head alone, and an earlier comment of ours is written anew. Raises
    GitHubError when GitHub does not do it.
    """
    numbers = [
        pull["number"]
        for pull in github.every("pulls", state="open")
        if _head(pull) == head and isinstance(pull.get("number"), int)
    ]
    for number in numbers:
        github.patiently(lambda number=number: _kept(github, number, body))  # type: ignore[misc]
    return numbers


def _head(pull: Json) -> object:
    head = pull.get("head")
    return head.get("sha") if isinstance(head, dict) else None


def _kept(github: GitHub, number: int, body: str) -> str:
    """What was done so that there is one comment of ours, which says `body`."""
    for comment in github.every(f"issues/{number}/comments"):
        if by_us(comment, MARKER) and isinstance(comment.get("id"), int):
            if str(comment["body"]).strip() == body.strip():
                return "kept"
            github.change(f"issues/comments/{comment['id']}", {"body": body})
            return "updated"
    github.make(f"issues/{number}/comments", {"body": body})
    return "made"
