"""What a preview run writes for people: the summary of the job, with the entry's own output in it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmark.pipeline import preview as small
from benchmark.pipeline.markdown import code, fenced, track_lines
from benchmark.pipeline.preview import Preview
from benchmark.stored import write

FILE_NAME = "summary.md"
MOST_BYTES = 900_000
"""How many bytes of others' text a summary holds; GitHub shows none of over 1 MiB."""
CAUTIONS = "The static check points at this; none of it is a fault:"


@dataclass(frozen=True)
class Findings:
    """All that a preview run has found so far."""

    preview: Preview
    """The numbers."""
    faults: Sequence[str] = ()
    """The faults of the static check."""
    cautions: Sequence[str] = ()
    """What a reviewer should look at."""
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """For each track, lines on what lies behind the numbers, with the entry's own output."""


def save(findings: Findings, folder: Path, known: Sequence[str]) -> None:
    """Writes preview.json and summary.md into `folder`. known: the ids of the entries there are."""
    write(findings.preview, folder / small.FILE_NAME)
    text = render(findings, known)
    (folder / FILE_NAME).write_text(text, encoding="utf-8")


def render(findings: Findings, known: Sequence[str]) -> str:
    """The Markdown of a job's summary, well below GitHub's limit."""
    return "\n\n".join(_parts(findings, known)).rstrip() + "\n"


def _parts(findings: Findings, known: Sequence[str]) -> Iterator[str]:
    preview = findings.preview
    share = MOST_BYTES // (2 + len(preview.tracks))
    yield f"## Preview of {code(preview.entry) if preview.entry else 'an entry'}"
    if preview.faults:
        count = f"{preview.faults} fault" + ("s" if preview.faults > 1 else "")
        yield f"The static check found {count}, so nothing was run."
        yield fenced(findings.faults, share)
    for one in preview.tracks:
        yield from track_lines(preview, one, known)
        if lines := findings.notes.get(one.track):
            yield fenced(lines, share)
    if not preview.faults:
        yield "### For the reviewer"
        yield "By name it reaches for nothing of this repository." if not findings.cautions else CAUTIONS
        if findings.cautions:
            yield fenced(findings.cautions, share)
        yield "What else it imports and does is for you to read."
    yield "### The same on your machine"
    yield fenced(_commands(preview), share)


def _commands(preview: Preview) -> Iterator[str]:
    """The commands that find the same elsewhere."""
    folder = f"contrib/{preview.entry or '<entry>'}"
    yield f".venv/bin/python scripts/check.py {folder}"
    yield f".venv/bin/python scripts/score.py {folder}" + (" --quick" if preview.suite == "quick" else "")
