"""One entry on the seeds of a key: its metrics there, and nothing else of the run."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from benchmark.fresh import fresh_of, offset_of
from benchmark.records import Progress, Status
from benchmark.results import Fresh, Result
from benchmark.scorer import Request, score


@dataclass(frozen=True)
class FreshRun:
    """What may be told of a run on fresh seeds: no answer, reason or printed text, which could hold data."""

    fresh: Fresh
    """What the result keeps."""
    cases: int
    """How many cases were run."""
    failed: Mapping[Status, int]
    """How many of them ended with each status that is not ok."""

    @property
    def line(self) -> str:
        """How the cases went, in a line; their reasons and what was printed stay untold."""
        if not self.failed:
            return f"All {self.cases} cases on fresh seeds went well."
        parts = ", ".join(f"{count} {status.value}" for status, count in sorted(self.failed.items()))
        return (
            f"{sum(self.failed.values())} of {self.cases} cases on fresh seeds failed ({parts}); "
            "try --seed-offset 1, which shows why cases fail"
        )


def fresh_run(request: Request, key: str, progress: Progress | None = None) -> FreshRun:
    """The full suite on the seeds of a version's key. Raises what `score` raises."""
    return told_of(score(on_key(request, key), progress).result, key)


def on_key(request: Request, key: str) -> Request:
    """The request with the full suite on the seeds of a version's key."""
    return replace(request, suite="full", offset=offset_of(key), repeats=0)


def told_of(result: Result, key: str) -> FreshRun:
    """What may be told of a result on the seeds of a version's key."""
    statuses: Counter[Status] = Counter(row.status for row in result.details.per_dataset)
    del statuses[Status.OK]
    return FreshRun(fresh_of(result, key), len(result.details.per_dataset), dict(statuses))
