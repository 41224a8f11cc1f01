"""How long a table of 100 and of 1,000 made-up entries takes to rank, as a ratio to one entry's own metrics.

Run: .venv/bin/python -m perf.ranking
"""

import time
from statistics import median

import numpy as np

from benchmark.ranking import standings
from benchmark.records import CaseKey, Judgement, Kind
from benchmark.summary import intervals, values
from tests.builders import CURRENT, TRACK, Answer, entry, outcomes, result


def made_up(random: np.random.Generator, skill: float) -> Answer:
    """Scores of `skill` standard deviations between shortcut and null cases, and a flag."""

    def answer(key: CaseKey) -> Judgement:
        found = key.kind is Kind.SHORTCUT
        return Judgement(float(random.normal() + skill * found), bool(random.random() < 0.1 + 0.5 * found))

    return answer


def main() -> None:
    """Prints the medians for both sizes."""
    for count in (100, 1000):
        random = np.random.default_rng(count)
        skills = random.uniform(0, 3, count)
        results = [result(f"entry_{i}", outcomes(made_up(random, skill))) for i, skill in enumerate(skills)]
        entries = [entry(r.entry) for r in results]
        ranking, baseline = [], []
        for _ in range(3):
            start = time.perf_counter()
            standings(TRACK, CURRENT, results, entries)
            middle = time.perf_counter()
            for one in results[:50]:
                values(CURRENT, one.outcomes), intervals(CURRENT, one.outcomes)
            ranking.append(middle - start)
            baseline.append((time.perf_counter() - middle) / 50)
        each = median(baseline)
        print(
            f"{count} entries: ranked in {median(ranking):.2f} s, {median(ranking) / each / count:.2f} times "
            f"the metrics and intervals of as many single entries ({1000 * each:.1f} ms each)"
        )


if __name__ == "__main__":
    main()
