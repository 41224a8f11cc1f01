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
AGAIN = 0x00050000 + errno.EAGAIN
X86, ARM, I386 = 0xC000003E, 0xC00000B7, 0x40000003


def verdict(machine: str, number: int, *arguments: int, architecture: int) -> int:
    """What the program says of a call, as Linux's own interpreter would run it."""
    code = program(machine)
    assert code is not None
    steps = list(struct.iter_unpack("<HBBI", code))
    given = [*arguments, *[0] * 6][:6]
    record = struct.pack("<IIQQQQQQQ", number, architecture, 0, *given)
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
    ("machine", "architecture", "read", "clone"), [("x86_64", X86, 0, 56), ("aarch64", ARM, 63, 220)]
)
def test_calls_are_judged_by_their_arguments(machine: str, architecture: int, read: int, clone: int) -> None:
    assert verdict(machine, read, architecture=architecture) == ALLOW
    thread, fork = 0x3D0F00, 17
    for apart in (0x1000, 0x2000, 0x8000, 0x800000, 0x80000000):
        assert verdict(machine, clone, apart | fork, architecture=architecture) == REFUSE
    for flags in (thread, fork, 0x4000 | 0x100 | fork):
        assert verdict(machine, clone, flags, architecture=architecture) == ALLOW
    for space in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert verdict(machine, clone, space | fork, architecture=architecture) == REFUSE


NUMBERED = {
    "pipe": (22, None),
    "pipe2": (293, 59),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "getsockname": (51, 204),
    "getpeername": (52, 205),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    "recvmsg": (47, 212),
    "recvmmsg": (299, 243),
    "shutdown": (48, 210),
    "setsockopt": (54, 208),
    "getsockopt": (55, 209),
    "epoll_create": (213, None),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "eventfd": (284, None),
    "eventfd2": (290, 19),
    "signalfd": (282, None),
    "signalfd4": (289, 74),
    "timerfd_create": (283, 85),
}
"""What makes pipes and sockets, which the kernel numbers in one row, what only sockets can be asked for, and
what waits for their events."""


@pytest.mark.parametrize("column", [0, 1], ids=["x86_64", "aarch64"])
def test_pipes_and_sockets_are_refused_whatever_their_kind(column: int) -> None:
    machine, architecture = list(MACHINES.items())[column]
    for number in (both[column] for both in NUMBERED.values()):
        if number is not None:
            said = {verdict(machine, number, first, 1, architecture=architecture) for first in range(50)}
            assert said == {REFUSE}


MACHINES = {"x86_64": X86, "aarch64": ARM}
NUMBERS = {
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "madvise": (28, 233),
    "mmap": (9, 222),
    "setrlimit": (160, 164),
    "prlimit64": (302, 261),
}
"""The numbers of calls on each machine, as Linux's headers give them."""
LISTED = {
    "fadvise64": (221, 223),
    "mincore": (27, 232),
    "cachestat": (451, 451),
    "readahead": (187, 213),
    "io_setup": (206, 0),
    "io_submit": (209, 2),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "get_mempolicy": (239, 236),
}


@pytest.mark.parametrize("column", [0, 1], ids=list(MACHINES))
def test_requests_are_allowed_by_name(column: int) -> None:
    machine, architecture = list(MACHINES.items())[column]

    def passes(name: str, *arguments: int) -> bool:
        said = verdict(machine, NUMBERS[name][column], *arguments, architecture=architecture)
        assert said in (ALLOW, REFUSE)
        return said == ALLOW

    commands = {command for command in range(1100) if passes("fcntl", 7, command)}
    assert commands == {0, 1, 2, 3, 4, 1030}
    requests = {request for request in range(0x5400, 0x8A00) if passes("ioctl", 7, request)}
    assert requests == {0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451}
    state_of_files, key_for_files, shared_copy, terminal = 0x80086601, 0xC0506617, 0x40049409, 0x802C542A
    assert not any(passes("ioctl", 7, request) for request in (state_of_files, key_for_files, shared_copy))
    assert passes("ioctl", 7, terminal)
    advice = {number for number in range(256) if passes("madvise", 0, 4096, number)}
    assert advice == {0, 1, 2, 3, 4, 8, 10, 11, 14, 15, 16, 17, 18, 19, 102, 103}
    # What stands above the low half the system does not read.
    assert passes("fcntl", 7, 1 << 40 | 3) and not passes("fcntl", 7, 1 << 40 | 1036)


