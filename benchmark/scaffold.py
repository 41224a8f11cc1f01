"""The folder of a new entry, written whole or not at all."""

import ast
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.descriptor import PLACEHOLDERS, toml_value
from benchmark.entries import Entry, id_fault, read_entry
from benchmark.entry_files import DESCRIPTOR, METHOD
from benchmark.errors import UsageError, raise_all
from benchmark.text import fault
from benchmark.tracks.spec import Track


def write_entry(folder: Path, tracks: Sequence[Track]) -> Entry:
    """A new entry in `folder`, which must not exist yet, that runs on `tracks` as it is.

    Raises UsageError, with nothing written, for a bad name, a name taken, or no folder to write in.
    """
    raise_all(UsageError, [wrong for wrong in [id_fault(folder) or _place_fault(folder)] if wrong])
    functions = function_names(tracks)
    try:
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new_entry_") as temporary:
            draft = Path(temporary, folder.name)
            draft.mkdir()
            (draft / DESCRIPTOR).write_text(descriptor_text(folder.name, tracks, functions), encoding="utf-8")
            (draft / METHOD).write_text(method_text(tracks, functions), encoding="utf-8")
            read_entry(draft)
            draft.rename(folder)
    except OSError as error:
        got = error.strerror or "an error"
        raise UsageError(fault(folder, "a place to write in", got, "choose another with --dir")) from None
    return read_entry(folder)


def function_names(tracks: Sequence[Track]) -> dict[str, str]:
    """Track -> function name in method.py, told apart where two tracks share one: `detect_images`."""
    own = Counter(track.signature.name for track in tracks)
    short = Counter(_named_after_data(track) for track in tracks)
    names = {}
    for track in tracks:
        name = track.signature.name
        if own[name] > 1:
            name = _named_after_data(track)
            if short[name] > 1:
                name = f"{track.signature.name}_{track.key.replace('-', '_')}"
        names[track.key] = name
    return names


def descriptor_text(name: str, tracks: Sequence[Track], functions: Mapping[str, str]) -> str:
    """The entry.toml of a new entry called `name`, to be filled in."""
    values = {
        "title": name.replace("_", " ").strip().capitalize() or name,
        **PLACEHOLDERS,
        "license": "MIT",
        "tracks": [track.key for track in tracks],
        "kind": "method",
        "family": "other",
    }
    lines = [f"{key} = {toml_value(value)}" for key, value in values.items()]
    lines += [f'# {key} = "https://..."' for key in ("paper", "code")]
    renamed = [track for track in tracks if functions[track.key] != track.signature.name]
    if renamed:
        lines += ["", "[functions]"]
        lines += [f"{toml_value(track.key)} = {toml_value(functions[track.key])}" for track in renamed]
    return "\n".join(lines) + "\n"


def method_text(tracks: Sequence[Track], functions: Mapping[str, str]) -> str:
    """The method.py of a new entry: the scaffolds of its tracks, joined under one docstring."""
    if len(tracks) == 1:
        return tracks[0].scaffold
    parts = [_Parts.of(track.scaffold) for track in tracks]
    imports = sorted({line for part in parts for line in part.imports})
    bodies = [
        re.sub(
            rf"^def {track.signature.name}\(", f"def {functions[track.key]}(", part.body, flags=re.MULTILINE
        )
        for track, part in zip(tracks, parts, strict=True)
    ]
    blocks = [parts[0].docstring, "\n".join(imports), *dict.fromkeys(bodies)]
    return "\n\n\n".join(block for block in blocks if block).replace("\n\n\n", "\n\n", 1) + "\n"


@dataclass(frozen=True)
class _Parts:
    """A track's scaffold, taken apart."""

    docstring: str
    """The module's docstring, with its quotes."""
    imports: tuple[str, ...]
    """The top-level import statements."""
    body: str
    """All else."""

    @classmethod
    def of(cls, scaffold: str) -> "_Parts":
        lines = scaffold.splitlines()
        module = ast.parse(scaffold)
        spans = [(node, range(node.lineno - 1, node.end_lineno or node.lineno)) for node in module.body]
        docstring = spans[0][1]
        imports = [span for node, span in spans if isinstance(node, ast.Import | ast.ImportFrom)]
        taken = {*docstring, *(line for span in imports for line in span)}
        return cls(
            docstring="\n".join(lines[docstring.start : docstring.stop]),
            imports=tuple("\n".join(lines[span.start : span.stop]) for span in imports),
            body="\n".join(line for number, line in enumerate(lines) if number not in taken).strip("\n"),
        )


def _named_after_data(track: Track) -> str:
    return f"{track.signature.name}_{track.signature.arguments[0]}"


def _place_fault(folder: Path) -> str | None:
    """Why nothing can be written at `folder`; None when it can."""
    if not folder.parent.is_dir():
        return fault(folder.parent, "a folder to put the entry in", "none there", "choose one with --dir")
    taken = next((path for path in folder.parent.iterdir() if path.name.casefold() == folder.name), None)
    if taken:
        return fault(taken, "a new name", "one that is taken", "choose another; nothing was changed")
    return None
