"""The gallery of a result: a few images with the heatmaps an entry gave them, in a small file beside it."""

import io
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from zipfile import BadZipFile

import numpy as np

from benchmark.errors import ResultError
from benchmark.records import Arrays, Outcome
from benchmark.seeds import arrays_digest

FILE_NAME = "gallery.npz"
MOST_BYTES = 200_000
"""How large a gallery's file may be."""
SIDE = 32
LAYOUT: Mapping[str, tuple[str, tuple[int, ...]]] = MappingProxyType(
    {
        "image": ("uint8", (3, SIDE, SIDE)),
        "heatmap": ("uint8", (SIDE, SIDE)),
        "peak": ("int16", (2,)),
        "hit": ("bool", ()),
        "row": ("int16", ()),
        "role": ("int8", ()),
        "corner": ("int8", ()),
    }
)
"""What a picture holds: the dtype and the shape of each of its arrays."""
CASE = "case"
"""The array with the case's id of each picture."""
MOST_PICTURES = 64
"""How many pictures a gallery may hold."""


def place_of(results: Path) -> Path:
    """Where the gallery of the result at `results` belongs: `gallery.npz` beside `results.json`."""
    return results.with_name(results.name.replace("results", "gallery", 1)).with_suffix(".npz")


def joined(outcomes: Sequence[Outcome]) -> Arrays | None:
    """The pictures of all outcomes, in order, each with its case's id; None where there are none."""
    parts = [outcome for outcome in outcomes if len(outcome.judgement.pictures.get("row", ()))]
    if not parts:
        return None
    arrays = {
        name: np.concatenate([np.asarray(part.judgement.pictures[name], dtype=dtype) for part in parts])
        for name, (dtype, _) in LAYOUT.items()
    }
    cases = [part.key.id for part in parts for _ in part.judgement.pictures["row"]]
    return {**arrays, CASE: np.array(cases, dtype=np.str_)}


def digest(gallery: Arrays) -> str:
    """The SHA-256, in hex, of a gallery's content, however its file is packed."""
    return arrays_digest(gallery)


def save(gallery: Arrays, place: Path) -> None:
    """Writes a gallery in one step: `place` holds the old file or the new one, never a part."""
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".gallery-", suffix=".tmp", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(file, **dict(gallery))  # type: ignore[arg-type]
        os.chmod(temporary, 0o644)
        os.replace(temporary, place)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def load(place: Path, wanted: str) -> Arrays:
    """The gallery in the file at `place`, whose digest must be `wanted`. Raises ResultError."""
    try:
        if place.stat().st_size > MOST_BYTES:
            got = f"{place.stat().st_size} bytes"
            raise ResultError(f"{place}: expected up to {MOST_BYTES} bytes, got {got}; score the entry again")
        with np.load(io.BytesIO(place.read_bytes()), allow_pickle=False) as held:
            arrays = {name: held[name] for name in (*LAYOUT, CASE)}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, MemoryError) as error:
        raise ResultError(
            f"{place}: expected the gallery of a result, got {type(error).__name__}: {error}; "
            "score the entry again"
        ) from None
    if not _is_laid_out(arrays) or digest(arrays) != wanted:
        raise ResultError(
            f"{place}: expected the gallery whose digest its result holds, got another; score the entry again"
        )
    return arrays


def _is_laid_out(arrays: Arrays) -> bool:
    count = len(arrays["row"]) if arrays["row"].ndim else 0
    named = arrays[CASE].dtype.kind == "U" and arrays[CASE].shape == (count,)
    return (
        0 < count <= MOST_PICTURES
        and named
        and all(
            (arrays[name].dtype.name, arrays[name].shape) == (dtype, (count, *shape))
            for name, (dtype, shape) in LAYOUT.items()
        )
    )
