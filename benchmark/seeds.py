"""The one maker of random generators: every stream is named by a key, none is global."""

import hashlib
import json

import numpy as np

from benchmark.records import Arrays

OFFSET_STRIDE = 1_000_000
"""How far one step of `--seed-offset` moves every seed, so that two offsets never share a dataset."""

KeyPart = str | int | float


def digest_of(*key: KeyPart) -> bytes:
    """The SHA-256 of a key, 32 bytes; keys that differ in any part or in its type differ."""
    text = json.dumps([[type(part).__name__, part] for part in key], allow_nan=False)
    return hashlib.sha256(text.encode()).digest()


def generator(*key: KeyPart) -> np.random.Generator:
    """A PCG64 generator named by `key`: the same key gives the same stream on every machine."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest_of(*key), "big")))


def arrays_digest(arrays: Arrays) -> str:
    """The SHA-256, in hex, of every array's name, dtype, shape and bytes; the same on every machine."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{name} {array.dtype.name} {array.shape}\n".encode())
        digest.update(little.tobytes())
    return digest.hexdigest()


def entry_seed(seen: Arrays) -> int:
    """The seed an entry receives with the arrays it sees, in [0, 2**31).

    It is made of those arrays alone, so it tells nothing that they do not: neither the dataset's own
    seed, from which the data could be made again, nor which case it is.
    """
    return int.from_bytes(digest_of("entry seed", arrays_digest(seen))[:4], "big") >> 1


def shifted(seed: int, offset: int) -> int:
    """The seed `seed` of the public suite as moved by `--seed-offset offset`."""
    return seed + OFFSET_STRIDE * offset
