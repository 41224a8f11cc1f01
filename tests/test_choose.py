import pytest

from benchmark.choose import selections
from benchmark.errors import UsageError

OWN = ("embedding-detection",)


def test_a_key_alone_means_the_current_version_and_a_number_any() -> None:
    chosen = selections(["embedding-detection", "embedding-detection@1.0"], OWN)
    assert [(track.key, version.number) for track, version in chosen] == [
        ("embedding-detection", "1.2"),
        ("embedding-detection", "1.0"),
    ]


def test_every_wrong_name_is_told() -> None:
    with pytest.raises(UsageError) as refused:
        selections(["embeding-detection", "embedding-detection@7", "embedding-detection@"], OWN)
    first, second, third = refused.value.faults
    assert 'did you mean "embedding-detection"?' in first
    assert "embedding-detection@1.1, embedding-detection@1.2, got 'embedding-detection@7'" in second
    assert "got 'embedding-detection@'" in third


def test_a_track_the_entry_does_not_name_is_refused() -> None:
    with pytest.raises(UsageError, match="--track"):
        selections(["embedding-detection"], ("other-track",))
