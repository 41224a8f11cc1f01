"""What the script of a compare page computes with: each entry's contributions, packed into short texts."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmark.contributions import CONTRIBUTIONS, Cut, cuts, errors_wide
from benchmark.measures import UndefinedMetric
from benchmark.metrics import METRICS
from benchmark.pages.escape import visible
from benchmark.pages.gather import Face
from benchmark.pages.shots import IMAGES, Gallery, Reel, SharedImage, Shot
from benchmark.pages.tables import HEADINGS
from benchmark.ranking import Standing, Standings
from benchmark.records import Columns, FloatArray

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
"""What a packed number is written with, in base 64."""
LONGEST = 3
"""Digits of a number at most: a step is then below 4 millionths of the values' range."""

Slot = tuple[int, float | None]
"""A case, and the strength its contribution is measured against; None for all."""


@dataclass(frozen=True)
class Compared:
    """An entry that can be compared."""

    row: Standing
    """Its row."""
    cuts: tuple[Cut, ...]
    """The ranking metric by variant and strength, as its cases make it up."""


@dataclass(frozen=True)
class Comparison:
    """All entries of a table that can be compared with one another."""

    table: Standings
    """The table."""
    columns: Columns
    """The cases they share."""
    ids: tuple[str, ...]
    """The ids of the cases."""
    entries: tuple[Compared, ...]
    """At least two, in table order."""

    @cached_property
    def slots(self) -> dict[Slot, int]:
        """The place of each contribution in an entry's packed text."""
        found: dict[Slot, int] = {}
        for cut in self.entries[0].cuts:
            for slot in (slot for slots in _slots(cut) for slot in slots):
                found.setdefault(slot, len(found))
        return found


@dataclass(frozen=True)
class Packing:
    """How a number becomes digits: `steps` equal steps from `low` to `high`."""

    low: float
    """The number that is written as 0."""
    high: float
    """The number that is written as `steps`."""
    steps: int
    """How many steps there are."""
    width: int
    """Digits of each number."""

    def text(self, values: FloatArray) -> str:
        """The digits of `values`, float64 (k,)."""
        whole = np.rint((values - self.low) / (self.high - self.low) * self.steps).astype(int).tolist()
        return "".join(DIGITS[n >> (6 * place) & 63] for n in whole for place in reversed(range(self.width)))


def can_be_compared(row: Standing) -> bool:
    """Whether a row has a value on the data that the other rows have theirs on."""
    return row.value is not None and not row.stale


def comparison_of(table: Standings) -> Comparison | None:
    """The entries of a table that can be compared; None with fewer than two of them."""
    held, ids = [], [key.id for key in table.version.keys()]
    for row in table.rows:
        if row.result is not None and can_be_compared(row):
            cases = (held_row.case for held_row in row.result.details.per_dataset)
            keyed = dict(zip(cases, row.result.outcomes, strict=True))
            held.append((row, Columns.of([keyed[case] for case in ids])))
    entries = [Compared(row, found) for row, columns in held if (found := _cuts(table, columns, held[0][1]))]
    if len(entries) < 2:
        return None
    return Comparison(table, held[0][1], tuple(ids), tuple(entries))


def _cuts(table: Standings, columns: Columns, first: Columns) -> tuple[Cut, ...]:
    """An entry's cuts; none where its cases are of other kinds than the first entry's."""
    if not np.array_equal(columns.kind, first.kind):
        return ()
    try:
        return tuple(cuts(table.version, columns))
    except UndefinedMetric:
        return ()


