"""The bubblewrap sandbox: what of this machine an entry sees in it, and whether it can be had here."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

SCRATCH_BYTES = 512 << 20
"""The size of the scratch folder, of shared memory, and of any one file."""
ROOM_CAPABILITIES = ("CAP_SYS_ADMIN", "CAP_SYS_CHROOT", "CAP_SETPCAP")
"""What the worker needs inside to make rooms for cases; gone in a case before a line of the entry runs."""
DEVICES = ("null", "full", "random", "urandom")
"""Without zero: what is mapped of it to be shared is memory that no limit counts."""
NAME = "entry"
"""The sandbox's host and user name."""

INSTALL = "install it (Debian and Ubuntu: apt-get install bubblewrap) or choose --isolation process"
ALLOW = (
    "allow user namespaces for it (Ubuntu 24.04: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, "
    "or an AppArmor profile for bwrap with the rule userns) or choose --isolation process"
)


ELSEWHERE = (
    "no other system has user namespaces: score inside a Linux virtual machine, or a container that may make "
    "user namespaces (docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined), or choose --isolation process, which protects nothing"
)


def interpreter() -> str:
    """The interpreter outside any virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def interpreter_folder() -> Path:
    """The folder of the interpreter and its library, which a sandbox shows."""
    return Path(sys.base_prefix).resolve()


@cache
def bwrap_fault() -> str | None:
    """Why bubblewrap cannot run here and what to do about it; None when it can."""
    if sys.platform != "linux":
        return f"expected Linux, got {platform.system()}; {ELSEWHERE}"
    if shutil.which("bwrap") is None:
        return f"expected the program bwrap, got none on the PATH; {INSTALL}"
    try:
        command = [*sandbox({}), interpreter(), "-S", "-c", "pass"]
        tried = subprocess.run(command, env={}, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"expected bwrap to run, got {error}; {ALLOW}"
    if tried.returncode == 0:
        return None
    said = " ".join(tried.stderr.split()) or f"exit code {tried.returncode}"
    return f"expected bwrap to start Python, got: {said}; {ALLOW}"


def sandbox(mounts: Mapping[Path, str]) -> list[str]:
    """The bwrap command up to the program to run; `mounts` are shown read-only at the given places."""
    scratch = ("--perms", "1777", "--size", str(SCRATCH_BYTES), "--tmpfs")
    shown = [option for source, place in mounts.items() for option in ("--ro-bind", str(source), place)]
    return [
        shutil.which("bwrap") or "bwrap",
        *("--unshare-user", "--uid", "1000", "--gid", "1000"),
        *("--unshare-pid", "--as-pid-1", "--unshare-net", "--unshare-ipc", "--unshare-cgroup-try"),
        *("--unshare-uts", "--hostname", NAME),
        *("--cap-drop", "ALL", "--new-session", "--die-with-parent"),
        *(option for name in ROOM_CAPABILITIES for option in ("--cap-add", name)),
        *_system_mounts(),
        *("--proc", "/proc", "--tmpfs", "/dev", *_devices(), *scratch, "/dev/shm", *scratch, "/tmp"),
        *shown,
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp", "--"),
    ]


def _devices() -> Iterator[str]:
    """The options that show the devices any program needs; no terminals."""
    for name in DEVICES:
        yield from ("--dev-bind", f"/dev/{name}", f"/dev/{name}")


@cache
def _system_mounts() -> tuple[str, ...]:
    """The options that show the interpreter and the libraries it needs, and no more of the system."""
    options: list[str] = []
    for path in map(Path, ("/usr/lib", "/usr/lib64", "/usr/lib32", "/lib", "/lib64", "/lib32")):
        if path.is_symlink():
            options += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            options += ["--ro-bind", str(path), str(path)]
    prefix = str(interpreter_folder())
    options += ["--ro-bind", prefix, prefix]
    return (*options, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache")