@pytest.mark.parametrize("column", [0, 1], ids=list(MACHINES))
def test_memory_to_share_and_limits_of_dumps_are_refused(column: int) -> None:
    machine, architecture = list(MACHINES.items())[column]

    def passes(name: str, *arguments: int) -> bool:
        return verdict(machine, NUMBERS[name][column], *arguments, architecture=architecture) == ALLOW

    shared, private, validated, anonymous, stack = 1, 2, 3, 0x20, 0x20000
    for flags in (shared, private, validated, private | anonymous, private | anonymous | stack):
        assert passes("mmap", 0, 4096, 3, flags)
    for flags in (shared | anonymous, validated | anonymous, shared | anonymous | stack):
        assert not passes("mmap", 0, 4096, 3, flags)
    core, files = 4, 7
    assert passes("setrlimit", files, 1) and not passes("setrlimit", core, 1)
    assert passes("prlimit64", 0, core, 0, 99) and passes("prlimit64", 0, files, 99)
    assert not passes("prlimit64", 0, core, 99) and not passes("prlimit64", 0, core, 1 << 32)


@pytest.mark.parametrize("column", [0, 1], ids=list(MACHINES))
def test_what_tells_of_files_in_memory_is_refused_or_missing(column: int) -> None:
    machine, architecture = list(MACHINES.items())[column]
    for both in LISTED.values():
        assert verdict(machine, both[column], architecture=architecture) == REFUSE
    for both in ((327, 286), (328, 287), (435, 435), (437, 437), (332, 291), (463, 463), (500, 500)):
        assert verdict(machine, both[column], architecture=architecture) == MISSING
    assert verdict(machine, 462, architecture=architecture) == REFUSE


OUTLIVING = {
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "vmsplice": (278, 75),
    "splice": (275, 76),
    "tee": (276, 77),
    "mlock": (149, 228),
    "mlock2": (325, 284),
    "mlockall": (151, 230),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "fremovexattr": (199, 16),
    "landlock_create_ruleset": (444, 444),
    "statmount": (457, 457),
}
"""What sends descriptors, closes them late, marks pages, or makes memory of the kernel's."""


@pytest.mark.parametrize("column", [0, 1], ids=list(MACHINES))
def test_what_outlives_a_case_or_is_counted_nowhere_is_refused(column: int) -> None:
    machine, architecture = list(MACHINES.items())[column]

    def said(both: tuple[int, int], *arguments: int) -> int:
        return verdict(machine, both[column], *arguments, architecture=architecture)

    assert {said(both) for both in OUTLIVING.values()} == {REFUSE}
    assert said((191, 8)) == ALLOW
    prctl, name, merge = (157, 167), 15, 67
    assert said(prctl, name) == ALLOW and said(prctl, merge, 1) == REFUSE
    clone, of_parent = (56, 220), 0x8000
    assert said(clone, of_parent | 17) == REFUSE and said(clone, 0x4000 | 17) == ALLOW
    private, stack, populated, downwards, locked = 0x22, 0x20000, 0x8000, 0x100, 0x2000
    large, vanishing = 0x40000, 0x08
    assert said(NUMBERS["mmap"], 0, 4096, 3, private | stack | populated) == ALLOW
    assert {said(NUMBERS["mmap"], 0, 4096, 3, private | bit) for bit in (downwards, locked)} == {REFUSE}
    assert {said(NUMBERS["mmap"], 0, 4096, 3, private | bit) for bit in (large, vanishing)} == {REFUSE}


PASSING = {
    "x86_64": {
        *(0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 32, 33, 34),
        *(35, 36, 37, 38, 39, 40, 57, 58, 59, 60, 62, 63, 74, 75, *range(76, 98), 100, 102, 104, 107, 108),
        *(109, 110, 111, 112, 115, 118, 120, 121, 124, 125, 127, 128, 130, 131, 132, 133, 140, 143, 145, 146),
        *(147, 158, 186, *range(191, 197), 200, 201, 204, 217, 218, 219, 228, 229, 230, 231, 234, 235),
        *(257, 258, *range(259, 272), 273, 280, 285, 292, 295, 296, 309, 316, 318, 322, 326, 334, 436, 439),
    },
    "aarch64": {
        *(*range(8, 14), 17, 23, 24, *range(33, 39), *range(45, 51), *range(52, 58), *range(61, 74), 78, 79),
        *(80, 82, 83, 88, 90, 93, 94, 96, 99, 101, 102, 103, 113, 114, 115, 120, 121, 123, 124, 125, 126),
        *(*range(128, 138), 139, 141, 148, 150, *range(153, 159), 160, 163, 166, 168, 169, *range(172, 179)),
        *(214, 215, 216, 221, 226, 227, 276, 278, 281, 285, 293, 436, 439),
    },
}
"""The calls of each machine that pass whatever they ask for, put down from Linux's headers."""


