import numpy as np
import pytest

from benchmark.isolation.calls import (
    BAD_OUTPUT,
    CRASHED,
    OUT_OF_MEMORY,
    REASON_BYTES,
    Unusable,
    converted,
    describe,
    free_sizes,
)

PLAIN = {"shape": (), "optional": False, "most": 0, "finite": True}
SCORE = {**PLAIN, "name": "score", "dtype": "float64"}
FLAG = {**PLAIN, "name": "flag", "dtype": "bool", "optional": True}
LABELS = {**PLAIN, "name": "labels", "dtype": "int64", "shape": (3,)}
MAPS = {**PLAIN, "name": "maps", "dtype": "float32", "shape": (2, 2), "optional": True}
MOVED = {**PLAIN, "name": "moved", "dtype": "float64", "shape": (2, None), "most": 3}
PARTS = {**PLAIN, "name": "parts", "dtype": "int64", "shape": (None,), "most": 5, "optional": True}
ANY = {**PLAIN, "name": "any", "dtype": "float32", "shape": (2,), "finite": False}


class Hostile:
    def __array__(self, *args: object, **kwargs: object) -> None:
        raise RuntimeError("no array of me")


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise KeyError


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2, 2.0),
        (0.5, 0.5),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3.0),
        (np.array(0.25), 0.25),
        ({"score": 1.5}, 1.5),
    ],
)
def test_score_may_be_any_single_number(value: object, expected: float) -> None:
    mask, (score,) = converted([SCORE, FLAG], "score", value)
    assert mask == 1 and score == expected and score.dtype == np.float64 and score.shape == ()


def test_flag_sets_the_second_bit() -> None:
    mask, (_, flag) = converted([SCORE, FLAG], "score", {"score": 1.0, "flag": np.True_})
    assert mask == 3 and flag.dtype == np.bool_ and flag


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "score: expected one finite float64, got None"),
        (True, "score: expected one finite float64, got True"),
        ("0.5", "score: expected one finite float64, got str"),
        (float("nan"), "score: expected one finite float64, got nan"),
        (float("-inf"), "score: expected one finite float64, got -inf"),
        (1j, "score: expected one finite float64, got complex"),
        (10**400, "score: expected one finite float64, got int"),
        ([0.5], "score: expected one finite float64, got float64 of shape (1,)"),
        (np.zeros(3), "score: expected one finite float64, got float64 of shape (3,)"),
        ([[1.0], [1.0, 2.0]], "score: expected one finite float64, got list, which makes no array: "),
        (Hostile(), "score: expected one finite float64, got Hostile, which makes no array: no array of me"),
        ({}, "score: expected one finite float64, got no such key in the answer"),
        ({"score": 1.0, "flag": 1}, "flag: expected one bool, got int"),
        ({"score": 1.0, "flag": None}, "flag: expected one bool, got None"),
        ({"score": 1.0, "Flag": True}, "answer: expected no keys but score, flag, got 'Flag'"),
    ],
)
def test_unusable_answer_is_named(value: object, reason: str) -> None:
    with pytest.raises(Unusable) as raised:
        converted([SCORE, FLAG], "score", value)
    assert str(raised.value).startswith(reason)


def test_without_a_bare_field_only_a_dict_will_do() -> None:
    with pytest.raises(Unusable, match="answer: expected a dict of labels, got ndarray"):
        converted([LABELS], None, np.zeros(3))


@pytest.mark.parametrize("value", [[1, 0, 1], np.array([True, False, True]), np.array([1, 0, 1], np.uint8)])
def test_labels_may_be_whole_numbers_or_bools(value: object) -> None:
    _, (labels,) = converted([LABELS], "labels", value)
    assert labels.dtype == np.int64 and labels.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([1.0, 0.0, 1.0], r"labels: expected int64 of shape \(3,\), got float64 of shape \(3,\)"),
        ([1, 0], r"labels: expected int64 of shape \(3,\), got int64 of shape \(2,\)"),
        (np.array([1, 2**63, 3], np.uint64), "got uint64 values beyond its range"),
        (np.array([1, None, 2]), "got object of shape"),
    ],
)
def test_labels_must_be_whole_and_of_the_right_shape(value: object, reason: str) -> None:
    with pytest.raises(Unusable, match=reason):
        converted([LABELS], "labels", value)


