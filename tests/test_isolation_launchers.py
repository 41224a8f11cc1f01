import errno
import json
import random
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.errors import IsolationError
from benchmark.isolation import bubblewrap, launchers, numeric
from benchmark.isolation.bubblewrap import bwrap_fault
from benchmark.isolation.host import CaseFailed, EntryCode
from benchmark.isolation.launchers import BWRAP, PROCESS, Launcher, choose
from benchmark.records import Status
from tests.isolated import CASES, LAUNCHERS, answer, detect, worker, written

PINNED = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "MALLOC_MMAP_THRESHOLD_": "268435456",
    "MALLOC_TRIM_THRESHOLD_": "536870912",
    "JOBLIB_MULTIPROCESSING": "0",
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_CBWR": "COMPATIBLE",
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}

DIAGNOSIS = """
import json, os, resource, socket, sys

def tried(action):
    try:
        return str(action())
    except OSError as error:
        return type(error).__name__

def write(path):
    return tried(lambda: open(path, "w").write("x"))

def filled(folder):
    size = 0
    for number in range(3):
        with open(f"{folder}/{number}", "wb") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, 384 << 20)
                size += 384
            except OSError:
                pass
    return size

def seen():
    return {
        "environment": dict(os.environ),
        "root": sorted(os.listdir("/")),
        "facts": sorted(os.listdir("/proc")),
        "processors": open("/proc/cpuinfo").read(),
        "memory": open("/proc/meminfo").read(),
        "hostname": socket.gethostname(),
        "read_only": [write(f"/{f}x") for f in ("", "entry/", "worker/", "packages/0/", "dev/", "proc/")],
        "scratch": [write(path) for path in ("/tmp/x", "/dev/shm/x")],
        "limits": [resource.getrlimit(getattr(resource, "RLIMIT_" + n)) for n in ("CORE", "FSIZE", "NPROC")],
        "sizes": [filled(folder) for folder in ("/tmp", "/dev/shm")],
    }
"""


