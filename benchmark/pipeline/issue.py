"""The one issue that tells which committed results do not reproduce."""

import re
from collections.abc import Sequence

from benchmark import stored
from benchmark.errors import ResultError
from benchmark.pipeline.github import GitHub, by_us
from benchmark.pipeline.markdown import code
from benchmark.pipeline.verified import Log, Verified

MARKER = "<!-- shortcut-leaderboard: verification -->"
"""What our issue and its comments begin with."""
HELD = re.compile(r"<!-- held: (.*) -->")
LABEL = "verification"
TITLE = "Committed results do not reproduce"
MOST_ROWS = 100
"""How many results one issue holds."""


def keep(github: GitHub, log: Log, run_url: str) -> str:
    """What was done so that an issue is open exactly while a verified result does not stand, in a line.

    A result stays in the issue until a later log says that it stands, since a log holds but some results.
    run_url: checked before. Raises GitHubError when GitHub does not do it.
    """
    return github.patiently(lambda: _kept(github, log, run_url))


def _kept(github: GitHub, log: Log, run_url: str) -> str:
    number, before = _open(github)
    failing = still_failing(before, log)
    if number is None:
        if not failing:
            return "every result stands, and no issue is open"
        made = github.make("issues", {"title": TITLE, "body": render(failing, run_url), "labels": [LABEL]})
        return f"issue {made.get('number')} opened: {_count(failing)}"
    if failing:
        github.change(f"issues/{number}", {"body": render(failing, run_url)})
        return f"issue {number} updated: {_count(failing)}"
    _say_once(github, number, f"{MARKER}\n\nAll of them reproduce now, says [this run]({run_url}).\n")
    github.change(f"issues/{number}", {"state": "closed", "state_reason": "completed"})
    return f"issue {number} closed: every result in it stands"


def _open(github: GitHub) -> tuple[int | None, tuple[Verified, ...]]:
    """The number of our open issue and the results it holds; None and nothing where there is none."""
    for issue in github.every("issues", state="open", labels=LABEL):
        if by_us(issue, MARKER) and "pull_request" not in issue and isinstance(issue.get("number"), int):
            return issue["number"], held(issue["body"])
    return None, ()


def held(body: str) -> tuple[Verified, ...]:
    """The results that the body of an issue holds; none where somebody has edited them."""
    match = HELD.search(body)
    if match is None:
        return ()
    try:
        return tuple(stored.read(Log, match[1].encode("utf-8", "replace"), "issue", "").results)
    except (ResultError, RecursionError):
        return ()


def still_failing(before: Sequence[Verified], log: Log) -> list[Verified]:
    """The results that do not stand: by the log where it has them, and as before where it has not."""
    latest = {(one.track, one.version, one.entry): one for one in (*before, *log.results)}
    return [one for _, one in sorted(latest.items()) if not one.stands]


def render(failing: Sequence[Verified], run_url: str) -> str:
    """The issue's Markdown, of validated numbers, ids and our own words; `run_url` was checked before."""
    shown = [one.model_copy(update={"said": ""}) for one in failing[:MOST_ROWS]]
    content = stored.canonical_text(Log(schema=1, commit=None, results=shown))
    rows = [
        "| entry | track | verified | numeric fingerprint | largest difference |",
        "|---|---|---|---|--:|",
    ]
    for one in shown:
        same = "the same" if one.same_fingerprint else "another"
        size = "not comparable" if one.largest is None else f"{one.largest:.3g}"
        place = f"{code(one.entry)} | {one.track} {one.version}"
        rows.append(f"| {place} | {one.verified_at[:10]} | {same} | {size} |")
    more = [f"{len(failing) - MOST_ROWS} more are not listed."] if len(failing) > MOST_ROWS else []
    parts = [
        f"{MARKER}\n<!-- held: {' '.join(content.split())} -->",
        f"{_count(failing)}, says [the latest run]({run_url}), whose log tells each difference.",
        "\n".join(rows),
        *more,
        "Score again with `scripts/verify.py ENTRY`. Under the same numeric fingerprint every number has to "
        "be the same, elsewhere within the track's tolerance. This issue closes itself once later runs find "
        "that all of them stand; close it by hand where a result is gone.",
    ]
    return "\n\n".join(parts) + "\n"


def _count(failing: Sequence[Verified]) -> str:
    return "1 result does not reproduce" if len(failing) == 1 else f"{len(failing)} results do not reproduce"


def _say_once(github: GitHub, number: int, body: str) -> None:
    """Comments on an issue, unless the comment is there already."""
    for comment in github.every(f"issues/{number}/comments"):
        if by_us(comment, MARKER) and str(comment["body"]).strip() == body.strip():
            return
    github.make(f"issues/{number}/comments", {"body": body})
