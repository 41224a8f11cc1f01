"""What `verify` says of two results, without scoring anything."""

import pytest

from benchmark.records import Judgement
from benchmark.results import Fresh, Result
from scripts.verify import _compared, _compared_fresh
from tests.builders import outcome, outcomes, result

SAME, OTHER = "f" * 64, "e" * 64


def on(held: Result, fingerprint: str | None, isa: str = "avx2") -> Result:
    """The result as a machine of that fingerprint would have made it."""
    environment = held.environment.model_copy(update={"isa": isa, "fingerprint": fingerprint})
    return held.model_copy(update={"environment": environment})


def with_gallery(digest: str) -> Result:
    held = result()
    return held.model_copy(update={"digests": held.digests.model_copy(update={"gallery": digest * 64})})


def nudged(by: float) -> Result:
    """The result with the first case's score moved a little, which changes no metric."""
    rows = outcomes()
    judged = rows[0].judgement
    rows[0] = outcome(rows[0].key, Judgement((judged.score or 0.0) + by, judged.flag))
    return result(rows=rows)


@pytest.mark.parametrize(
    ("digest", "before", "after", "isa", "stands"),
    [
        ("1", None, SAME, "avx2", True),
        ("2", None, SAME, "avx2", False),
        ("2", None, SAME, "arm64", True),
        ("2", SAME, SAME, "avx2", False),
        ("2", SAME, OTHER, "avx2", True),
    ],
)
def test_other_pictures_of_the_same_numbers_do_not_stand_where_bits_must_agree(
    digest: str, before: str | None, after: str, isa: str, stands: bool
) -> None:
    verdict = _compared("it", on(with_gallery("1"), before), on(with_gallery(digest), after, isa), 0.02)
    assert verdict.stands is stands
    expected = "exactly the same" if digest == "1" else "the gallery's pictures are not"
    assert expected in verdict.line


@pytest.mark.parametrize(
    ("before", "after", "by", "stands", "said"),
    [
        (SAME, SAME, 0.0, True, "it: exactly the same (the same numeric fingerprint)"),
        (SAME, OTHER, 0.0, True, "it: exactly the same (another numeric fingerprint)"),
        (SAME, SAME, 2**-20, False, "where all must be exactly the same (the same numeric fingerprint)"),
        (SAME, OTHER, 2**-20, True, "within the tolerance 1e-06 (another numeric fingerprint)"),
        (SAME, OTHER, 2**-19, False, "beyond the tolerance 1e-06 (another numeric fingerprint)"),
        (None, SAME, 2**-20, True, "within the tolerance 1e-06 (scored before fingerprints were kept)"),
    ],
)
def test_how_closely_numbers_must_agree_hangs_on_the_fingerprints(
    before: str | None, after: str, by: float, stands: bool, said: str
) -> None:
    verdict = _compared("it", on(result(), before), on(nudged(by), after), 1e-6)
    assert verdict.stands is stands
    assert verdict.line.endswith(said)


@pytest.mark.parametrize(
    ("fingerprint", "value", "stands"),
    [(SAME, 0.5, True), (SAME, 0.51, False), (OTHER, 0.51, True), (OTHER, 0.53, False), (OTHER, None, False)],
)
def test_fresh_scores_are_compared_by_their_metrics(
    fingerprint: str, value: float | None, stands: bool
) -> None:
    def fresh(metric: float | None, made_on: str) -> Fresh:
        return Fresh(
            key_sha256="a" * 64, metrics={"auroc": metric}, reasons={}, intervals={}, fingerprint=made_on
        )

    verdict = _compared_fresh("it", fresh(0.5, SAME), fresh(value, fingerprint), 0.02)
    assert verdict.stands is stands
