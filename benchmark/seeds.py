"""The one maker of random generators: every stream is named by a key, none is global."""

import hashlib
import json

import numpy as np

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


def entry_seed(*key: KeyPart) -> int:
    """The seed an entry receives, in [0, 2**31): one way from `key`, so it cannot remake the data."""
    return int.from_bytes(digest_of("entry seed", *key)[:4], "big") >> 1


def shifted(seed: int, offset: int) -> int:
    """The seed `seed` of the public suite as moved by `--seed-offset offset`."""
    return seed + OFFSET_STRIDE * offset