def packed(comparison: Comparison, faces: Mapping[str, Face], gallery: Gallery | None) -> dict[str, object]:
    """All that the script needs, as it stands in the page."""
    table, metric = comparison.table, METRICS[comparison.table.version.ranking]
    vectors = [_vector(comparison, one) for one in comparison.entries]
    packing = _packing(comparison, vectors)
    return {
        "metric": {
            "title": metric.title,
            "inline": metric.inline,
            "up": metric.higher_is_better,
            "reach": metric.high - metric.low,
            "about": CONTRIBUTIONS[table.version.ranking].about,
        },
        "symbol": table.track.strength_symbol,
        "cases": list(_cases(comparison)),
        "cuts": [_cut(comparison, cut) for cut in comparison.entries[0].cuts],
        "packing": [packing.low, packing.high, packing.steps, packing.width],
        "digits": DIGITS,
        "entries": [
            [
                one.row.entry,
                visible(faces[one.row.entry].title),
                HEADINGS[one.row.group],
                one.row.value,
                packing.text(vector),
            ]
            for one, vector in zip(comparison.entries, vectors, strict=True)
        ],
        "absent": {
            row.entry: [visible(faces[row.entry].title), visible(_why(row))]
            for row in table.rows
            if row.entry not in {one.row.entry for one in comparison.entries}
        },
        "gallery": None if gallery is None else _gallery(gallery),
    }


def _why(row: Standing) -> str:
    """Why a row cannot be compared, in a sentence."""
    if row.stale:
        return "It was scored before its version’s data or metrics changed."
    return row.note or "Its cases are not those of the other entries."


def _slots(cut: Cut) -> Iterator[list[Slot]]:
    """The slots of each sample of a cut."""
    for sample in cut.samples:
        against = cut.strength if sample.moves else None
        yield [(case, against) for case in sample.cases.tolist()]


def _vector(comparison: Comparison, entry: Compared) -> FloatArray:
    """float64 (k,): an entry's contributions in the order of the slots."""
    found = np.empty(len(comparison.slots))
    for cut in entry.cuts:
        for slots, sample in zip(_slots(cut), cut.samples, strict=True):
            found[[comparison.slots[slot] for slot in slots]] = sample.values
    return found


def _packing(comparison: Comparison, vectors: Sequence[FloatArray]) -> Packing:
    """Exact where all contributions are parts of few; fine steps over their range elsewhere."""
    parts = {sample.parts for cut in comparison.entries[0].cuts for sample in cut.samples}
    common = math.lcm(*parts)
    for width in range(1, LONGEST + 1):
        if 0 < common < 64**width:
            return Packing(0.0, 1.0, common, width)
    low, high = min(float(v.min()) for v in vectors), max(float(v.max()) for v in vectors)
    return Packing(low, high if high > low else low + 1.0, 64**LONGEST - 1, LONGEST)


def _cases(comparison: Comparison) -> Iterator[list[object]]:
    """Each case: id, variant, strength, kind, and the slot of its contribution; null where it counts not."""
    columns = comparison.columns
    described = zip(columns.variant.tolist(), columns.strength.tolist(), columns.kind.tolist(), strict=True)
    for number, (name, facts) in enumerate(zip(comparison.ids, described, strict=True)):
        yield [name, *facts, comparison.slots.get((number, None))]


def _cut(comparison: Comparison, cut: Cut) -> list[object]:
    """A cut: variant, strength, errors a 95% interval reaches, and share, weight and slots of its samples."""
    samples = [
        [sample.share, sample.weight, [comparison.slots[slot] for slot in slots]]
        for slots, sample in zip(_slots(cut), cut.samples, strict=True)
    ]
    return [cut.variant, cut.strength, errors_wide(cut.samples), samples]


def _gallery(gallery: Gallery) -> dict[str, object]:
    return {
        "file": IMAGES,
        "images": [_image(image) for image in gallery.images],
        "reels": {
            reel.face.id: _reel(reel, [image.cells[n] for image in gallery.images])
            for n, reel in enumerate(gallery.reels)
        },
    }


def _image(image: SharedImage) -> list[object]:
    """An image: case, number, strength, kind, corner in words, left, top, width and height of its patch."""
    shot = image.shot
    kind = shot.case.kind.value
    return [shot.case.case, shot.image, shot.case.strength, kind, shot.corner_word, *shot.patch]


def _reel(reel: Reel, shots: Sequence[Shot | None]) -> list[object]:
    """How many pictures a file holds, and of each shared image: place, peak, word, whether it hits."""
    cells = [shot and [shot.place, shot.peak, shot.word, int(shot.hit)] for shot in shots]
    return [reel.count, cells]
