import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from benchmark import fresh, stored
from benchmark.commands import run
from benchmark.results import canonical
from benchmark.verified import log_of
from scripts.export_schemas import main
from tests.builders import result
from tests.entry_folders import descriptor
from tests.test_verified import verification

KEYS = fresh.Commitments(schema=1, track="a-track", version="1.0", keys=[fresh.secret("1" * 64, "a label")])


def export(*arguments: str) -> object:
    with pytest.raises(SystemExit) as stop:
        run(main, arguments)
    return stop.value.code


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    folder = tmp_path_factory.mktemp("schemas")
    assert export("--dir", str(folder)) == 0
    return {path.name: json.loads(path.read_text()) for path in folder.iterdir()}


def test_the_committed_schemas_are_current() -> None:
    assert export("--check") == 0


def test_a_file_that_is_old_or_missing_is_found_and_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export("--dir", str(tmp_path)) == 0
    assert export("--check", "--dir", str(tmp_path)) == 0
    (tmp_path / "entry.schema.json").write_text("{}\n")
    for name in (
        "fresh.schema.json",
        "leaderboard.schema.json",
        "results.schema.json",
        "verified.schema.json",
    ):
        (tmp_path / name).unlink()
    assert export("--check", "--dir", str(tmp_path)) == 1
    assert [Path(line.split(":")[0]).name for line in capsys.readouterr().err.splitlines()] == [
        "entry.schema.json",
        "fresh.schema.json",
        "leaderboard.schema.json",
        "results.schema.json",
        "verified.schema.json",
    ]
    assert [path.read_text() for path in tmp_path.iterdir()] == ["{}\n"]


def test_schemas_take_what_the_models_take(schemas: dict[str, dict[str, object]]) -> None:
    for name, valid in {
        "entry.schema.json": tomllib.loads(descriptor(paper="https://example.org")),
        "fresh.schema.json": json.loads(stored.canonical_text(KEYS)),
        "results.schema.json": json.loads(canonical(result(suite="quick"))),
        "verified.schema.json": json.loads(stored.canonical_text(log_of([verification("an_entry")]))),
    }.items():
        jsonschema.Draft202012Validator.check_schema(schemas[name])
        jsonschema.validate(valid, schemas[name])


@pytest.mark.parametrize(
    "changes", [{"titel": "x"}, {"title": 1}, {"kind": "x"}, {"tracks": []}, {"paper": "http://x.org"}]
)
def test_the_schema_refuses_what_the_model_refuses(
    schemas: dict[str, dict[str, object]], changes: dict[str, object]
) -> None:
    table = tomllib.loads(descriptor()) | changes
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(table, schemas["entry.schema.json"])
