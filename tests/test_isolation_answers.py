from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmark.isolation.host import CaseFailed
from benchmark.isolation.launchers import Launcher
from benchmark.records import Arrays, Call, Caller, CallFailed, Field, Made, Status
from tests.isolated import LAUNCHERS, worker, written

pytestmark = pytest.mark.parametrize("launcher", LAUNCHERS)

MOVED = Field("moved", "float64", (3, None), most=4)
PARTS = Field("parts", "int64", (None,), optional=True, most=9)
ROWS = np.arange(12.0).reshape(3, 4)

SHARED = """
class Model:
    def __init__(self, weight, bias):
        assert weight.flags.owndata and weight.flags.writeable
        self.weight, self.bias, self.calls = weight, bias, 0
    def __call__(self, rows):
        self.calls += 1
        return rows @ self.weight + self.bias

def made_model(weight, bias):
    return Model(weight, bias)
"""


def asked(launcher: Launcher, folder: Path, body: str, *fields: Field) -> Arrays:
    """The answer of an entry with the given body to one call for the fields."""
    call = Call("detect", {"rows": ROWS, "seed": 2}, fields)
    with worker(launcher, written(folder, body, "import numpy as np"), call=5.0) as run:
        return run.examine(lambda ask: ask(call)).value


def test_answer_has_the_free_size_that_the_entry_chose(launcher: Launcher, tmp_path: Path) -> None:
    got = asked(launcher, tmp_path, "return {'moved': rows[:, :seed], 'parts': [7]}", PARTS, MOVED)
    np.testing.assert_array_equal(got["moved"], [[0.0, 1.0], [4.0, 5.0], [8.0, 9.0]], strict=True)
    assert got["parts"].tolist() == [7]
    alone = asked(launcher, tmp_path, "return {'moved': rows}", PARTS, MOVED)
    np.testing.assert_array_equal(alone["moved"], ROWS, strict=True)
    assert alone.keys() == {"moved"}


@pytest.mark.parametrize("columns", [0, 5])
def test_free_size_out_of_range_is_bad_output(launcher: Launcher, tmp_path: Path, columns: int) -> None:
    with pytest.raises(CaseFailed) as raised:
        asked(launcher, tmp_path, f"return {{'moved': np.zeros((3, {columns}))}}", MOVED)
    expected = "moved: expected finite float64 of shape (3, 1 to 4), got float64 of shape "
    assert raised.value.status is Status.BAD_OUTPUT
    assert raised.value.reason == f"{expected}(3, {columns})"


@pytest.mark.parametrize("size", [0, 5, 2**32 - 1])
def test_forged_free_size_is_refused_before_it_is_read(launcher: Launcher, tmp_path: Path, size: int) -> None:
    body = f"""
    import gc
    served = next(type(o) for o in gc.get_objects() if type(o).__name__ == "Served")
    served._reply.__globals__["free_sizes"] = lambda *_: ({size}).to_bytes(4, "little")
    return {{"moved": rows}}
    """
    with pytest.raises(CaseFailed) as raised:
        asked(launcher, tmp_path, body, MOVED)
    assert raised.value.status is Status.BAD_OUTPUT and raised.value.seconds < 3
    assert raised.value.reason == f"detect: moved: expected a free size from 1 to 4, got {size}"


def test_values_that_are_not_finite_cross_where_the_field_says_so(launcher: Launcher, tmp_path: Path) -> None:
    body = "return {'moved': np.array([[np.nan], [np.inf], [-np.inf]])}"
    got = asked(launcher, tmp_path, body, replace(MOVED, finite=False))
    np.testing.assert_array_equal(got["moved"], [[np.nan], [np.inf], [-np.inf]], strict=True)
    with pytest.raises(CaseFailed) as raised:
        asked(launcher, tmp_path, body, MOVED)
    expected = "moved: expected finite float64 of shape (3, 1 to 4), got nan among its values"
    assert raised.value.reason == expected


def test_made_argument_is_fresh_for_each_call(launcher: Launcher, tmp_path: Path) -> None:
    shared, own = tmp_path / "shared", tmp_path / "own"
    shared.mkdir()
    own.mkdir()
    (shared / "parts.py").write_text(SHARED, encoding="utf-8")
    body = "score = rows(np.ones(2)).sum() * rows.calls\nrows.weight *= 0\nreturn score"
    code = replace(written(own, body, "import numpy as np"), packages=(shared,), preload=("parts",))
    made = Made("parts:made_model", {"weight": np.arange(6.0).reshape(2, 3), "bias": np.array([1.0, 1, 1])})
    call = Call("detect", {"rows": made, "seed": 0}, (Field("score", "float64"),), bare="score")
    with worker(launcher, code) as run:
        got = run.examine(lambda ask: [ask(call)["score"] for _ in range(3)]).value
    assert got == [18.0, 18.0, 18.0]


@pytest.mark.parametrize(
    ("maker", "reason"),
    [
        ("nothing_of_this_name:make", "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("builtins:nothing", "AttributeError: module 'builtins' has no attribute 'nothing'"),
        ("builtins:len", "TypeError: len() takes no keyword arguments"),
    ],
)
def test_maker_that_fails_is_told_and_the_next_call_is_read(
    launcher: Launcher, tmp_path: Path, maker: str, reason: str
) -> None:
    made = Made(maker, {"large": np.zeros(1_000_000)})
    score = Field("score", "float64")
    bad = Call("detect", {"rows": made, "seed": 0}, (score,), bare="score")
    good = Call("detect", {"rows": ROWS, "seed": 5}, (score,), bare="score")

    def examine(ask: Caller) -> Arrays:
        with pytest.raises(CallFailed) as raised:
            ask(bad)
        assert raised.value.status is Status.CRASHED and raised.value.reason == reason
        return ask(good)

    with worker(launcher, written(tmp_path, "return seed")) as run:
        assert run.examine(examine).value == {"score": 5.0}
