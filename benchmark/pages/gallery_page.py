"""The gallery of a version of a track: the same images for every entry, side by side."""

from collections.abc import Iterable
from dataclasses import dataclass

import jinja2

from benchmark.pages.gather import Board, folder_of
from benchmark.pages.render import Page
from benchmark.pages.shots import IMAGES, Gallery, Shot
from benchmark.ranking import Standings

AT_ONCE = 6
"""How many entries the page shows at first; the others are a choice away."""


@dataclass(frozen=True)
class Choices:
    """What pictures can be narrowed to."""

    strengths: tuple[float, ...]
    """The strengths of their cases."""
    corners: tuple[str, ...]
    """Where their patches are, in words."""
    outcomes: tuple[str, ...]
    """What became of them, in words."""


def choices(shots: Iterable[Shot]) -> Choices:
    """What `shots` can be narrowed to, each choice once and in order."""
    held = list(shots)
    return Choices(
        strengths=tuple(sorted({shot.case.strength for shot in held})),
        corners=tuple(dict.fromkeys(s.corner_word for s in sorted(held, key=lambda shot: shot.corner))),
        outcomes=tuple(sorted({shot.outcome for shot in held})),
    )


def gallery_page(board: Board, table: Standings, gallery: Gallery, templates: jinja2.Environment) -> Page:
    """The page of a table's gallery."""
    folder, track, version = folder_of(table), table.track, table.version
    body = templates.get_template("gallery.md.j2").render(
        track=track,
        version=version,
        current=version is track.current,
        gallery=gallery,
        choices=choices(shot for image in gallery.images for shot in image.cells if shot is not None),
        kinds=sorted({image.shot.case.kind.value for image in gallery.images}),
        images_file=IMAGES,
        at_once=AT_ONCE,
        faces=board.faces,
        up="../" * (folder.count("/") + 2),
    )
    title = (
        f"{track.title}: gallery" if version is track.current else f"{track.title} {version.number}: gallery"
    )
    about = f"What the entries of {track.title} look at: the same images for every entry, with heatmaps."
    return Page(
        f"{folder}/gallery/index.md", title, about, body, wide=True, searched=version is track.current
    )


def gallery_files(table: Standings, gallery: Gallery) -> dict[str, bytes]:
    """The images of a gallery by their paths below site/leaderboard/."""
    folder = f"{folder_of(table)}/gallery"
    shared = {f"{folder}/{IMAGES}": gallery.content} if gallery.content else {}
    return shared | {f"{folder}/{reel.file}": reel.content for reel in gallery.reels}
