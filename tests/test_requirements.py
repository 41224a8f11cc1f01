import base64
import hashlib
import importlib.metadata
import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import pytest

from benchmark import requirements
from benchmark.errors import EntryError, PackageIndexError
from benchmark.requirements import installed

ROOT = Path(__file__).resolve().parents[1]
NUMPY = numpy.__version__


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that is all pip finds packages in: no index, no settings of this machine."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def wheel(folder: Path, name: str, needs: Sequence[str] = (), version: str = "1.0") -> None:
    """Writes a wheel of one module that holds its version, by hand."""
    info = f"{name}-{version}.dist-info"
    metadata = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}"]
    files = {
        f"{name}.py": f"VERSION = {version!r}\n",
        f"{info}/METADATA": "\n".join([*metadata, *(f"Requires-Dist: {need}" for need in needs)]) + "\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(_record(*item) for item in files.items()) + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)


def _record(path: str, text: str) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(text)}\n"


def pinned(tmp_path: Path, *lines: str) -> Path:
    """The requirements.txt, with these lines, of an entry `some_entry`."""
    path = tmp_path / "some_entry" / "requirements.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def faults(tmp_path: Path, *lines: str) -> list[str]:
    """What is wrong with these lines, without the path."""
    path = pinned(tmp_path, *lines)
    with pytest.raises(EntryError) as error:
        installed(path, tmp_path / "cache")
    return [line.removeprefix(path.as_posix()) for line in error.value.faults]


def left(tmp_path: Path) -> list[str]:
    """The names of all in the cache's folder of packages, hidden ones too."""
    return sorted(os.listdir(tmp_path / "cache" / "packages"))


