"""The variables that make numbers the same on all machines that can; set before Python starts."""

import contextlib
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path

AVX2 = "x86-64-avx2"
"""The numeric class that most machines share."""
PINS = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_CBWR": "COMPATIBLE",
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}
"""Holds every library to AVX2; only where the processor has it, as forcing a library upwards crashes it."""

REUSE = {"MALLOC_MMAP_THRESHOLD_": str(256 << 20), "MALLOC_TRIM_THRESHOLD_": str(512 << 20)}
"""Lets glibc use freed arrays again: a fresh fork otherwise pays for each page of each array anew."""


def numeric_environment() -> dict[str, str]:
    """The variables that pin the numbers: one thread, and one instruction set where every machine has it."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    threads = {**dict.fromkeys(names, "1"), "PYTHONHASHSEED": "0", **REUSE}
    return {**threads, **PINS} if numeric_class() == AVX2 else threads


@cache
def numeric_class() -> str:
    """`x86-64-avx2` where the pins hold; elsewhere the machine's own, such as `arm64-native`."""
    machine = platform.machine().lower()
    if machine in ("x86_64", "amd64") and _has_avx2():
        return AVX2
    return f"{machine}-native"


def _has_avx2() -> bool:
    if sys.platform == "linux":
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        flags = next((line for line in text.splitlines() if line.startswith("flags")), "")
        return "avx2" in flags.split()
    command = ["sysctl", "-n", "machdep.cpu.leaf7_features"]
    with contextlib.suppress(OSError):
        tried = subprocess.run(command, capture_output=True, text=True, check=False)
        return "AVX2" in tried.stdout.split()
    return False
