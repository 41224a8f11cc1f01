"""The page that compares a few entries of a track case by case, in the reader's browser."""

import jinja2
from markupsafe import Markup

from benchmark.metrics import METRICS
from benchmark.pages.compare_data import comparison_of, packed
from benchmark.pages.gather import Board, folder_of
from benchmark.pages.metadata import scripted
from benchmark.pages.render import Page
from benchmark.pages.shots import Gallery
from benchmark.ranking import Standings

MOST = 4
"""How many entries the page compares at most."""


def compare_page(
    board: Board, table: Standings, gallery: Gallery | None, templates: jinja2.Environment
) -> Page:
    """The compare page of a table, with its data inside: it works where nothing can be fetched too."""
    found, folder, track = comparison_of(table), folder_of(table), table.track
    body = templates.get_template("compare.md.j2").render(
        track=track,
        cases=len(table.version.keys()),
        ranking=METRICS[table.version.ranking],
        data=Markup(scripted(packed(found, board.faces, gallery))) if found else "",
        shared=bool(gallery and gallery.images),
        most=MOST,
        up="../" * (folder.count("/") + 2),
    )
    title, about = f"{track.title}: compare", f"Entries of {track.title} compared on the same cases."
    return Page(f"{folder}/compare/index.md", title, about, body, wide=True, searched=False)
