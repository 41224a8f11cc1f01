"""The pages of a track: one for its current version, one for each older one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import jinja2

from benchmark.metrics import METRICS
from benchmark.pages.axis import shade
from benchmark.pages.cards import card_of
from benchmark.pages.case_table import measured_cases, measured_counts
from benchmark.pages.compare_page import compare_page
from benchmark.pages.cost_figure import cost_drawing
from benchmark.pages.course_figure import NO_COURSE, course
from benchmark.pages.downloads import table_csv, table_json
from benchmark.pages.figures import Drawing, drawn
from benchmark.pages.gallery_page import gallery_files, gallery_page
from benchmark.pages.gather import Board, Face, TrackBoard, folder_of, scored, scored_at
from benchmark.pages.graded_figures import graded_drawings
from benchmark.pages.metadata import dataset, served_at
from benchmark.pages.moves import all_moves
from benchmark.pages.notes import metric_notes, symbols
from benchmark.pages.rank_map import rank_map
from benchmark.pages.render import Page
from benchmark.pages.shots import examples, gallery_of
from benchmark.pages.sketch_figures import sample_rows, sketch_drawings
from benchmark.pages.strength_figures import flag_drawings, strength_drawings
from benchmark.pages.tables import Cell, Column, Table, detail_table, has_fresh, main_table
from benchmark.pages.verdict import verdict
from benchmark.ranking import Standings
from benchmark.tracks.spec import Picture

Files = Mapping[str, str | bytes]
"""Texts, and the bytes of images, by path below site/leaderboard/."""
EXAMPLE_ENTRIES, EXAMPLES = 3, 6
"""Of how many leading entries the page shows pictures, and how many in all."""


@dataclass(frozen=True)
class Output:
    """The pages of a version with the files that lie beside them."""

    pages: tuple[Page, ...]
    """The table's page, its gallery's where there is one, and the compare page of the current version."""
    files: Files
    """What the pages show and offer."""


@dataclass(frozen=True)
class _Detail:
    """A table by variant and strength."""

    title: str
    """The metric's name."""
    table: Table
    """The table."""


def track_outputs(board: Board, found: TrackBoard, templates: jinja2.Environment) -> Iterator[Output]:
    """The pages of all versions of a track."""
    for standings in found.all:
        yield _output(board, found, standings, templates)


def _output(board: Board, found: TrackBoard, standings: Standings, templates: jinja2.Environment) -> Output:
    faces, folder, current = board.faces, folder_of(standings), standings is found.current
    tables = [main_table(standings, faces, board.verified(standings))]
    details = [
        detail for detail in _details(standings, faces) if not all(line.blank for line in detail.table.lines)
    ]
    pictures = found.track.pictures() if current and found.track.pictures else ()
    drawings, samples = _drawings(standings, faces, pictures), sample_rows(pictures)
    best = course(found, faces) if current else NO_COURSE
    gallery = gallery_of(board, standings)
    body = templates.get_template("track.md.j2").render(
        _facts(found, standings),
        faces=faces,
        key=board.key(standings),
        has_fresh=has_fresh(standings),
        up="../" * (folder.count("/") + 1),
        verdict=verdict(standings, faces),
        table=tables[0],
        details=[replace(detail, table=detail.table.first) for detail in details],
        **drawings,
        ranks=rank_map(standings, faces),
        samples=samples,
        examples=examples(gallery, EXAMPLE_ENTRIES, EXAMPLES) if gallery else [],
        gallery=gallery,
        shaded=shaded,
        course=best,
        **_versions(board, found, standings),
    )
    tables += [detail.table for detail in details]
    shown = [*best.drawings, *(one for some in drawings.values() for one in some)]
    files = _files(standings, folder, tables, shown)
    files |= {f"{folder}/{image.file}": image.content for row in samples for image in row.images}
    data = dataset(standings, tables[0], max(map(scored_at, scored(standings)), default=""), served_at())
    pages = [replace(_page(found, standings, folder, body), card=card_of(found.current), dataset=data)]
    if gallery:
        pages.append(gallery_page(board, standings, gallery, templates))
        files |= gallery_files(standings, gallery)
    if current:
        pages.append(compare_page(board, standings, gallery, templates))
    return Output(tuple(pages), files)


def _versions(board: Board, found: TrackBoard, standings: Standings) -> dict[str, object]:
    """What a version's page says of when it was verified, of what moved, and of the versions before it."""
    older = found.older if standings is found.current else ()
    return {
        "verified": max((one.verified_at[:10] for one in board.verified(standings).values()), default=""),
        "moved": all_moves(found, board.faces),
        "older_tables": {
            old.version.number: main_table(old, board.faces, board.verified(old)).first for old in older
        },
    }


def _drawings(
    standings: Standings, faces: Mapping[str, Face], pictures: Sequence[Picture]
) -> dict[str, list[Drawing]]:
    """The figures of a version's page, by where they stand on it."""
    cost = cost_drawing(standings, faces)
    return {
        "strengths": strength_drawings(standings, faces),
        "flags": flag_drawings(standings, faces),
        "graded": graded_drawings(standings, faces),
        "costs": [cost] if cost else [],
        "sketches": sketch_drawings(pictures),
    }


def _facts(found: TrackBoard, standings: Standings) -> dict[str, object]:
    """What a track's page says of its version."""
    rows = scored(standings)
    return {
        "track": found.track,
        "version": standings.version,
        "current": standings is found.current,
        "standings": standings,
        "older": found.older,
        "cases": len(standings.version.keys()),
        "scored": len(rows),
        "last": max(map(scored_at, rows), default=""),
        "ranking": METRICS[standings.version.ranking],
        "metrics": metric_notes(standings.version),
        "symbols": symbols(standings.version),
        "cases_table": measured_cases(standings),
        "counts": measured_counts(standings),
        "kinds": {cell.kind.value for cell in standings.version.cells},
    }


def _details(standings: Standings, faces: Mapping[str, Face]) -> Iterator[_Detail]:
    version = standings.version
    for place, name in enumerate(version.breakdown):
        yield _Detail(METRICS[name].title, detail_table(standings, faces, name, secondary=place == 0))


def shaded(column: Column, cell: Cell) -> str:
    """The classes of a cell's color where the column is shaded and the cell holds a number, after a space."""
    if not column.shaded or cell.value is None:
        return ""
    return f" lb-shaded lb-s{shade(METRICS[column.metric], cell.value).step}"


def _page(found: TrackBoard, standings: Standings, folder: str, body: str) -> Page:
    track = found.track
    current = standings is found.current
    title = track.title if current else f"{track.title} {standings.version.number}"
    return Page(f"{folder}/index.md", title, track.question, body, wide=True, searched=current)


def _files(
    standings: Standings, folder: str, tables: list[Table], drawings: list[Drawing]
) -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {f"{folder}/{name}": text for name, text in drawn(drawings)}
    for table in tables:
        files[f"{folder}/{table.name}.csv"] = table_csv(table)
        files[f"{folder}/{table.name}.json"] = table_json(table, standings)
    return files