def imported(folder: Path, module: str) -> str:
    """The version of a module of ours that another interpreter, with no packages but these, imports."""
    code = f"import sys; sys.path.append({str(folder)!r}); import {module}; print({module}.VERSION)"
    command = [sys.executable, "-I", "-S", "-B", "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_nothing_pinned_makes_nothing(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert installed(tmp_path / "requirements.txt", cache) is None
    assert installed(pinned(tmp_path, "# none", "", "  # yet"), cache) is None
    assert not cache.exists()


def test_pins_are_installed_once(
    tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel(wheels, "upper")
    wheel(wheels, "lower", ["upper>=1", "numpy", "absent; extra == 'dev'", "absent; python_version < '3'"])
    path = pinned(tmp_path, "lower==1.0", "upper==1.0  # for lower")
    folder = installed(path, tmp_path / "cache")
    assert folder is not None and (tmp_path / "cache" / "packages").samefile(folder.parent)
    assert (imported(folder, "lower"), imported(folder, "upper")) == ("1.0", "1.0")
    assert left(tmp_path) == [folder.name]
    assert not list(folder.rglob("__pycache__"))
    told = f"installing lower==1.0, upper==1.0 for some_entry into {folder}\n"
    assert capsys.readouterr() == ("", told)

    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert installed(path, tmp_path / "cache") == folder
    assert capsys.readouterr() == ("", "")


def test_the_folder_is_of_the_pins_in_any_order_and_spelling(tmp_path: Path, wheels: Path) -> None:
    for name in ("some_one", "two"):
        wheel(wheels, name)
    wheel(wheels, "two", version="2.0")
    cache = tmp_path / "cache"
    first = installed(pinned(tmp_path, "some-one==1.0", "two==1.0"), cache)
    target = [sysconfig.get_config_var("EXT_SUFFIX"), sysconfig.get_platform()]
    by_hand = json.dumps([*target, "some-one==1.0", "two==1.0"])
    assert first is not None and first.name == hashlib.sha256(by_hand.encode()).hexdigest()
    assert installed(pinned(tmp_path, "# why", "two==1.0", "Some_One==1.0  # what"), cache) == first
    other = installed(pinned(tmp_path, "some-one==1.0", "two==2.0"), cache)
    assert other is not None and imported(other, "two") == "2.0"
    assert left(tmp_path) == sorted([first.name, other.name])


def test_a_package_that_is_there_already_is_left_out(tmp_path: Path, wheels: Path) -> None:
    wheel(wheels, "one")
    alone = installed(pinned(tmp_path, "one==1.0"), tmp_path / "cache")
    assert installed(pinned(tmp_path, f"NumPy=={NUMPY}", "one==1.0"), tmp_path / "cache") == alone
    assert installed(pinned(tmp_path, f"numpy=={NUMPY}"), tmp_path / "cache") is None


def test_other_versions_of_what_is_there_are_refused_all_at_once(tmp_path: Path) -> None:
    scipy = importlib.metadata.version("scipy")
    step = "remove the line, and use that version"
    assert faults(tmp_path, "numpy==1.0", "one==1.0", "SciPy==0.1") == [
        f":1: expected numpy {NUMPY}, which every entry has, got 1.0; {step}",
        f":3: expected scipy {scipy}, which every entry has, got 0.1; {step}",
    ]
    assert not (tmp_path / "cache").exists()


def test_lines_that_are_no_pins_are_refused(tmp_path: Path) -> None:
    first, second = faults(tmp_path, "one", "two>=1")
    assert first.startswith(":1: expected an exact pin name==version")
    assert second.startswith(":2: expected an exact pin name==version")


def test_all_that_the_packages_lack_is_named(tmp_path: Path, wheels: Path) -> None:
    wheel(wheels, "lower", ["absent>=2,<3", "upper>1", "numpy<1"])
    wheel(wheels, "upper", ["gone", "what is this"])
    lower, upper = "which lower 1.0 needs", "which upper 1.0 needs"
    found = faults(tmp_path, "upper==1.0", "lower==1.0")
    assert found[:4] == [
        f": expected absent<3,>=2, {lower}, got none; add a line absent==VERSION",
        f": expected upper>1, {lower}, got upper 1.0; pin versions that go together",
        f": expected numpy<1, {lower}, got numpy {NUMPY}; pin versions that go together",
        f": expected gone, {upper}, got none; add a line gone==VERSION",
    ]
    (unreadable,) = found[4:]
    assert unreadable.startswith(": expected requirements of upper 1.0 that can be read, got ")
    assert left(tmp_path) == []


def test_a_cached_folder_is_checked_against_what_is_there_now(
    tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(wheels, "lower", ["numpy"])
    path = pinned(tmp_path, "lower==1.0")
    assert installed(path, tmp_path / "cache")
    every = importlib.metadata.distributions

    def less(**options: Any) -> list[importlib.metadata.Distribution]:
        return [one for one in every(**options) if one.name != "numpy"]

    monkeypatch.setattr(requirements, "distributions", less)
    assert faults(tmp_path, "lower==1.0") == [
        ": expected numpy, which lower 1.0 needs, got none; add a line numpy==VERSION"
    ]


def test_source_is_never_built(tmp_path: Path, wheels: Path) -> None:
    source = tmp_path / "one-1.0"
    source.mkdir()
    (source / "setup.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    (source / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: one\nVersion: 1.0\n")
    with zipfile.ZipFile(wheels / "one-1.0.zip", "w") as archive:
        for path in source.iterdir():
            archive.write(path, f"one-1.0/{path.name}")
    (fault,) = faults(tmp_path, "one==1.0")
    assert fault.startswith(": expected packages that pip can install, got pip: Could not find a version")
    assert "No matching distribution found for one==1.0; pin versions that exist and have a wheel" in fault
    assert left(tmp_path) == []
    assert not (tmp_path / "ran").exists()


def test_a_failed_install_leaves_nothing(tmp_path: Path, wheels: Path) -> None:
    wheel(wheels, "good")
    (wheels / "torn-1.0-py3-none-any.whl").write_bytes(b"PK\3\4 and no more")
    (fault,) = faults(tmp_path, "good==1.0", "torn==1.0")
    assert fault.startswith(": expected packages that pip can install, got pip: ")
    assert "torn" in fault and "is invalid" in fault
    assert left(tmp_path) == []
    wheel(wheels, "torn")
    assert installed(pinned(tmp_path, "good==1.0", "torn==1.0"), tmp_path / "cache")


def test_no_network_is_named(tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    (fault,) = faults(tmp_path, "one==1.0")
    assert "got no connection to the package index (pip: " in fault
    assert fault.endswith("; check the network, then try again")
    with pytest.raises(PackageIndexError):
        installed(pinned(tmp_path, "one==1.0"), tmp_path / "cache")


def test_pip_has_a_time_limit(tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "LIMIT", 0.01)
    (fault,) = faults(tmp_path, "one==1.0")
    assert "got no end within 0.01 s; check the network" in fault
    assert left(tmp_path) == []


def test_the_cache_has_to_be_a_folder(tmp_path: Path, wheels: Path) -> None:
    (tmp_path / "cache").write_text("")
    (fault,) = faults(tmp_path, "one==1.0")
    assert fault.startswith(f"{(tmp_path / 'cache').as_posix()}/packages/")
    assert "expected a folder that can be made, got " in fault


def test_two_processes_at_once_get_the_same_folder(tmp_path: Path, wheels: Path) -> None:
    wheel(wheels, "one")
    path = pinned(tmp_path, "one==1.0")
    code = "import sys; from pathlib import Path; from benchmark.requirements import installed; "
    code += "print(installed(*map(Path, sys.argv[1:])))"
    command = [sys.executable, "-c", code, str(path), str(tmp_path / "cache")]
    runs = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    folders = {run.communicate()[0].strip() for run in runs}
    assert [run.returncode for run in runs] == [0, 0]
    assert len(folders) == 1
    (folder,) = folders
    assert left(tmp_path) == [Path(folder).name]
    assert imported(Path(folder), "one") == "1.0"


def test_the_first_to_finish_wins(tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel(wheels, "one")
    path, cache = pinned(tmp_path, "one==1.0"), tmp_path / "cache"
    rename = os.rename

    def late(made: Path, folder: Path) -> None:
        monkeypatch.setattr(os, "rename", rename)
        first = installed(path, cache)
        assert first == folder
        (folder / "first").touch()
        rename(made, folder)

    monkeypatch.setattr(os, "rename", late)
    folder = installed(path, cache)
    assert folder is not None and (folder / "first").exists()
    assert left(tmp_path) == [folder.name]


def test_what_a_killed_run_left_does_no_harm(tmp_path: Path, wheels: Path) -> None:
    wheel(wheels, "one")
    torn = tmp_path / "cache" / "packages" / ".new-torn" / "packages"
    torn.mkdir(parents=True)
    (torn / "one.py").write_text("VERSION = 'torn'\n")
    folder = installed(pinned(tmp_path, "one==1.0"), tmp_path / "cache")
    assert folder is not None and imported(folder, "one") == "1.0"
