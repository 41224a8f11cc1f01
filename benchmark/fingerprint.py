"""The numeric fingerprint of this machine: where two agree, the same entry gives the same bits."""

import platform
from pathlib import Path

from benchmark.laboratory import Laboratory
from benchmark.machine import cpu
from benchmark.records import Call, Field
from benchmark.seeds import arrays_digest, digest_of

FIELDS = (
    Field("convolved", "float32", (8, 8, 32, 32)),
    Field("gradient", "float32", (8, 3, 3, 3)),
    Field("product", "float32", (64, 64)),
    Field("exponential", "float32", (64, 64)),
    Field("root", "float32", (64, 64)),
    Field("gemm", "float64", (64, 64)),
    Field("singular", "float64", (64,)),
)
"""What the probe answers."""


def fingerprint(cache: Path) -> str:
    """The SHA-256, in hex, of what a pinned process on this machine makes of fixed numbers.

    Convolution forward and backward, matrix products, exp, sqrt and singular values: the operations that
    differ between processors and libraries where any do. cache: the folder that remembers the answer.
    Raises LaboratoryError when there is none.
    """
    call = Call("probe", {"machine": _machine()}, returns=FIELDS)
    with Laboratory("fingerprint", cache / "computed") as laboratory:
        return arrays_digest(laboratory.remembered(call))


def _machine() -> int:
    """A number of the processor and the system, in [0, 2**31)."""
    parts = (cpu(), platform.machine(), platform.release(), *platform.libc_ver())
    return int.from_bytes(digest_of(*parts)[:4], "big") >> 1
