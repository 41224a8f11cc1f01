"""The last bits of a value tell nothing of how it was made, in the current versions."""

import numpy as np
import pytest

from benchmark.data.conditional_synthetic import rounded
from benchmark.records import FloatArray
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Version

TASK_EFFECT = 0.8
DETECTION, MITIGATION = TRACKS["embedding-detection"], TRACKS["embedding-mitigation"]
EMBEDDED = [
    pytest.param(track.current, id=f"{track.key}@{track.version}") for track in (DETECTION, MITIGATION)
]


def can_be_shifted(values: FloatArray, shift: FloatArray | float) -> np.ndarray:
    """Whether each value is the double nearest to some double plus `shift`: not every value is."""
    found = np.zeros(values.shape, dtype=bool)
    for step in range(-12, 13):
        start = values - shift
        found |= (start + step * np.spacing(np.abs(start))) + shift == values
    return found


def told_columns(version: Version, seed: int = 0) -> int:
    """How many columns of a shortcut case betray that A shifted them, whatever their statistics say."""
    key = next(k for k in version.keys() if (k.variant, k.strength, k.seed) == ("linear", 0.3, seed))
    seen = version.generate(key).seen
    by_a = can_be_shifted(seen["embeddings"], 0.3 * (seen["attribute"][:, None] - 0.5)).all(axis=0)
    by_y = can_be_shifted(seen["embeddings"], TASK_EFFECT * (seen["task_labels"][:, None] - 0.5)).all(axis=0)
    return int((by_a & ~by_y).sum())


def test_unrounded_versions_tell_by_their_last_bits_and_the_current_one_does_not() -> None:
    old, newer, current = DETECTION.versions
    assert [told_columns(version) for version in (old, newer, current)] == [4, 4, 0]


def rows_told(version: Version) -> float:
    """How often the side that a test row was shifted to is read off its last bits, over all columns."""
    case = version.generate(version.keys()[0])
    rows, labels = case.hidden["test_embeddings"], case.hidden["test_task_labels"]
    columns = rows[:, case.hidden["task_columns"]]
    up, down = (can_be_shifted(columns, side * TASK_EFFECT / 2).sum(axis=1) for side in (1, -1))
    decided = up != down
    return float(((up > down) == (labels == 1))[decided].mean()) if decided.any() else 0.5


def test_the_label_of_a_test_row_is_not_read_off_its_last_bits() -> None:
    old, current = MITIGATION.versions
    assert rows_told(old) > 0.95
    # A value far from zero has more such starts whichever way it was shifted, and lies where its label says.
    case = current.generate(current.keys()[0])
    rows = case.hidden["test_embeddings"][:, case.hidden["task_columns"]]
    assert (can_be_shifted(rows, 0.4).all(axis=0) | can_be_shifted(rows, -0.4).all(axis=0)).sum() == 0
    assert rows_told(current) < 0.78


@pytest.mark.parametrize("version", EMBEDDED)
def test_every_value_lies_on_the_lattice_of_six_decimals(version: Version) -> None:
    for key in version.keys("quick"):
        case = version.generate(key)
        for name, array in {**case.seen, **case.hidden}.items():
            if name.endswith("embeddings"):
                assert (array == np.rint(array * 1e6) / 1e6).all()
                assert not (np.signbit(array) & (array == 0)).any()


def test_what_rounds_to_zero_has_no_sign_left() -> None:
    found = rounded(np.array([-1e-9, 1e-9, -0.0, -1.5e-6, 0.1234567]), 6)
    assert found.tolist() == [0.0, 0.0, 0.0, -2e-6, 0.123457]
    assert np.signbit(found).tolist() == [False, False, False, True, False]