JUDGED = {
    "x86_64": {9, 16, 28, 56, 61, 72, 157, 160, 202, 247, 302},
    "aarch64": {25, 29, 95, 98, 164, 167, 220, 222, 233, 260, 261},
}
"""Those whose arguments decide."""


@pytest.mark.parametrize("machine", MACHINES)
def test_no_call_passes_but_the_listed(machine: str) -> None:
    said = {number: verdict(machine, number, architecture=MACHINES[machine]) for number in range(600)}
    passing = {number for number, word in said.items() if word == ALLOW}
    assert passing - JUDGED[machine] == PASSING[machine] - JUDGED[machine]
    assert not JUDGED[machine] & PASSING[machine]
    assert set(said.values()) == {ALLOW, REFUSE, MISSING, AGAIN}


COUNTING = {
    "getrusage": (98, 165),
    "sysinfo": (99, 179),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "flock": (73, 32),
    "sync": (162, 81),
    "syncfs": (306, 267),
    "sched_setaffinity": (203, 122),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "mq_open": (240, 180),
    "timer_create": (222, 107),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "seccomp": (317, 277),
    "rt_sigqueueinfo": (129, 138),
    "remap_file_pages": (216, 234),
    "get_robust_list": (274, 100),
}
"""What tells or moves counts of the kernel, or changes what others share, by Linux's headers."""


@pytest.mark.parametrize("column", [0, 1], ids=list(MACHINES))
def test_counts_and_numbers_given_once_are_refused(column: int) -> None:
    machine, architecture = list(MACHINES.items())[column]

    def said(both: tuple[int, int], *arguments: int) -> int:
        return verdict(machine, both[column], *arguments, architecture=architecture)

    assert {said(both) for both in COUNTING.values()} == {REFUSE}
    wait4, waitid = (61, 260), (247, 95)
    assert said(wait4, 7, 99, 0, 0) == ALLOW and said(waitid, 0, 7, 99, 4, 0) == ALLOW
    for usage in (99, 1 << 40):
        assert said(wait4, 7, 99, 0, usage) == REFUSE == said(waitid, 0, 7, 99, 4, usage)
    prctl = (157, 167)
    assert {option for option in range(100) if said(prctl, option) == ALLOW} == {
        *(1, 2, 3, 4, 15, 16, 21, 23, 36, 37, 38, 39)
    }


@pytest.mark.parametrize("column", [0, 1], ids=list(MACHINES))
def test_nobody_waits_where_another_process_could_wake_him(column: int) -> None:
    machine, architecture = list(MACHINES.items())[column]
    wait, wake, requeue, lock, wait_for_bits, wake_bits, own, clock = 0, 1, 3, 6, 9, 10, 128, 256

    def said(operation: int) -> int:
        return verdict(machine, (202, 98)[column], 99, operation, architecture=architecture)

    assert {said(each) for each in (wait, wait_for_bits, wait | clock, wait_for_bits | clock)} == {AGAIN}
    assert said(wake) == said(wake_bits) == ALLOW
    assert {said(each) for each in (requeue, lock, 2, 4, 5, 7, 8, 11, 12, 13, 512)} == {REFUSE}
    assert {said(each | own) for each in range(14)} == {ALLOW} == {said(wait_for_bits | own | clock)}


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
for make in (os.pipe, socket.socketpair):
    try:
        make()
    except PermissionError:
        print("none", end=" ")
with open(sys.argv[1], "rb") as file:
    assert os.preadv(file.fileno(), [part := bytearray(3)], 0) == 3 and part == b'""' + b'"'
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
    assert (said.stdout, said.stderr) == ("none none refused 3\n", "")