def diagnosed(launcher: Launcher, folder: Path) -> dict[str, object]:
    """What an entry sees of its surroundings."""
    code = written(folder, "print(json.dumps(seen()))\nreturn 1", DIAGNOSIS)
    with worker(launcher, code) as run:
        return json.loads(run.examine(lambda call: call(detect())).output)


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_entry_sees_the_pins_and_no_other_variables(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADERBOARD_SECRET", "secret")
    monkeypatch.setattr(numeric, "_has_avx2", lambda: True)
    numeric.numeric_class.cache_clear()
    seen = diagnosed(launcher, tmp_path)["environment"]
    assert isinstance(seen, dict)
    assert {name: seen.pop(name, None) for name in PINNED} == PINNED
    assert set(seen) <= {"HOME", "TMPDIR", "USER", "LOGNAME", "LANG", "PWD", "LC_CTYPE"}
    numeric.numeric_class.cache_clear()


@pytest.mark.bwrap
def test_sandbox_shows_little_and_keeps_it(tmp_path: Path) -> None:
    seen = diagnosed(BWRAP, tmp_path)
    system = {"lib", "lib32", "lib64", "libx32", "usr", "etc", "dev", "proc", "tmp"}
    python = Path(bubblewrap.interpreter()).parts[1]
    assert set(seen["root"]) <= system | {python, "entry", "packages", "worker"}
    assert seen["facts"] == ["cpuinfo", "meminfo", "self"] and seen["hostname"] == "entry"
    assert seen["memory"] == Path("/proc/meminfo").read_text(encoding="ascii").splitlines(keepends=True)[0]
    processors = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines(keepends=True)
    assert seen["processors"] == "".join(line for line in processors if not line.startswith("cpu MHz"))
    assert seen["read_only"] == ["OSError"] * 6 and seen["scratch"] == ["1", "1"]
    processes = 512 + 2 * (1 + CASES)
    assert seen["limits"] == [[1] * 2, [512 << 20] * 2, [processes] * 2] and seen["sizes"] == [384] * 2


@pytest.mark.bwrap
def test_sandbox_holds_nothing_of_the_repository(tmp_path: Path) -> None:
    body = """
    for folder, _, files in os.walk("/"):
        if not folder.startswith((sys.base_prefix, "/proc", "/dev", "/etc", "/usr", "/lib", "/packages")):
            for name in files: print(folder, name)
    return 1
    """
    with worker(BWRAP, written(tmp_path, body, "import os, sys")) as run:
        printed = run.examine(lambda call: call(detect())).output.splitlines()
    inside = ("calls", "filter", "loading", "room", "supplies", "sweep", "watch", "worker")
    assert sorted(printed) == ["/entry method.py", *(f"/worker {name}.py" for name in inside)]


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_further_folders_can_be_imported_from(launcher: Launcher, tmp_path: Path) -> None:
    extra, own = tmp_path / "extra", tmp_path / "own"
    for folder, name in ((extra, "shared_models"), (own, "helper")):
        folder.mkdir()
        (folder / f"{name}.py").write_text("VALUE = 20\n", encoding="utf-8")
    code = written(own, "return shared_models.VALUE + helper.VALUE", "import shared_models, helper")
    with worker(launcher, replace(code, packages=(extra,))) as run:
        assert answer(run) == {"score": 40.0}


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_further_folders_cannot_hide_the_installed_packages(launcher: Launcher, tmp_path: Path) -> None:
    extra, own = tmp_path / "extra", tmp_path / "own"
    extra.mkdir()
    own.mkdir()
    (extra / "scipy.py").write_text("__version__ = 'ours'\n", encoding="utf-8")
    code = written(own, "return {'score': 1, 'flag': scipy.__version__ != 'ours'}", "import scipy")
    with worker(launcher, replace(code, packages=(extra,))) as run:
        assert answer(run)["flag"]


@pytest.mark.bwrap
def test_further_folders_are_read_only_in_a_sandbox(tmp_path: Path) -> None:
    extra, own = tmp_path / "extra", tmp_path / "own"
    for folder in (extra, own):
        folder.mkdir()
    (extra / "shared.py").write_text("VALUE = 20\n", encoding="utf-8")
    body = """
    try:
        open(shared.__file__, "a")
    except OSError as error:
        return error.errno
    """
    code = replace(written(own, body, "import shared"), packages=(extra,))
    with worker(BWRAP, code) as run:
        assert answer(run) == {"score": float(errno.EROFS)}


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_named_modules_are_imported_before_the_entry_is(launcher: Launcher, tmp_path: Path) -> None:
    extra, own = tmp_path / "extra", tmp_path / "own"
    for folder in (extra, own):
        folder.mkdir()
        (folder / "shared.py").write_text(f"import random\nrandom.random()\nFOLDER = {folder.name!r}\n")
    before = "import random, sys\nearly = 'shared' in sys.modules\nimport shared"
    body = "return {'score': random.random(), 'flag': early and shared.FOLDER == 'extra'}"
    code = replace(written(own, body, before), packages=(extra,), preload=("shared",))
    with worker(launcher, code) as run:
        got = answer(run)
    assert got == {"score": random.Random(0).random(), "flag": True}


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_named_module_that_cannot_be_imported_is_said(launcher: Launcher, tmp_path: Path) -> None:
    code = replace(written(tmp_path, "return 1"), preload=("nothing_of_this_name",))
    with worker(launcher, code) as run, pytest.raises(CaseFailed) as raised:
        answer(run)
    assert raised.value.status is Status.CRASHED
    assert raised.value.reason == "ModuleNotFoundError: No module named 'nothing_of_this_name'"


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_torch_is_pinned_if_the_entry_imports_it(launcher: Launcher, tmp_path: Path) -> None:
    fake = "settings = []\nset_num_threads = set_deterministic_debug_mode = settings.append\n"
    (tmp_path / "torch.py").write_text(fake, encoding="utf-8")
    body = "return {'score': 1, 'flag': 'torch' in sys.modules}"
    with worker(launcher, written(tmp_path, body, "import sys")) as run:
        assert not answer(run)["flag"]
    body = "return {'score': 1, 'flag': at_import == [1, 'error'] and torch.settings[-3:] == [8, 1, 'error']}"
    before = "import torch\nat_import = list(torch.settings)\ntorch.set_num_threads(8)"
    with worker(launcher, written(tmp_path, body, before)) as run:
        assert answer(run)["flag"]


@pytest.mark.parametrize("launcher", LAUNCHERS)
@pytest.mark.parametrize("preload", [(), ("torch",)], ids=["in a call", "before the entry"])
def test_torch_is_pinned_whenever_it_is_imported(
    launcher: Launcher, tmp_path: Path, preload: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    extra, own = tmp_path / "extra", tmp_path / "own"
    installed = launchers._packages()
    monkeypatch.setattr(launchers, "_packages", lambda: [extra, *installed])
    extra.mkdir()
    own.mkdir()
    fake = "settings = []\nset_num_threads = set_deterministic_debug_mode = settings.append\n"
    (extra / "torch.py").write_text(fake, encoding="utf-8")
    body = """
    loaded = "torch" in sys.modules
    import torch
    return {"score": int(loaded), "flag": torch.settings[-2:] == [1, "error"]}
    """
    code = replace(written(own, body, "import sys"), preload=preload)
    with worker(launcher, code) as run:
        assert answer(run) == {"score": float(bool(preload)), "flag": True}


def test_real_torch_is_pinned_in_a_call_and_looks_as_ever(tmp_path: Path) -> None:
    body = """
    assert "torch" not in sys.modules and importlib.util.find_spec("torch") is not None
    import torch
    assert type(torch.__loader__) is importlib.machinery.SourceFileLoader and inspect.getsource(torch)
    return {"score": torch.get_num_threads(), "flag": torch.are_deterministic_algorithms_enabled()}
    """
    code = written(tmp_path, body, "import importlib.machinery, importlib.util, inspect, sys")
    with worker(PROCESS, code, call=120.0, memory=4096) as run:
        assert answer(run) == {"score": 1.0, "flag": True}


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_failed_import_of_torch_is_no_more_than_that(launcher: Launcher, tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("import nothing_of_this_name\n", encoding="utf-8")
    body = """
    for _ in range(2):
        try:
            import torch
        except ModuleNotFoundError as error:
            missed.append(error.name)
    open(os.path.join(os.getcwd(), "torch.py"), "w").write("ours = True\\n")
    sys.path.insert(0, os.getcwd())
    import torch
    return {"score": len(missed), "flag": torch.ours and "torch" in sys.modules}
    """
    with worker(launcher, written(tmp_path, body, "import os, sys\nmissed = []")) as run:
        assert answer(run) == {"score": 2.0, "flag": True}


def test_choice_is_bwrap_where_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmark.isolation.launchers.bwrap_fault", lambda: None)
    assert choose("auto") is BWRAP and choose("bwrap") is BWRAP and choose("process") is PROCESS
    monkeypatch.setattr("benchmark.isolation.launchers.bwrap_fault", lambda: "expected this, got that")
    assert choose("auto") is PROCESS
    with pytest.raises(IsolationError, match="isolation bwrap: expected this, got that"):
        choose("bwrap")
    with pytest.raises(IsolationError, match="expected auto, bwrap or process, got 'docker'"):
        choose("docker")


@pytest.fixture
def fresh_probe(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(bubblewrap, "bwrap_fault", bwrap_fault.__wrapped__)
    return monkeypatch


def test_missing_bwrap_is_said_with_the_package(fresh_probe: pytest.MonkeyPatch) -> None:
    fresh_probe.setattr(shutil, "which", lambda name: None)
    fault = bubblewrap.bwrap_fault()
    assert fault is not None and "apt-get install bubblewrap" in fault


def test_other_systems_are_told_what_can_be_done(fresh_probe: pytest.MonkeyPatch) -> None:
    fresh_probe.setattr("sys.platform", "darwin")
    fresh_probe.setattr("platform.system", lambda: "Darwin")
    fault = bubblewrap.bwrap_fault()
    assert fault is not None and fault.startswith("expected Linux, got Darwin; no other system has")
    assert "Linux virtual machine" in fault and "--isolation process, which protects nothing" in fault


def test_refused_bwrap_is_said_with_the_switch(fresh_probe: pytest.MonkeyPatch) -> None:
    said = "bwrap: setting up uid map: Permission denied\n"
    refused = subprocess.CompletedProcess([], 1, "", said)
    fresh_probe.setattr(subprocess, "run", lambda *_, **__: refused)
    fresh_probe.setattr(shutil, "which", lambda name: "/usr/bin/bwrap")
    fault = bubblewrap.bwrap_fault()
    assert fault is not None and said.strip() in fault and "apparmor_restrict_unprivileged_userns=0" in fault
    assert "\n" not in fault


@pytest.mark.parametrize(
    ("machine", "avx2", "name"),
    [
        ("x86_64", True, "x86-64-avx2"),
        ("AMD64", True, "x86-64-avx2"),
        ("x86_64", False, "x86_64-native"),
        ("arm64", True, "arm64-native"),
    ],
)
def test_nothing_is_forced_on_other_processors(
    machine: str, avx2: bool, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    monkeypatch.setattr(numeric, "_has_avx2", lambda: avx2)
    monkeypatch.setattr(numeric, "numeric_class", numeric.numeric_class.__wrapped__)
    assert numeric.numeric_class() == name
    assert ("ATEN_CPU_CAPABILITY" in numeric.numeric_environment()) == (name == "x86-64-avx2")
    assert numeric.numeric_environment()["OMP_NUM_THREADS"] == "1"


def test_worker_that_cannot_start_is_no_fault_of_the_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmark.isolation.launchers.interpreter", lambda: "/nowhere/python")
    code = EntryCode(tmp_path, "detect", "detect", ("rows", "seed"))
    with worker(PROCESS, code) as run, pytest.raises(IsolationError, match="/nowhere/python"):
        answer(run)
