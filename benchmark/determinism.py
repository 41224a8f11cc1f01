"""Whether an entry answers the same case alike when it is asked again."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmark.records import Outcome
from benchmark.results import Determinism, row_differences, row_of

REPEATS = {"full": 3, "quick": 1}
"""How many cases of a suite are run a second time."""


@dataclass(frozen=True)
class Repeat:
    """One case that was run twice."""

    first: Outcome
    """What became of it, as the result holds it."""
    second: Outcome
    """What became of it the second time."""

    @property
    def difference(self) -> float:
        """The largest difference of the two rows, as `verify` counts it; 0 when they are the same.

        Infinite when one of them failed or gave another flag.
        """
        case, rows = self.first.key.id, (row_of(self.first), row_of(self.second))
        return max((size for _, size in row_differences(case, *rows)), default=0.0)


def determinism(repeats: Sequence[Repeat]) -> Determinism | None:
    """What a result records of the cases that were run twice; None when there are none."""
    if not repeats:
        return None
    sizes = [repeat.difference for repeat in repeats]
    largest = max(sizes)
    return Determinism(
        cases=len(sizes),
        differing=sum(size > 0 for size in sizes),
        largest=None if math.isinf(largest) else largest,
    )


def unsteady(repeats: Sequence[Repeat]) -> Iterator[str]:
    """Lines on the cases that were answered differently the second time; none when there are none."""
    differing = [repeat for repeat in repeats if repeat.difference > 0]
    if differing:
        yield (
            f"{len(differing)} of {len(repeats)} cases that were run twice got another answer the second "
            "time; draw every random number from the seed that the entry is given:"
        )
    for repeat in differing:
        size = repeat.difference
        much = _other(repeat.second) if math.isinf(size) else f"a difference of {size:.3g}"
        yield f"  {repeat.first.key.id}: {much}"


def _other(second: Outcome) -> str:
    if second.reason is None:
        return "another flag"
    return f"{second.status.value} the second time: {second.reason}"
