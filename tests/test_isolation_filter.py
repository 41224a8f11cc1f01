"""The filter of system calls, run by an interpreter of its own, and tried in a process."""

import errno
import platform
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.isolation import filter as filter_module
from benchmark.isolation.filter import program

ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSE = 0x00050000 + errno.EPERM
MISSING = 0x00050000 + errno.ENOSYS
X86, ARM, I386 = 0xC000003E, 0xC00000B7, 0x40000003


def verdict(machine: str, number: int, first: int = 0, *, architecture: int) -> int:
    """What the program says of a call, as Linux's own interpreter would run it."""
    code = program(machine)
    assert code is not None
    steps = list(struct.iter_unpack("<HBBI", code))
    record = struct.pack("<IIQQQQQQQ", number, architecture, 0, first, 0, 0, 0, 0, 0)
    word = at = 0
    while True:
        kind, if_true, if_false, operand = steps[at]
        at += 1
        if kind == 0x20:
            (word,) = struct.unpack_from("<I", record, operand)
        elif kind == 0x06:
            return operand
        else:
            holds = {0x15: word == operand, 0x35: word >= operand, 0x45: bool(word & operand)}[kind]
            at += if_true if holds else if_false


@pytest.mark.parametrize(
    ("machine", "architecture", "numbers"),
    [
        ("x86_64", X86, {"ptrace": 101, "mount": 165, "unshare": 272, "bpf": 321, "io_uring_setup": 425}),
        ("aarch64", ARM, {"ptrace": 117, "mount": 40, "unshare": 97, "bpf": 280, "io_uring_setup": 425}),
    ],
)
def test_listed_calls_are_refused(machine: str, architecture: int, numbers: dict[str, int]) -> None:
    for number in numbers.values():
        assert verdict(machine, number, architecture=architecture) == REFUSE
    assert verdict(machine, 435, architecture=architecture) == MISSING


@pytest.mark.parametrize(
    ("machine", "architecture", "read", "socket", "pair", "clone"),
    [("x86_64", X86, 0, 41, 53, 56), ("aarch64", ARM, 63, 198, 199, 220)],
)
def test_calls_are_judged_by_their_arguments(
    machine: str, architecture: int, read: int, socket: int, pair: int, clone: int
) -> None:
    assert verdict(machine, read, architecture=architecture) == ALLOW
    for number in (socket, pair):
        assert verdict(machine, number, 1, architecture=architecture) == ALLOW
        for family in (0, 2, 10, 16, 17, 38, 40, 1 << 32 | 2):
            assert verdict(machine, number, family, architecture=architecture) == REFUSE
    thread, fork = 0x3D0F00, 17
    for flags in (thread, fork, 0x4000 | 0x100 | fork):
        assert verdict(machine, clone, flags, architecture=architecture) == ALLOW
    for space in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert verdict(machine, clone, space | fork, architecture=architecture) == REFUSE


def test_calls_of_another_kind_of_machine_end_the_process() -> None:
    assert verdict("x86_64", 0, architecture=I386) == KILL
    assert verdict("x86_64", 63, architecture=ARM) == KILL
    assert verdict("aarch64", 0, architecture=X86) == KILL
    assert verdict("x86_64", 0x40000000, architecture=X86) == MISSING
    assert verdict("x86_64", 0xFFFFFFFF, architecture=X86) == MISSING


def test_other_machines_have_no_filter() -> None:
    assert program("riscv64") is None and program("") is None


TRY = """
import importlib.util, os, socket, sys
spec = importlib.util.spec_from_file_location("filter", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
module.install()
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
assert status["Seccomp"].strip() == "2" and status["NoNewPrivs"].strip() == "1"
socket.socketpair()[0].close()
try:
    socket.socket(socket.AF_INET)
except PermissionError:
    print("refused", os.waitstatus_to_exitcode(os.system("exit 3")))
"""


@pytest.mark.skipif(program(platform.machine()) is None, reason="this machine has no filter")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such filters")
def test_filter_holds_a_process_and_what_it_starts() -> None:
    path = Path(filter_module.__file__)
    command = [sys.executable, "-W", "ignore", "-c", TRY, str(path)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (said.stdout, said.stderr) == ("refused 3\n", "")
