"""The filter of system calls that the system holds a case to: a classic BPF program, made here.

It stands alone beside `worker.py`. A call on the list below fails with EPERM, as on a machine that does not
allow it, so that a library falls back to its other way; one of another machine's kind ends the process.
What the list is after: other processes' memory, new namespaces and mounts, the kernel's own modules, keys and
clocks, interfaces of a bad record (io_uring, bpf, userfaultfd), what tells or changes which files the system
holds in memory, memory that no limit counts, descriptors that are sent and so outlive their process, and
every socket but a local one. What a call asks of a descriptor (fcntl, ioctl) or of memory (madvise) is
allowed by name, and refused where it is not listed.
"""

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterator, Sequence
from functools import cache

INSTRUCTION = struct.Struct("<HBBI")
"""One of the program: code, jump if true, jump if false, operand."""
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""The codes used: load a word of the call's record, three conditional jumps, end."""
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
"""Where the record holds the call's number, the machine, and the arguments, the low half of each first."""
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
"""How the program may end; the error number is added to the last."""
DENY, NO_SUCH_CALL = REFUSE + errno.EPERM, REFUSE + errno.ENOSYS
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""For each machine that has a filter: its column below, and what the system calls it."""
UNKNOWN = 463
"""From this number on, calls that were not looked at, on both machines; x86-64's second kind is above it."""
SPACES = 0x7E028080
"""The flags of clone that make namespaces, and the one that gives the child to the parent of the caller."""
LOCAL = 1
"""The family of local sockets, AF_UNIX."""
SHARED_MAP, ANONYMOUS_MAP = 0x01, 0x20
"""The flags of mmap that together make memory which no limit counts."""
UNCOUNTED_MAP = 0x2100
"""Those that do so alone, as a stack that grows down, or that hold pages in memory."""
MERGE = 67
"""The option of prctl that has the system put equal pages together."""
CORE = 4
"""The limit of core dumps: at 0 the system would still pipe one to a program of the machine's, at 1 not."""
WORD = 0xFFFFFFFF
DESCRIPTOR_COMMANDS = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1031, 1032)
"""What fcntl may do: copies, flags, locks of both kinds, the size of a pipe. No owners, signals, leases,
notices or hints, which other cases could see."""
DEVICE_REQUESTS = (0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""What ioctl may do: ask whether a file is a terminal, and its size; count what can be read; set blocking
and closing. No network interfaces, no state of file systems."""
MEMORY_ADVICE = (*range(5), 8, 10, 11, *range(14, 20), 22, 23, 102, 103)
"""What madvise may do: usual, random, sequential, needed, not needed, free; fork, huge pages, dumps, filling
and guards. Nothing that takes files out of the system's memory, or merges pages."""
NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER_MODE = 38, 22, 2
"""The options of Linux's prctl."""

LIBRARY = ctypes.CDLL(None, use_errno=True)
REFUSED: dict[str, tuple[int | None, int | None]] = {
    "_sysctl": (156, None),
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "cachestat": (451, 451),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "create_module": (174, None),
    "delete_module": (176, 106),
    "fadvise64": (221, 223),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "finit_module": (313, 273),
    "fremovexattr": (199, 16),
    "fsconfig": (431, 431),
    "fsetxattr": (190, 7),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "get_kernel_syms": (177, None),
    "get_mempolicy": (239, 236),
    "init_module": (175, 105),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "io_setup": (206, 0),
    "io_submit": (209, 2),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "landlock_add_rule": (445, 445),
    "landlock_create_ruleset": (444, 444),
    "landlock_restrict_self": (446, 446),
    "listmount": (458, 458),
    "lookup_dcookie": (212, 18),
    "lremovexattr": (198, 15),
    "lsetxattr": (189, 6),
    "lsm_get_self_attr": (459, 459),
    "lsm_list_modules": (461, 461),
    "lsm_set_self_attr": (460, 460),
    "mbind": (237, 235),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "migrate_pages": (256, 238),
    "mincore": (27, 232),
    "mlock": (149, 228),
    "mlock2": (325, 284),
    "mlockall": (151, 230),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "msgget": (68, 186),
    "munlock": (150, 229),
    "munlockall": (152, 231),
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
    "readahead": (187, 213),
    "reboot": (169, 142),
    "removexattr": (197, 14),
    "request_key": (249, 218),
    "semget": (64, 190),
    "sendmmsg": (307, 269),
    "sendmsg": (46, 211),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "setxattr": (188, 5),
    "shmget": (29, 194),
    "splice": (275, 76),
    "statmount": (457, 457),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "tee": (276, 77),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "uselib": (134, None),
    "userfaultfd": (323, 282),
    "vhangup": (153, 58),
    "vmsplice": (278, 75),
}
"""The calls refused whatever their arguments, and their numbers on each machine; None where it has none."""
MISSING = ((435, 435), (327, 286), (328, 287))
"""Those said not to exist, for which libraries have another way: clone3, which hides its flags in memory, and
preadv2 and pwritev2, which tell what the system holds of a file."""
CLONE, SOCKET, SOCKETPAIR, MAP = (56, 220), (41, 198), (53, 199), (9, 222)
FCNTL, IOCTL, ADVISE = (72, 25), (16, 29), (28, 233)
ATTRIBUTE, SET_LIMIT, SET_LIMIT_OF = (157, 167), (160, 164), (302, 261)
"""Those that depend on their arguments."""


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
    refused = [both[column] for both in REFUSED.values()]
    # Every test jumps forward: over the rest of its own block, or to the end that it decides for.
    blocks = [
        _instruction(LOAD, ARCHITECTURE),
        *_unless(architecture, KILL),
        _instruction(LOAD, NUMBER),
        *_when(AT_LEAST, UNKNOWN, NO_SUCH_CALL),
        *(part for both in MISSING for part in _when(EQUAL, both[column], NO_SUCH_CALL)),
        *(part for number in refused if number is not None for part in _when(EQUAL, number, DENY)),
        *(part for both, tests in _judged() for part in _for_call(both[column], tests)),
        _instruction(RETURN, ALLOW),
    ]
    return b"".join(blocks)


def _judged() -> Iterator[tuple[tuple[int, int], list[bytes]]]:
    """Each call that depends on its arguments, by its numbers, and the tests that end it or let it pass."""
    yield FCNTL, _only(1, DESCRIPTOR_COMMANDS)
    yield IOCTL, _only(1, DEVICE_REQUESTS)
    yield ADVISE, _only(2, MEMORY_ADVICE)
    yield ATTRIBUTE, [_low(0), *_when(EQUAL, MERGE, DENY)]
    yield SOCKET, _only(0, (LOCAL,))
    yield SOCKETPAIR, _only(0, (LOCAL,))
    yield CLONE, [_low(0), *_when(ANY_BIT, SPACES, DENY)]
    shared, anonymous = _passes_without(SHARED_MAP), _when(ANY_BIT, ANONYMOUS_MAP, DENY)
    yield MAP, [_low(3), *_when(ANY_BIT, UNCOUNTED_MAP, DENY), *shared, *anonymous]
    yield SET_LIMIT, [_low(0), *_when(EQUAL, CORE, DENY)]
    given = [part for half in (_low(2), _high(2)) for part in (half, *_when(ANY_BIT, WORD, DENY))]
    yield SET_LIMIT_OF, [_low(1), *_unless(CORE, ALLOW), *given]


def _instruction(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return INSTRUCTION.pack(code, if_true, if_false, operand)


def _low(argument: int) -> bytes:
    """Loads the low half of an argument, counted from 0."""
    return _instruction(LOAD, ARGUMENTS + 8 * argument)


def _high(argument: int) -> bytes:
    """Loads the high half of it."""
    return _instruction(LOAD, ARGUMENTS + 8 * argument + 4)


def _when(code: int, operand: int, end: int) -> list[bytes]:
    """Ends so when the test holds for the loaded word."""
    return [_instruction(code, operand, 0, 1), _instruction(RETURN, end)]


def _unless(operand: int, end: int) -> list[bytes]:
    """Ends so when the loaded word is not the operand."""
    return [_instruction(EQUAL, operand, 1, 0), _instruction(RETURN, end)]


def _passes_without(bit: int) -> list[bytes]:
    """Allows the call when the loaded word lacks the bit."""
    return [_instruction(ANY_BIT, bit, 1, 0), _instruction(RETURN, ALLOW)]


def _only(argument: int, allowed: Sequence[int]) -> list[bytes]:
    """Allows the listed values of an argument's low half, which is all that the system reads of it."""
    listed = (part for value in allowed for part in _when(EQUAL, value, ALLOW))
    return [_low(argument), *listed, _instruction(RETURN, DENY)]


def _for_call(number: int, tests: list[bytes]) -> list[bytes]:
    """The tests for one call alone, which they allow if they do not end it."""
    inside = [*tests, _instruction(RETURN, ALLOW)]
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
