"""The table of a track read out in plain sentences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmark.metrics import METRICS
from benchmark.pages.axis import number
from benchmark.pages.gather import Face
from benchmark.ranking import RANKED, Group, Standing, Standings

NAMED = 4
"""How many entries a sentence names at most."""
BEST: Mapping[Group, tuple[str, str]] = {
    Group.CALIBRATED: (
        "The best entry with a calibrated flag is ",
        "The best entries with a calibrated flag are ",
    ),
    Group.OVERFIRING: (
        "Every flag fires too often; the best entry is ",
        "Every flag fires too often; the best entries are ",
    ),
}
BEST_OF_ALL = ("The best entry is ", "The best entries are ")
"""How the first sentence begins, for one leader and for several."""
LATER: Mapping[Group, tuple[str, str]] = {
    Group.NO_FLAG: (" returns no flag", " return no flag"),
    Group.OVERFIRING: (
        ": its flag fires too often to be trusted",
        ": their flags fire too often to be trusted",
    ),
}
"""What is said of the groups after the first."""


@dataclass(frozen=True)
class Part:
    """A piece of a sentence."""

    text: str
    """Its words."""
    face: Face | None = None
    """The entry that the words name, if they name one."""


def verdict(table: Standings, faces: Mapping[str, Face]) -> list[Part]:
    """Who leads, who cannot be told apart, and what is wrong with the rest; empty without ranked rows."""
    first = leaders(table)
    if not first:
        return []
    parts = [*_best(table, first, faces), *_why(table, first), *_behind(table, first, faces)]
    for group in RANKED:
        members = [row for row in table.rows if row.group is group]
        if members and group in LATER and group is not first[0].group:
            parts += [Part(" "), *_named(members, faces), Part(f"{LATER[group][len(members) > 1]}.")]
    return parts


def _best(table: Standings, first: Sequence[Standing], faces: Mapping[str, Face]) -> Iterator[Part]:
    title = METRICS[table.version.ranking].inline
    values = sorted({number(row.value) for row in first})
    shown = values[0] if len(values) == 1 else f"{values[0]} to {values[-1]}"
    yield Part(BEST.get(first[0].group, BEST_OF_ALL)[len(first) > 1])
    yield from _named(first, faces)
    yield Part(f"{_tied(table, first)} ({title} {shown}).")


def _tied(table: Standings, first: Sequence[Standing]) -> str:
    """How the leaders compare with one another."""
    if len(first) == 1:
        return ""
    names = {row.entry for row in first}
    if any({better, worse} <= names for better, worse in table.told_apart):
        return ", which the first cannot be told apart from"
    return ", which cannot be told apart"


def _why(table: Standings, first: Sequence[Standing]) -> Iterator[Part]:
    """What the leaders reach on every part of the ranking metric, where no other ranked row does."""
    parts = parts_of(table)
    others = [row for row in table.rows if row.rank is not None and row not in first]
    worst = [_worst(row, parts) for row in first]
    fallen = [_worst(row, parts) for row in others]
    if len(parts) < 2 or not others or None in worst or None in fallen:
        return
    floor, reach = min(w for w in worst if w is not None), max(f for f in fallen if f is not None)
    if floor > reach:
        names = [METRICS[part].part for part in parts]
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        yield Part(f" On each of {listed}, {'they reach' if len(first) > 1 else 'it reaches'} ")
        yield Part(
            f"{number(floor)} or more; every other ranked entry falls to {number(reach)} or less on one."
        )


def parts_of(table: Standings) -> list[str]:
    """The metrics that the ranking metric averages, such as `auroc_xor` for `auroc`."""
    whole = METRICS[table.version.ranking].title
    return [name for name in table.version.metrics if METRICS[name].over == whole]


def _worst(row: Standing, parts: Sequence[str]) -> float | None:
    """The least of a row's parts; None where one has no value."""
    values = [row.result.metrics.get(part) if row.result else None for part in parts]
    held = [value for value in values if value is not None]
    return min(held) if held and len(held) == len(parts) else None


def _behind(table: Standings, first: Sequence[Standing], faces: Mapping[str, Face]) -> Iterator[Part]:
    rest = [row for row in table.rows if row.group is first[0].group and row not in first]
    if rest:
        yield Part(" ")
        yield from _named(rest, faces)
        yield Part(f" {'are' if len(rest) > 1 else 'is'} behind.")


def _named(rows: Sequence[Standing], faces: Mapping[str, Face]) -> Iterator[Part]:
    """The rows' names with commas and an `and`; of more than a few, the first and a number."""
    shown = rows if len(rows) <= NAMED else rows[: NAMED - 1]
    hidden = len(rows) - len(shown)
    for place, row in enumerate(shown):
        last = place == len(shown) - 1 and not hidden
        if place:
            yield Part(" and " if last else ", ")
        yield Part(faces[row.entry].title, faces[row.entry])
    if hidden:
        yield Part(f" and {hidden} more")


def leaders(table: Standings) -> list[Standing]:
    """The first ranked row and those it cannot be told apart from; empty without ranked rows."""
    ranked = [row for row in table.rows if row.rank is not None and row.value is not None]
    if not ranked:
        return []
    level = table.level_with(ranked[0].entry)
    return [ranked[0], *(row for row in ranked if row.entry in level)]
