"""What search engines and link previews read."""

import io
import json
from pathlib import Path

import pytest
from PIL import Image

from benchmark.pages.cards import card
from benchmark.pages.metadata import dataset, scripted, served_at
from benchmark.pages.tables import main_table
from benchmark.ranking import Group, Standing, Standings
from tests.builders import CURRENT, TRACK
from tests.test_pages_tables import FACES, TABLE

MAIN = main_table(TABLE, FACES)


def test_a_dataset_names_its_downloads_only_by_whole_addresses() -> None:
    near = json.loads(dataset(TABLE, MAIN, "2026-03-01", ""))
    assert (near["@type"], near["version"], near["dateModified"]) == ("Dataset", "1.1", "2026-03-01")
    assert "distribution" not in near and "url" not in near
    far = json.loads(dataset(TABLE, MAIN, "", "https://example.org/board/leaderboard/"))
    folder = f"https://example.org/board/leaderboard/{TRACK.key}"
    assert [one["contentUrl"] for one in far["distribution"]] == [
        f"{folder}/table.csv",
        f"{folder}/table.json",
    ]
    assert far["variableMeasured"] == [column.key for column in MAIN.columns]
    assert "dateModified" not in far


def test_no_text_ends_the_script_element_it_stands_in() -> None:
    hostile = {"name": "</script><script>alert(1)</script>&amp;"}
    text = scripted(hostile)
    assert not set("<>&") & set(text)
    assert json.loads(text) == hostile


@pytest.mark.parametrize(
    ("site", "base"),
    [
        ("", ""),
        ("https://example.org", "https://example.org/leaderboard/"),
        ("https://example.org/board/", "https://example.org/board/leaderboard/"),
    ],
)
def test_the_address_comes_from_the_variable_that_mkdocs_reads(
    site: str, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_URL", site)
    assert served_at() == base
    assert "site_url: !ENV [SITE_URL" in Path(__file__).parents[1].joinpath("mkdocs.yml").read_text()


@pytest.mark.parametrize("rows", [TABLE.rows, (), (Standing("new", Group.WAITING),)])
def test_a_card_has_the_size_previews_want_and_is_the_same_each_time(rows: tuple[Standing, ...]) -> None:
    table = Standings(TRACK, CURRENT, rows, frozenset())
    first, again = card(table, FACES), card(table, FACES)
    assert first == again
    assert Image.open(io.BytesIO(first)).size == (1200, 630)
