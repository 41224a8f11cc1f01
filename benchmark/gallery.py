"""The gallery of a result: a few images with the heatmaps an entry gave them, in a small file beside it."""

import io
import os
import struct
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tokenize import TokenError
from types import MappingProxyType
from zipfile import BadZipFile

import numpy as np

from benchmark.errors import ResultError
from benchmark.records import Arrays, Outcome, Role
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
UNREADABLE = (
    OSError,
    ValueError,
    EOFError,
    BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    MemoryError,
    OverflowError,
    SyntaxError,
    TypeError,
    TokenError,
    struct.error,
)
"""What reading a damaged file of arrays may raise."""
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
    """Writes a gallery beside `place`, to be put there by `settle` once its result is written.

    In between, `load` finds it by its digest, so whenever a run is stopped, one pair of the two is whole.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".gallery-", suffix=".tmp", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(file, **dict(gallery))  # type: ignore[arg-type]
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, _waiting(place, digest(gallery)))
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def settle(place: Path, wanted: str | None) -> None:
    """Puts the gallery of digest `wanted` at `place`, and takes away every other; None takes away all."""
    if wanted is None:
        place.unlink(missing_ok=True)
    elif _waiting(place, wanted).exists():
        os.replace(_waiting(place, wanted), place)
    for other in place.parent.glob(f".{place.stem}-*.npz"):
        other.unlink()


def _waiting(place: Path, wanted: str) -> Path:
    return place.with_name(f".{place.stem}-{wanted}.npz")


def load(place: Path, wanted: str) -> Arrays:
    """The gallery at `place`, whose digest must be `wanted`. Raises ResultError.

    One that was written for a result just before its run was stopped is found too.
    """
    waiting = _waiting(place, wanted)
    path = waiting if waiting.exists() else place
    try:
        if path.stat().st_size > MOST_BYTES:
            got = f"{path.stat().st_size} bytes"
            raise ResultError(f"{path}: expected up to {MOST_BYTES} bytes, got {got}; score the entry again")
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as held:
            arrays = {name: held[name] for name in (*LAYOUT, CASE)}
    except (*UNREADABLE, KeyError) as error:
        raise ResultError(
            f"{path}: expected the gallery of a result, got {type(error).__name__}: {error}; "
            "score the entry again"
        ) from None
    if not _is_laid_out(arrays) or digest(arrays) != wanted:
        raise ResultError(
            f"{path}: expected the gallery whose digest its result holds, got another; score the entry again"
        )
    return arrays


def faults(gallery: Arrays, figures: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """What a gallery says that the rows of its result do not bear out.

    figures: by case id, of every row. Cases must be rows with this corner, roles those of `Role`, a picture
    shown as a hit or a miss must be one, and peaks must lie on the image.
    """
    roles = [Role.SHARED, Role.HIT, Role.MISS]
    for place, case in enumerate(gallery[CASE].tolist()):
        where = f"picture {place}"
        if case not in figures:
            yield f"{where}: expected a case of the result, got another"
        elif gallery["corner"][place] != figures[case].get("corner"):
            yield f"{where}: expected the corner of {case}, got {gallery['corner'][place]}"
        role, hit = int(gallery["role"][place]), bool(gallery["hit"][place])
        if role not in roles or (role == Role.HIT and not hit) or (role == Role.MISS and hit):
            yield f"{where}: expected a role that fits hit {hit}, got {role}"
        peak = gallery["peak"][place]
        if not ((peak >= 0) & (peak < SIDE)).all() and not ((peak == -1).all() and not hit):
            yield f"{where}: expected a peak on the image, got {peak.tolist()}"


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
