"""Builders of entry folders."""

from pathlib import Path

from benchmark.descriptor import toml_value

METHOD = "def detect(embeddings, attribute, task_labels, seed):\n    return 0.5\n"
VALUES: dict[str, object] = {
    "title": "A probe",
    "summary": "It probes.",
    "authors": ["Some Author"],
    "license": "MIT",
    "tracks": ["embedding-detection"],
    "kind": "method",
    "family": "probe",
}


def descriptor(**changes: object) -> str:
    """The text of a valid entry.toml with keys changed, or left out where the change is None."""
    values = {key: value for key, value in (VALUES | changes).items() if value is not None}
    return "".join(f"{key} = {toml_value(value)}\n" for key, value in values.items())


def make_entry(
    parent: Path, name: str = "a_probe", method: str = METHOD, toml: bytes | None = None, **changes: object
) -> Path:
    """A folder with a valid entry, but for what is given: its method.py, its entry.toml, or keys of it."""
    folder = parent / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "entry.toml").write_bytes(descriptor(**changes).encode() if toml is None else toml)
    (folder / "method.py").write_text(method)
    return folder
