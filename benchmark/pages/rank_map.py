"""The ranks that the cases leave open: numbers for the template that draws them."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmark.pages.axis import rank_text
from benchmark.pages.gather import Face
from benchmark.ranking import RANKED, Group, Standings

MOST = 30
"""How many rows the picture shows; with more, ranks are read off the table."""


@dataclass(frozen=True)
class RankBar:
    """An entry's ranks."""

    face: Face
    """The entry."""
    low: int
    """The best rank left open."""
    high: int
    """The worst one."""
    text: str
    """Both, as the table has them."""


@dataclass(frozen=True)
class RankBlock:
    """The entries of a group, among which ranks are compared."""

    group: Group
    """The group."""
    bars: tuple[RankBar, ...]
    """Best first."""


@dataclass(frozen=True)
class RankMap:
    """The ranked entries of a table."""

    blocks: tuple[RankBlock, ...]
    """By group."""
    ranked: int
    """How many entries are ranked, shown or not."""

    @property
    def shown(self) -> int:
        """How many bars there are."""
        return sum(len(block.bars) for block in self.blocks)


def rank_map(table: Standings, faces: Mapping[str, Face]) -> RankMap | None:
    """The ranks that are open for the first rows of a table; None where fewer than two are ranked."""
    ranked = [row for row in table.rows if row.rank is not None]
    if len(ranked) < 2:
        return None
    shown = {row.entry for row in ranked[:MOST]}
    blocks = []
    for group in RANKED:
        bars = tuple(
            RankBar(faces[row.entry], *row.rank, rank_text(row.rank))
            for row in ranked
            if row.group is group and row.rank is not None and row.entry in shown
        )
        if bars:
            blocks.append(RankBlock(group, bars))
    return RankMap(tuple(blocks), len(ranked))