def test_maps_are_sent_in_row_order_and_must_stay_finite_as_float32() -> None:
    _, (maps,) = converted([MAPS], "maps", np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]))
    assert maps.dtype == np.float32 and maps.tobytes() == np.array([1, 2, 3, 4], np.float32).tobytes()
    with pytest.raises(
        Unusable, match=r"expected finite float32 of shape \(2, 2\), got inf among its values"
    ):
        converted([MAPS], "maps", np.full((2, 2), 1e300))


@pytest.mark.parametrize("free", [1, 3])
def test_free_axis_may_have_any_size_up_to_its_most(free: int) -> None:
    mask, (moved,) = converted([MOVED], "moved", np.ones((2, free)))
    assert mask == 1 and moved.shape == (2, free)


@pytest.mark.parametrize("shape", [(2, 0), (2, 4), (3, 2), (2,), (2, 2, 1)])
def test_no_other_size_will_do_for_a_free_axis(shape: tuple[int, ...]) -> None:
    with pytest.raises(Unusable) as raised:
        converted([MOVED], "moved", np.ones(shape))
    expected = "moved: expected finite float64 of shape (2, 1 to 3), got float64 of shape "
    assert str(raised.value) == expected + str(shape)


def test_single_free_axis_is_worded_as_a_shape() -> None:
    with pytest.raises(
        Unusable, match=r"parts: expected int64 of shape \(1 to 5,\), got int64 of shape \(6,\)"
    ):
        converted([PARTS], "parts", np.zeros(6, np.int64))


def test_sizes_are_told_for_the_free_axes_of_present_fields_only() -> None:
    fields = [SCORE, MOVED, PARTS]
    without = converted(fields, None, {"score": 1, "moved": [[1], [2]]})
    assert free_sizes(fields, *without) == b"\1\0\0\0"
    both = converted(fields, None, {"score": 1, "moved": np.ones((2, 3)), "parts": [1, 2]})
    assert free_sizes(fields, *both) == b"\3\0\0\0\2\0\0\0"


def test_field_that_need_not_be_finite_may_hold_anything() -> None:
    _, (values,) = converted([ANY], "any", [np.nan, -np.inf])
    assert np.isnan(values[0]) and values[1] == -np.inf and values.dtype == np.float32
    with pytest.raises(Unusable, match=r"any: expected float32 of shape \(2,\), got float64 of shape \(1,\)"):
        converted([ANY], "any", [0.5])


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (ValueError("bad\nshape"), CRASHED, b"ValueError: bad shape"),
        (KeyError(), CRASHED, b"KeyError"),
        (SystemExit(3), CRASHED, b"SystemExit: 3"),
        (MemoryError(), OUT_OF_MEMORY, b"MemoryError"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), OUT_OF_MEMORY, None),
        (Unusable("score: no"), BAD_OUTPUT, b"score: no"),
        (Unspeakable(), CRASHED, b"Unspeakable: (its message cannot be shown)"),
    ],
)
def test_error_becomes_a_status_and_one_line(error: BaseException, status: int, line: bytes | None) -> None:
    found = describe(error, "/entry")
    assert found[0] == status and line in (None, found[1])


def test_line_is_bounded_and_keeps_the_place_in_the_entry() -> None:
    namespace: dict[str, object] = {}
    exec(compile("\n\ndef f():\n    raise ValueError('é' * 9999)", "/entry/parts/a.py", "exec"), namespace)
    with pytest.raises(ValueError, match="é") as raised:
        namespace["f"]()  # type: ignore[operator]
    _, line = describe(raised.value, "/entry")
    assert len(line) <= REASON_BYTES and line.endswith(b"(parts/a.py line 4)")
