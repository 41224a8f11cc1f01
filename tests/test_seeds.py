import hashlib

from benchmark.seeds import OFFSET_STRIDE, digest_of, entry_seed, generator, shifted


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


def test_entry_seed_is_a_small_number_unlike_the_case_seed() -> None:
    seeds = {entry_seed(f"linear/0.3/{seed}") for seed in range(200)}
    assert len(seeds) == 200
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert max(seeds) > 2**30


def test_offsets_never_share_a_seed() -> None:
    assert shifted(7, 0) == 7
    assert shifted(7, 3) == 3 * OFFSET_STRIDE + 7
    assert {shifted(s, 0) for s in range(30)}.isdisjoint(shifted(s, 1) for s in range(30))
