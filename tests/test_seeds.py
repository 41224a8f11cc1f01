import hashlib

import numpy as np

from benchmark.seeds import OFFSET_STRIDE, arrays_digest, digest_of, entry_seed, generator, shifted


def test_one_key_gives_one_stream_and_every_part_matters() -> None:
    first = generator("track", 0.3, "rows", 4).random(5)
    assert (generator("track", 0.3, "rows", 4).random(5) == first).all()
    others = [
        ("track", 0.3, "rows", 5),
        ("track", 0.6, "rows", 4),
        ("track", 0.3, "columns", 4),
        ("t", 0.3, "rows", 4),
    ]
    assert all((generator(*key).random(5) != first).all() for key in others)


def test_keys_differ_by_type_and_by_where_parts_end() -> None:
    assert len({digest_of(1), digest_of(1.0), digest_of("1"), digest_of("a", "b"), digest_of("ab")}) == 5


def test_key_digest_is_the_documented_one() -> None:
    assert digest_of("a", 1) == hashlib.sha256(b'[["str", "a"], ["int", 1]]').digest()


def test_entry_seed_is_made_of_what_the_entry_sees_alone() -> None:
    seen = [{"x": np.arange(3.0) + case} for case in range(200)]
    seeds = {entry_seed(arrays) for arrays in seen}
    assert len(seeds) == 200
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert max(seeds) > 2**30
    assert entry_seed({"x": np.arange(3.0)}) == entry_seed(seen[0])


def test_arrays_differ_by_name_shape_type_and_bytes_and_not_by_byte_order() -> None:
    x = np.arange(4, dtype=np.int64)
    others = [{"y": x}, {"x": x.reshape(2, 2)}, {"x": x.astype(np.int32)}, {"x": x + 1}, {"x": x, "y": x}]
    assert len({arrays_digest({"x": x}), *map(arrays_digest, others)}) == 6
    assert arrays_digest({"x": x.astype(">i8")}) == arrays_digest({"x": x})


def test_offsets_never_share_a_seed() -> None:
    assert shifted(7, 0) == 7
    assert shifted(7, 3) == 3 * OFFSET_STRIDE + 7
    assert {shifted(s, 0) for s in range(30)}.isdisjoint(shifted(s, 1) for s in range(30))
