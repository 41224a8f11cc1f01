"""The pictures of galleries: which entry shows what, in words and numbers for the templates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmark.data.patched_bars import CORNERS, SIDE, patch_slices
from benchmark.pages.gather import Board, Face
from benchmark.pages.raster import png_column, png_heat
from benchmark.ranking import RANKED, Standing, Standings
from benchmark.records import Arrays, Kind
from benchmark.results import Result, Row

SHARED, HIT, MISS = 0, 1, 2
"""Why a picture is in a gallery: every entry has it; a hit of this entry; a miss."""
IMAGES = "shared-images.png"
"""The file of the images themselves; no entry's id holds a hyphen."""


@dataclass(frozen=True)
class Shot:
    """One picture: an image with an entry's heatmap."""

    place: int
    """Which picture of its file it is, from the top."""
    case: Row
    """The case the image belongs to."""
    image: int
    """The image's number in its case."""
    role: int
    """`SHARED`, `HIT` or `MISS`."""
    corner: int
    """Where the patch is, a place in `CORNERS`."""
    hit: bool
    """Whether the heatmap peaks on the patch or next to it."""
    peak: tuple[int, int] | None
    """Row and column of the peak, from 0; None where the heatmap has none."""

    @property
    def outcome(self) -> str:
        """What became of it: `hit` or `miss` in shortcut cases, which count; else where the peak is."""
        if self.case.kind is Kind.SHORTCUT:
            return "hit" if self.hit else "miss"
        if self.peak is None:
            return "no peak"
        return "on the patch" if self.hit else "off the patch"

    @property
    def word(self) -> str:
        """The same, and why it missed where it has no peak."""
        missed = self.peak is None and self.case.kind is Kind.SHORTCUT
        return "miss, no peak" if missed else self.outcome

    @property
    def corner_word(self) -> str:
        """Where the patch is, such as `top left`."""
        return CORNERS[self.corner]

    @property
    def patch(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the patch, in pixels."""
        rows, columns = patch_slices(self.corner)
        return (columns.start, rows.start, columns.stop - columns.start, rows.stop - rows.start)

    @property
    def peak_words(self) -> str:
        """Where the heatmap peaks, in words."""
        if self.peak is None:
            return "the heatmap has no peak"
        return f"the heatmap peaks in row {self.peak[0] + 1}, column {self.peak[1] + 1} of {SIDE}"


@dataclass(frozen=True)
class Reel:
    """All pictures of one entry on one version of a track."""

    face: Face
    """The entry."""
    ranked: bool
    """Whether the entry has a rank."""
    shots: tuple[Shot, ...]
    """Its pictures, in the order of its file."""
    arrays: Arrays
    """The gallery they are made of."""

    @property
    def count(self) -> int:
        """How many pictures its file holds."""
        return len(self.arrays["row"])

    @property
    def content(self) -> bytes:
        """The file: all pictures below one another, as PNG."""
        return png_heat(self.arrays["image"], self.arrays["heatmap"])

    @property
    def file(self) -> str:
        """The file's name."""
        return f"{self.face.id}.png"

    def of(self, *roles: int) -> tuple[Shot, ...]:
        """The pictures that are there for one of `roles`."""
        return tuple(shot for shot in self.shots if shot.role in roles)


@dataclass(frozen=True)
class SharedImage:
    """An image that every entry's gallery shows."""

    shot: Shot
    """The case, the image and the patch; `place` is its place in `IMAGES`."""
    cells: tuple[Shot | None, ...]
    """What each reel shows of it; None where it does not."""


@dataclass(frozen=True)
class Gallery:
    """The pictures of all entries of a table that have any."""

    reels: tuple[Reel, ...]
    """The entries, in table order."""
    images: tuple[SharedImage, ...]
    """What they all show, in suite order."""
    content: bytes
    """The images themselves, below one another, as PNG; empty where there are none."""


def gallery_of(board: Board, table: Standings) -> Gallery | None:
    """The gallery of a table; None where no result has pictures."""
    reels = tuple(reel for row in table.rows if (reel := reel_of(board, row)) is not None)
    if not reels:
        return None
    first: dict[Key, tuple[Shot, Arrays]] = {}
    for reel in reels:
        for shot in reel.of(SHARED):
            first.setdefault((shot.case.case, shot.image), (shot, reel.arrays))
    order = sorted(first, key=lambda key: _suite_order(table, key))
    pixels = [first[key][1]["image"][first[key][0].place] for key in order]
    images = tuple(
        SharedImage(replace(first[key][0], place=at), _cells(reels, key)) for at, key in enumerate(order)
    )
    return Gallery(reels, images, png_column(np.stack(pixels)) if pixels else b"")


def examples(gallery: Gallery, entries: int, pictures: int) -> list[tuple[Reel, Shot]]:
    """Up to `pictures` of the first `entries` ranked reels: the same images of shortcut cases of each."""
    chosen = [n for n, reel in enumerate(gallery.reels) if reel.ranked][:entries]
    images = [image for image in gallery.images if image.shot.case.kind is Kind.SHORTCUT]
    pairs = [(gallery.reels[n], image.cells[n]) for image in images for n in chosen]
    return [(reel, shot) for reel, shot in pairs if shot is not None][:pictures]


def reel_of(board: Board, row: Standing) -> Reel | None:
    """The pictures of a row's entry; None where it has none."""
    arrays = board.gallery(row.result)
    if row.result is None or arrays is None:
        return None
    shots = tuple(_shots(row.result, arrays))
    return Reel(board.faces[row.entry], row.group in RANKED, shots, arrays)


def _shots(result: Result, arrays: Arrays) -> Iterator[Shot]:
    cases = {row.case: row for row in result.details.per_dataset}
    for place, case in enumerate(arrays["case"].tolist()):
        if case in cases:
            top, left = (int(value) for value in arrays["peak"][place])
            yield Shot(
                place=place,
                case=cases[case],
                image=int(arrays["row"][place]),
                role=int(arrays["role"][place]),
                corner=int(arrays["corner"][place]) % len(CORNERS),
                hit=bool(arrays["hit"][place]),
                peak=(top, left) if 0 <= top < SIDE and 0 <= left < SIDE else None,
            )


Key = tuple[str, int]
"""A case's id and the number of an image in it."""


def _cells(reels: Sequence[Reel], key: Key) -> tuple[Shot | None, ...]:
    return tuple(
        next((shot for shot in reel.of(SHARED) if (shot.case.case, shot.image) == key), None)
        for reel in reels
    )


def _suite_order(table: Standings, key: Key) -> tuple[int, int]:
    ids = [case.id for case in table.version.keys()]
    return (ids.index(key[0]) if key[0] in ids else len(ids), key[1])
