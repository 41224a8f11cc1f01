"""Writes the JSON Schemas of the files that people and programs exchange with the leaderboard."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel

from benchmark.commands import ROOT, Exit, complain, near, run
from benchmark.descriptor import Descriptor
from benchmark.fresh import Commitments
from benchmark.pages.machine import Leaderboard
from benchmark.results import Result
from benchmark.text import fault
from benchmark.verified import Log

SCHEMAS: Mapping[str, type[BaseModel]] = {
    "entry.schema.json": Descriptor,
    "fresh.schema.json": Commitments,
    "leaderboard.schema.json": Leaderboard,
    "results.schema.json": Result,
    "verified.schema.json": Log,
}


def schema_text(model: type[BaseModel]) -> str:
    """The JSON Schema of a model, draft 2020-12, as its file holds it."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    schema = model.model_json_schema(by_alias=True)
    return json.dumps(dialect | schema, indent=2, ensure_ascii=False) + "\n"


def main(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a file is old.")] = False,
    directory: Annotated[Path | None, typer.Option("--dir", help="The folder of the schemas.")] = None,
) -> None:
    """Write the JSON Schemas of all files that programs exchange."""
    folder = near(directory or ROOT / "schemas")
    texts = {folder / name: schema_text(model) for name, model in SCHEMAS.items()}
    old = [path for path, text in texts.items() if not path.is_file() or path.read_text("utf-8") != text]
    if check:
        step = "run scripts/export_schemas.py and commit the file"
        complain(fault(path, "the schema of the models in the code", "another", step) for path in old)
        raise typer.Exit(Exit.SHORT if old else Exit.FINE)
    folder.mkdir(parents=True, exist_ok=True)
    for path in old:
        path.write_text(texts[path], encoding="utf-8")
        print(f"wrote {path}")


if __name__ == "__main__":
    run(main)
