"""The one issue that tells which committed results do not reproduce."""

from collections.abc import Sequence

from benchmark.pipeline.github import GitHub, by_us
from benchmark.pipeline.markdown import code
from benchmark.verified import Verification

MARKER = "<!-- shortcut-leaderboard: verification -->"
"""What our issue and its comments begin with."""
LABEL = "verification"
TITLE = "Committed results do not reproduce"
MOST_ROWS = 100
"""How many results one issue lists."""


def keep(github: GitHub, failing: Sequence[Verification], run_url: str) -> str:
    """What was done so that an issue is open exactly while a committed result does not stand, in a line.

    failing: the last verifications of committed results, those that do not stand. run_url: checked before.
    Raises GitHubError when GitHub does not do it.
    """
    return github.patiently(lambda: _kept(github, failing, run_url))


def _kept(github: GitHub, failing: Sequence[Verification], run_url: str) -> str:
    number = _open(github)
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
    return f"issue {number} closed: every result stands"


def _open(github: GitHub) -> int | None:
    """The number of our open issue; None where there is none."""
    for issue in github.every("issues", state="open", labels=LABEL):
        number = issue.get("number")
        if by_us(issue, MARKER) and "pull_request" not in issue and isinstance(number, int):
            return number
    return None


def render(failing: Sequence[Verification], run_url: str) -> str:
    """The issue's Markdown, of numbers, the names of committed results and our own words."""
    rows = ["| entry | track | verified | numeric fingerprint | largest difference |"]
    rows.append("| :-- | :-- | :-- | :-- | --: |")
    for one in failing[:MOST_ROWS]:
        same = "the same" if one.same_fingerprint else "another"
        size = "not comparable" if one.largest is None else f"{one.largest:.3g}"
        place = f"{code(one.entry)} | {one.track} {one.version}"
        rows.append(f"| {place} | {one.verified_at[:10]} | {same} | {size} |")
    more = [f"{len(failing) - MOST_ROWS} more are not listed."] if len(failing) > MOST_ROWS else []
    parts = [
        MARKER,
        f"{_count(failing)}, by [the latest run]({run_url}) and those before it, whose logs tell more.",
        "\n".join(rows),
        *more,
        "Score again with `scripts/verify.py ENTRY`. Under the same numeric fingerprint every number has to "
        "be the same, elsewhere within the track's tolerance. This issue closes itself once each of them was "
        "found to stand, or was scored anew.",
    ]
    return "\n\n".join(parts) + "\n"


def _count(failing: Sequence[Verification]) -> str:
    return "1 result does not reproduce" if len(failing) == 1 else f"{len(failing)} results do not reproduce"


def _say_once(github: GitHub, number: int, body: str) -> None:
    """Comments on an issue, unless the comment is there already."""
    for comment in github.every(f"issues/{number}/comments"):
        if by_us(comment, MARKER) and str(comment["body"]).strip() == body.strip():
            return
    github.make(f"issues/{number}/comments", {"body": body})
