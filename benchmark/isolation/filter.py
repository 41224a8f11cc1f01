"""The filter of system calls that the system holds a case to: a classic BPF program, made here.

It stands alone beside `worker.py`. It is a list of what is allowed. A call that is not on it fails with
EPERM, as on a machine that does not allow it, so that a library falls back to its other way; one that is
newer than the list, or for which libraries have another way, is said not to exist; one of another machine's
kind ends the process. What a call asks of a descriptor (fcntl, ioctl), of memory (madvise, mmap) or of its
process (prctl, clone) is allowed by name as well.

Allowed is what Python and numeric libraries work with: files by name and by descriptor, memory of their own,
processes and threads, signals within the room, clocks. What is not, among the rest: pipes and sockets, which
the kernel numbers in one row for all processes; what tells or moves what it counts or holds for all of them
(getrusage, sysinfo, statfs, the usage that wait tells, mincore, openat2, which asks whether the names of a
path are in memory, statx, which tells the number of a mount), locks of files that several cases can read,
numbers that it gives out once (pidfd), queues and segments, memory that no limit counts, descriptors that
wait for events, which it counts for a user, changes of priority and of processors, and every interface of a
bad record.
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
DENY, NO_SUCH_CALL, AGAIN = (REFUSE + number for number in (errno.EPERM, errno.ENOSYS, errno.EAGAIN))
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""For each machine that has a filter: its column below, and what the system calls it."""
UNKNOWN = 463
"""From this number on, calls that were not looked at, on both machines; x86-64's second kind is above it."""
CHILD_FLAGS = 0x017D4FFF
"""The flags of clone that a fork and a thread have, and the signal in the low byte. No namespaces, no
descriptor of the child, no child of the caller's parent."""
SHARED_MAP, ANONYMOUS_MAP = 0x01, 0x20
"""The flags of mmap that together make memory which no limit counts."""
UNCOUNTED_MAP = 0x42108
"""Those that do so alone: memory that may vanish, a stack that grows down, pages held in memory, pages of the
machine's store of large ones."""
ATTRIBUTES = (1, 2, 3, 4, 15, 16, 21, 23, 36, 37, 38, 39, 0x53564D41)
"""What prctl may do: the signal at the parent's end, dumps, names of threads and of memory, looking at the
filter and at capabilities, orphans, no new privileges."""
CORE = 4
"""The limit of core dumps: at 0 the system would still pipe one to a program of the machine's, at 1 not."""
WORD = 0xFFFFFFFF
DESCRIPTOR_COMMANDS = (0, 1, 2, 3, 4, 1030)
"""What fcntl may do: copies and flags. No owners, signals, leases, notices or hints, which other cases could
see, and no locks: two cases could hold them on the null device."""
DEVICE_REQUESTS = (0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""What ioctl may do: ask whether a file is a terminal, and its size; count what can be read; set blocking
and closing. No network interfaces, no state of file systems."""
MEMORY_ADVICE = (*range(5), 8, 10, 11, *range(14, 20), 102, 103)
"""What madvise may do: usual, random, sequential, needed, not needed, free; fork, huge pages, dumps, filling
and guards. Nothing that takes files out of the system's memory, reads pages at once, or merges them."""
OWN_WAIT = 128
"""The flag of a futex that other processes cannot wake."""
SHARED_WAITS = (0, 256, 9, 265)
"""The calls that wait for others to wake them. Cases that run at the same time could meet at a file that both
can read, so waiting is put off: whoever waits looks again and again."""
SHARED_WAKES = (1, 10)
"""The calls that wake them, of whom there are none."""
NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER_MODE = 38, 22, 2
"""The options of Linux's prctl."""

LIBRARY = ctypes.CDLL(None, use_errno=True)
ALLOWED = {
    "what is open": (
        "read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68, preadv 295 69, "
        "pwritev 296 70, lseek 8 62, close 3 57, close_range 436 436, dup 32 23, dup2 33 -, dup3 292 24, "
        "sendfile 40 71, copy_file_range 326 285, ftruncate 77 46, "
        "fallocate 285 47, fsync 74 82, fdatasync 75 83, msync 26 227, poll 7 -, ppoll 271 73, "
        "select 23 -, pselect6 270 72"
    ),
    "files by name": (
        "open 2 -, openat 257 56, creat 85 -, stat 4 -, lstat 6 -, fstat 5 80, newfstatat 262 79, "
        "access 21 -, faccessat 269 48, faccessat2 439 439, getdents 78 -, getdents64 217 61, "
        "getcwd 79 17, chdir 80 49, fchdir 81 50, mkdir 83 -, mkdirat 258 34, rmdir 84 -, rename 82 -, "
        "renameat 264 38, renameat2 316 276, link 86 -, linkat 265 37, unlink 87 -, unlinkat 263 35, "
        "symlink 88 -, symlinkat 266 36, readlink 89 -, readlinkat 267 78, mknod 133 -, mknodat 259 33, "
        "truncate 76 45, chmod 90 -, fchmod 91 52, fchmodat 268 53, chown 92 -, fchown 93 55, "
        "lchown 94 -, fchownat 260 54, utime 132 -, utimes 235 -, futimesat 261 -, utimensat 280 88, "
        "umask 95 166, getxattr 191 8, lgetxattr 192 9, fgetxattr 193 10, listxattr 194 11, "
        "llistxattr 195 12, flistxattr 196 13"
    ),
    "memory": "brk 12 214, munmap 11 215, mremap 25 216, mprotect 10 226",
    "processes and threads": (
        "fork 57 -, vfork 58 -, execve 59 221, execveat 322 281, exit 60 93, exit_group 231 94, "
        "getpid 39 172, getppid 110 173, gettid 186 178, getpgrp 111 -, getpgid 121 155, "
        "setpgid 109 154, getsid 124 156, setsid 112 157, getuid 102 174, geteuid 107 175, "
        "getgid 104 176, getegid 108 177, getresuid 118 148, getresgid 120 150, getgroups 115 158, "
        "capget 125 90, set_tid_address 218 96, set_robust_list 273 99, rseq 334 293, "
        "arch_prctl 158 -, getrlimit 97 163, getpriority 140 141, sched_yield 24 124, "
        "sched_getaffinity 204 123, sched_getparam 143 121, sched_getscheduler 145 120, "
        "sched_get_priority_max 146 125, sched_get_priority_min 147 126, getcpu 309 168"
    ),
    "signals": (
        "kill 62 129, tkill 200 130, tgkill 234 131, rt_sigaction 13 134, rt_sigprocmask 14 135, "
        "rt_sigpending 127 136, rt_sigsuspend 130 133, rt_sigtimedwait 128 137, rt_sigreturn 15 139, "
        "sigaltstack 131 132, restart_syscall 219 128, pause 34 -"
    ),
    "time and chance": (
        "time 201 -, gettimeofday 96 169, clock_gettime 228 113, clock_getres 229 114, nanosleep 35 101, "
        "clock_nanosleep 230 115, times 100 153, getitimer 36 102, setitimer 38 103, alarm 37 -, "
        "getrandom 318 278, uname 63 160"
    ),
}
"""The calls allowed whatever their arguments: the name, and its number on each machine, or - for none."""
MISSING = (
    "clone3 435 435, preadv2 327 286, pwritev2 328 287, openat2 437 437, statx 332 291, membarrier 324 283, "
    "epoll_pwait2 441 441, futex_waitv 449 449, fchmodat2 452 452, map_shadow_stack 453 453"
)
"""Those said not to exist, for which libraries have another way."""
CLONE, MAP = (56, 220), (9, 222)
FCNTL, IOCTL, ADVISE, FUTEX = (72, 25), (16, 29), (28, 233), (202, 98)
ATTRIBUTE, SET_LIMIT, SET_LIMIT_OF = (157, 167), (160, 164), (302, 261)
WAIT, WAIT_BY_KIND = (61, 260), (247, 95)
"""Those that depend on their arguments."""


def fault() -> str | None:
    """Why there is no filter here; None where there is one."""
    machine = platform.machine()
    return None if machine in MACHINES else f"expected {' or '.join(MACHINES)}, got {machine}"


def numbers(listed: str, column: int) -> list[int]:
    """The numbers that calls of a list have on the machine of a column, in order."""
    found = (call.split()[1 + column] for call in listed.split(", "))
    return sorted(int(number) for number in found if number != "-")


@cache
def program(machine: str) -> bytes | None:
    """The filter's instructions for a machine, as `platform.machine` names it; None where there is none."""
    if machine not in MACHINES:
        return None
    column, architecture = MACHINES[machine]
    # Every test jumps forward: over the rest of its own block, or to the end that it decides for.
    blocks = [
        _instruction(LOAD, ARCHITECTURE),
        *_unless(architecture, KILL),
        _instruction(LOAD, NUMBER),
        *_when(AT_LEAST, UNKNOWN, NO_SUCH_CALL),
        *(part for both, tests in _judged() for part in _for_call(both[column], tests)),
        *(part for run in _runs(numbers(", ".join(ALLOWED.values()), column)) for part in _within(*run)),
        *(part for number in numbers(MISSING, column) for part in _when(EQUAL, number, NO_SUCH_CALL)),
        _instruction(RETURN, DENY),
    ]
    return b"".join(blocks)


def _judged() -> Iterator[tuple[tuple[int, int], list[bytes]]]:
    """Each call that depends on its arguments, by its numbers, and the tests that end it or let it pass."""
    yield FCNTL, _only(1, DESCRIPTOR_COMMANDS)
    yield IOCTL, _only(1, DEVICE_REQUESTS)
    yield ADVISE, _only(2, MEMORY_ADVICE)
    waits = [part for value in SHARED_WAITS for part in _when(EQUAL, value, AGAIN)]
    yield FUTEX, [_low(1), *_when(ANY_BIT, OWN_WAIT, ALLOW), *waits, *_only(1, SHARED_WAKES)]
    yield ATTRIBUTE, _only(0, ATTRIBUTES)
    yield CLONE, [_low(0), *_when(ANY_BIT, WORD & ~CHILD_FLAGS, DENY)]
    shared, anonymous = _passes_without(SHARED_MAP), _when(ANY_BIT, ANONYMOUS_MAP, DENY)
    yield MAP, [_low(3), *_when(ANY_BIT, UNCOUNTED_MAP, DENY), *shared, *anonymous]
    yield SET_LIMIT, [_low(0), *_when(EQUAL, CORE, DENY)]
    yield SET_LIMIT_OF, [_low(1), *_unless(CORE, ALLOW), *_absent(2)]
    yield WAIT, _absent(3)
    yield WAIT_BY_KIND, _absent(4)


def _runs(ordered: Sequence[int]) -> list[tuple[int, int]]:
    """The first and the last of each run of numbers without a gap."""
    starts = [n for n in ordered if n - 1 not in ordered]
    ends = [n for n in ordered if n + 1 not in ordered]
    return list(zip(starts, ends, strict=True))


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


def _within(first: int, last: int) -> list[bytes]:
    """Allows the numbers from the first to the last."""
    allowed = _instruction(RETURN, ALLOW)
    return [_instruction(AT_LEAST, last + 1, 2, 0), _instruction(AT_LEAST, first, 0, 1), allowed]


def _absent(argument: int) -> list[bytes]:
    """Refuses the call unless an argument is 0 in both halves: a place that the system would write to."""
    halves = (_low(argument), _high(argument))
    return [part for half in halves for part in (half, *_when(ANY_BIT, WORD, DENY))]


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
