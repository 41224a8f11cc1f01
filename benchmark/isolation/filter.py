"""The filter of system calls that the system holds a case to: a classic BPF program, made here.

It stands alone beside `worker.py`. A call on the list below fails with EPERM, as on a machine that does not
allow it, so that a library falls back to its other way; one of another machine's kind ends the process.
What the list is after: other processes' memory, new namespaces and mounts, the kernel's own modules, keys and
clocks, interfaces of a bad record (io_uring, bpf, userfaultfd), and every socket but a local one.
"""

import ctypes
import errno
import os
import platform
import struct
from functools import cache

INSTRUCTION = struct.Struct("<HBBI")
"""One of the program: code, jump if true, jump if false, operand."""
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""The codes used: load a word of the call's record, three conditional jumps, end."""
NUMBER, ARCHITECTURE, FIRST = 0, 4, 16
"""Where the record holds the call's number, the machine, and the low half of the first argument."""
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
"""How the program may end; the error number is added to the last."""
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""For each machine that has a filter: its column below, and what the system calls it."""
X32 = 0x40000000
"""From this number on, the calls of x86-64's second kind."""
NAMESPACES = 0x7E020080
"""The flags of clone that make namespaces, the one of time among them."""
LOCAL = 1
"""The family of local sockets, AF_UNIX."""
NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER_MODE = 38, 22, 2
"""The options of Linux's prctl."""

LIBRARY = ctypes.CDLL(None, use_errno=True)
REFUSED: dict[str, tuple[int | None, int | None]] = {
    "_sysctl": (156, None),
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "create_module": (174, None),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "get_kernel_syms": (177, None),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "lookup_dcookie": (212, 18),
    "memfd_secret": (447, 447),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "name_to_handle_at": (303, 264),
    "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "query_module": (178, None),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "uselib": (134, None),
    "userfaultfd": (323, 282),
    "vhangup": (153, 58),
}
"""The calls refused whatever their arguments, and their numbers on each machine; None where it has none."""
CLONE, CLONE3, SOCKET, SOCKETPAIR = (56, 220), (435, 435), (41, 198), (53, 199)
"""Those that depend on their arguments; clone3 hides them in memory, so that it is said not to exist."""


def fault() -> str | None:
    """Why there is no filter here; None where there is one."""
    machine = platform.machine()
    return None if machine in MACHINES else f"expected {' or '.join(MACHINES)}, got {machine}"


@cache
def program(machine: str) -> bytes | None:
    """The filter's instructions for a machine, as `platform.machine` names it; None where there is none."""
    if machine not in MACHINES:
        return None
    column, architecture = MACHINES[machine]
    numbers = [both[column] for both in REFUSED.values()]
    refused = [number for number in numbers if number is not None]
    # Every test jumps forward: over the rest of its own block, or to the end that it decides for.
    blocks = [
        _instruction(LOAD, ARCHITECTURE),
        *_unless(architecture, KILL),
        _instruction(LOAD, NUMBER),
        *(_when(AT_LEAST, X32, REFUSE + errno.ENOSYS) if machine == "x86_64" else []),
        *_when(EQUAL, CLONE3[column], REFUSE + errno.ENOSYS),
        *(part for number in refused for part in _when(EQUAL, number, REFUSE + errno.EPERM)),
        *_for_call(SOCKET[column], _unless(LOCAL, REFUSE + errno.EPERM)),
        *_for_call(SOCKETPAIR[column], _unless(LOCAL, REFUSE + errno.EPERM)),
        *_for_call(CLONE[column], _when(ANY_BIT, NAMESPACES, REFUSE + errno.EPERM)),
        _instruction(RETURN, ALLOW),
    ]
    return b"".join(blocks)


def _instruction(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return INSTRUCTION.pack(code, if_true, if_false, operand)


def _when(code: int, operand: int, end: int) -> list[bytes]:
    """Ends so when the test holds for the loaded word."""
    return [_instruction(code, operand, 0, 1), _instruction(RETURN, end)]


def _unless(operand: int, end: int) -> list[bytes]:
    """Ends so when the loaded word is not the operand."""
    return [_instruction(EQUAL, operand, 1, 0), _instruction(RETURN, end)]


def _for_call(number: int, tests: list[bytes]) -> list[bytes]:
    """Tests of the first argument's low half, for one call alone, which they allow if they do not end it."""
    inside = [_instruction(LOAD, FIRST), *tests, _instruction(RETURN, ALLOW)]
    return [_instruction(EQUAL, number, 0, len(inside)), *inside]


class _Program(ctypes.Structure):
    """What the system takes: the count of instructions, and where they are."""

    _fields_ = (("count", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def install() -> None:
    """Holds this process and all it starts to the filter; nothing where the machine has none.

    Raises OSError when the system does not take it.
    """
    instructions = program(platform.machine())
    if instructions is None:
        return
    given = _Program(len(instructions) // INSTRUCTION.size, instructions)
    if LIBRARY.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or LIBRARY.prctl(
        SET_SECCOMP, FILTER_MODE, ctypes.byref(given), 0, 0
    ):
        number = ctypes.get_errno()
        raise OSError(number, f"filter of system calls: {os.strerror(number)}")
