"""What `verify` says of two results, without scoring anything."""

import pytest

from benchmark.results import Result
from scripts.verify import _compared
from tests.builders import result


def with_gallery(digest: str, isa: str = "avx2") -> Result:
    held = result()
    return held.model_copy(
        update={
            "digests": held.digests.model_copy(update={"gallery": digest * 64}),
            "environment": held.environment.model_copy(update={"isa": isa}),
        }
    )


@pytest.mark.parametrize(
    ("digest", "isa", "stands", "line"),
    [
        ("1", "avx2", True, "it: exactly the same"),
        ("2", "avx2", False, "it: the numbers are exactly the same, the gallery's pictures are not"),
        ("2", "arm64", True, "it: the numbers are exactly the same, the gallery's pictures are not"),
    ],
)
def test_other_pictures_of_the_same_numbers_do_not_stand_where_bits_must_agree(
    digest: str, isa: str, stands: bool, line: str
) -> None:
    verdict = _compared("it", with_gallery("1"), with_gallery(digest, isa), 0.02)
    assert (verdict.stands, verdict.line) == (stands, line)
