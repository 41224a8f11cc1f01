"""Makes the system calls that a sandbox has no use for, one by one."""

import ctypes

REFUSED = {
    "bpf": 321,
    "perf_event_open": 298,
    "userfaultfd": 323,
    "personality": 135,
    "kexec_load": 246,
    "init_module": 175,
    "reboot": 169,
    "swapon": 167,
    "acct": 163,
    "settimeofday": 164,
    "sethostname": 170,
    "syslog": 103,
    "iopl": 172,
    "kcmp": 312,
    "pivot_root": 155,
    "quotactl": 179,
    "fanotify_init": 300,
    "memfd_secret": 447,
    "process_madvise": 440,
    "sched_setaffinity": 203,
    "sched_setscheduler": 144,
    "setpriority": 141,
    "ioprio_set": 251,
    "mq_open": 240,
    "timer_create": 222,
    "seccomp": 317,
    "get_robust_list": 274,
    "syncfs": 306,
    "remap_file_pages": 216,
    "pkey_alloc": 330,
    "set_mempolicy": 238,
}


def detect(rows, seed):
    libc = ctypes.CDLL(None, use_errno=True)
    got = []
    for name, number in REFUSED.items():
        ctypes.set_errno(0)
        if libc.syscall(number, 0, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != 1:
            got.append(name)
    print(got)
    return len(got)
