"""Jobs over shards: what each costs, and which shard takes it."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median

from benchmark.results import FILE_NAME, Result


def seconds(place: Path, cases: int, committed: Mapping[Path, Result]) -> float:
    """About how long one run of a suite takes.

    As long as the committed result at `place`, an entry's folder below results/, took; else the median of
    its track's results; where there is none, one second a case. committed: results by their place.
    """
    own = committed.get(place / FILE_NAME)
    if own is not None:
        return own.timing.seconds
    others = [r.timing.seconds for r in committed.values() if r.track == place.parts[0]]
    return median(others) if others else float(cases)


def assigned(costs: Sequence[float], shards: int) -> list[int]:
    """The shard of each cost, from 1: the longest first, each to the shard with the least to do.

    Equal costs go in their order, and of equal shards the first takes it. Source: Graham (1969), Bounds on
    multiprocessing timing anomalies: the longest shard takes at most 4/3 of the least possible.
    """
    loads = [0.0] * shards
    found = [0] * len(costs)
    for number in sorted(range(len(costs)), key=lambda number: -costs[number]):
        shard = min(range(shards), key=loads.__getitem__)
        loads[shard] += costs[number]
        found[number] = shard + 1
    return found


def used(shards: Iterable[int]) -> list[int]:
    """The shards that have a job, in order."""
    return sorted(set(shards))
