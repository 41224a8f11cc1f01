"""What search engines and link previews read of a page."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from benchmark.pages.gather import folder_of
from benchmark.pages.tables import Table
from benchmark.ranking import Standings

GENERATED = Path("site", "leaderboard")
"""Where the generated pages go; all that is in it is made anew."""
LICENSE = "https://opensource.org/license/mit"
CREATOR = "Shortcut Leaderboard contributors"


def dataset(standings: Standings, table: Table, last: str, base: str) -> str:
    """A table as a schema.org Dataset, JSON-LD that is safe inside a script element.

    last: the day of its newest result; empty where there is none. base: the address of site/leaderboard/,
    ended by a slash; without it the downloads are not listed, as their addresses must be whole.
    """
    track, version = standings.track, standings.version
    about = f"{track.question} Scores of methods on version {version.number}, with 95% intervals."
    content: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": f"Shortcut Leaderboard: {track.title} {version.number}",
        "description": about,
        "version": version.number,
        "license": LICENSE,
        "isAccessibleForFree": True,
        "creator": {"@type": "Organization", "name": CREATOR},
        "variableMeasured": [column.key for column in table.columns],
    }
    if last:
        content["dateModified"] = last
    if base:
        folder = f"{base}{folder_of(standings)}/"
        content["url"] = f"{folder}index.html"
        content["distribution"] = [
            {"@type": "DataDownload", "encodingFormat": kind, "contentUrl": f"{folder}{table.name}.{ending}"}
            for kind, ending in (("text/csv", "csv"), ("application/json", "json"))
        ]
    return scripted(content)


def scripted(content: Mapping[str, object]) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")


def served_at() -> str:
    """The address of the generated pages, from the variable that mkdocs.yml reads too; empty without it."""
    site = os.environ.get("SITE_URL", "").rstrip("/")
    return f"{site}/{GENERATED.name}/" if site else ""
