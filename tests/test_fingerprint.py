"""The numeric fingerprint: the same for the same machine, made once, and another for other numbers."""

import re
from pathlib import Path

import numpy as np
import pytest

from benchmark import fingerprint as module
from benchmark.fingerprint import FIELDS, fingerprint
from benchmark.lab.fingerprint import method
from benchmark.laboratory import Laboratory
from benchmark.machine import CACHE
from benchmark.records import Arrays, Call


def test_the_probe_computes_what_it_says() -> None:
    found = method.laboratory().probe(machine=1)
    assert {field.name: (field.dtype, field.shape) for field in FIELDS} == {
        name: (array.dtype.name, array.shape) for name, array in found.items()
    }
    rng = np.random.default_rng(0)
    images = np.pad(rng.standard_normal((8, 3, 32, 32), dtype=np.float32), ((0, 0), (0, 0), (1, 1), (1, 1)))
    weights = rng.standard_normal((8, 3, 3, 3), dtype=np.float32)
    patch = images[2, :, 4:7, 9:12]  # what the output of image 2 at row 4, column 9 sees
    assert found["convolved"][2, :, 4, 9] == pytest.approx(
        (weights * patch).sum((1, 2, 3)), rel=1e-4, abs=1e-4
    )
    seen = images[:, 1, 2:34, 0:32]  # what weight [., 1, 2, 0] is multiplied with
    slope = (2 * found["convolved"] * seen[:, None]).sum((0, 2, 3)) / found["convolved"].size
    assert found["gradient"][:, 1, 2, 0] == pytest.approx(slope, rel=1e-3, abs=1e-4)
    single = rng.standard_normal((64, 64), dtype=np.float32).astype(np.float64)
    double = rng.standard_normal((64, 64))
    assert found["product"] == pytest.approx(single @ single, abs=1e-3)
    assert found["exponential"] == pytest.approx(np.exp(single), rel=1e-5)
    assert found["root"] == pytest.approx(np.sqrt(np.abs(single)), rel=1e-5)
    assert found["gemm"] == pytest.approx(double @ double, abs=1e-10)
    # The squares of the singular values are the eigenvalues of the Gram matrix.
    assert found["singular"] ** 2 == pytest.approx(np.linalg.eigvalsh(double.T @ double)[::-1], abs=1e-9)


def test_it_is_a_hash_and_the_same_in_another_process(tmp_path: Path) -> None:
    first = fingerprint(CACHE)
    assert re.fullmatch("[0-9a-f]{64}", first)
    assert fingerprint(tmp_path) == first
    assert len(list((tmp_path / "computed").iterdir())) == 1


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """The calls that are computed, each answered with ones."""
    calls: list[Call] = []

    def compute(self: Laboratory, call: Call) -> Arrays:
        calls.append(call)
        return {field.name: np.ones(field.shape, field.dtype) for field in FIELDS}  # type: ignore[arg-type]

    monkeypatch.setattr(Laboratory, "compute", compute)
    return calls


def test_it_is_computed_once_for_each_machine(
    tmp_path: Path, computed: list[Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fingerprint(tmp_path) == fingerprint(tmp_path)
    assert len(computed) == 1
    monkeypatch.setattr(module, "cpu", lambda: "another processor")
    fingerprint(tmp_path)
    assert len(computed) == 2


def test_one_bit_makes_another_one(
    tmp_path: Path, computed: list[Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    ones = fingerprint(tmp_path / "one")

    def nudged(self: Laboratory, call: Call) -> Arrays:
        arrays = {field.name: np.ones(field.shape, field.dtype) for field in FIELDS}  # type: ignore[arg-type]
        arrays["singular"][63] = np.nextafter(1.0, 2.0)
        return arrays

    monkeypatch.setattr(Laboratory, "compute", nudged)
    assert fingerprint(tmp_path / "other") != ones
    assert len(computed) == 1
