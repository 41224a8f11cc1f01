from pathlib import Path

import pytest

from benchmark.pipeline.shards import assigned, seconds, used
from benchmark.results import Result
from tests.builders import result

PLACE = Path("embedding-detection", "1.1", "some_entry")


@pytest.mark.parametrize(
    ("costs", "shards", "expected"),
    [
        ([], 3, []),
        ([7.0], 3, [1]),
        # 5 to shard 1; 4 to 2; 3 to 2, which then has 7; 3 to 1, which then has 8; 3 to 2, which ends at 10.
        ([5.0, 4.0, 3.0, 3.0, 3.0], 2, [1, 2, 2, 1, 2]),
        # The longest goes first wherever it stands: 9 to shard 1, then 2, 1 and 1 to shard 2.
        ([1.0, 2.0, 9.0, 1.0], 2, [2, 2, 1, 2]),
        # Equal ones go in their order, and to the first of the shards that have equally little to do.
        ([1.0, 1.0, 1.0, 1.0], 3, [1, 2, 3, 1]),
        ([2.0, 2.0], 1, [1, 1]),
    ],
)
def test_the_longest_job_goes_first_to_the_shard_with_the_least_to_do(
    costs: list[float], shards: int, expected: list[int]
) -> None:
    assert assigned(costs, shards) == expected


def test_shards_without_a_job_are_not_used() -> None:
    assert used([4, 1, 4]) == [1, 4]


def took(name: str, time: float, version: str = "1.1", track: str = "embedding-detection") -> Result:
    made = result(name)
    timing = made.timing.model_copy(update={"seconds": time})
    return made.model_copy(update={"timing": timing, "version": version, "track": track})


def test_a_run_takes_as_long_as_the_last_one_or_the_median_or_a_second_a_case() -> None:
    others = [
        took("a", 2.0),
        took("b", 30.0, "1.0"),
        took("c", 4.0),
        took("d", 500.0, track="image-detection"),
    ]
    known = {one.place: one for one in others}
    assert seconds(PLACE, 180, {}) == 180.0
    assert seconds(PLACE, 180, known) == 4.0
    assert seconds(PLACE, 180, {**known, took("some_entry", 7.5).place: took("some_entry", 7.5)}) == 7.5
    elsewhere = took("some_entry", 7.5, "1.0")
    assert seconds(PLACE, 180, {elsewhere.place: elsewhere}) == 7.5
    assert seconds(Path("image-mitigation", "1.0", "some_entry"), 6, known) == 6.0
