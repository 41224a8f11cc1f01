"""scripts/setup.sh on machines that lack something, told by what it prints and its exit code."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ("bash", "cat", "dirname", "id", "ln", "true")


def pretend(environment: dict[str, str], tool: str, script: str) -> None:
    """Puts a tool that does `script` on the machine."""
    path = Path(environment["PATH"]) / tool
    path.write_text(f"#!{shutil.which('bash')}\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine with a shell and next to nothing else.

    Tools are scripts that call the real ones, not links: writing over one reaches nothing outside tmp_path.
    """
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}
    for tool in TOOLS:
        pretend(environment, tool, f'exec {shutil.which(tool)} "$@"')
    return environment


def setup(environment: dict[str, str], *parts: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", str(ROOT / "scripts" / "setup.sh"), *parts],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("part", ["bubblewrap", "browser"])
def test_a_missing_part_is_said_and_is_an_error_in_ci(part: str, bare: dict[str, str]) -> None:
    at_home, in_ci = setup(bare, part), setup({**bare, "CI": "true"}, part)
    assert (at_home.returncode, in_ci.returncode) == (0, 2)
    assert "is missing" in at_home.stderr
    assert "left out" in at_home.stderr
    assert "In CI nothing may be left out." in in_ci.stderr


def test_what_is_missing_is_installed_where_it_can_be(bare: dict[str, str]) -> None:
    asked = Path(bare["PATH"]) / "asked"
    pretend(bare, "id", "echo 0")
    pretend(bare, "env", 'shift; exec "$@"')
    pretend(bare, "apt-get", f'echo "$@" >>{asked}; [ "$2" != -y ] || ln -s true {bare["PATH"]}/bwrap')
    assert setup({**bare, "CI": "true"}, "bubblewrap").returncode == 0
    assert asked.read_text(encoding="utf-8").splitlines() == [
        "-qq update",
        "-qq -y --no-install-recommends install bubblewrap",
    ]


def test_selection_leaves_out_what_the_machine_cannot_run(bare: dict[str, str]) -> None:
    assert setup(bare, "--selection").stdout == "not bwrap and not browser\n"
    pretend(bare, "bwrap", "exit 0")
    assert setup(bare, "--selection").stdout == "not browser\n"
    pretend(bare, "chromium", "exit 0")
    assert setup(bare, "--selection", "--browser").stdout == f"\n{bare['PATH']}/chromium\n"


def test_bubblewrap_without_leave_names_the_setting(bare: dict[str, str]) -> None:
    pretend(bare, "bwrap", "exit 1")
    assert "apparmor_restrict_unprivileged_userns" in setup(bare, "bubblewrap").stderr


def test_the_restriction_of_namespaces_is_lifted_in_ci_alone(bare: dict[str, str]) -> None:
    asked = Path(bare["PATH"]) / "asked"
    pretend(bare, "id", "echo 0")
    pretend(bare, "bwrap", f"[ -e {asked} ]")
    pretend(bare, "sysctl", f'echo "$@" >>{asked}')
    assert setup(bare, "bubblewrap").returncode == 0
    assert not asked.exists()
    assert setup({**bare, "CI": "true"}, "bubblewrap").returncode == 0
    assert asked.read_text(encoding="utf-8") == "-q -w kernel.apparmor_restrict_unprivileged_userns=0\n"


def test_ci_fails_where_the_restriction_cannot_be_lifted(bare: dict[str, str]) -> None:
    pretend(bare, "id", "echo 0")
    pretend(bare, "bwrap", "exit 1")
    pretend(bare, "sysctl", "exit 1")
    done = setup({**bare, "CI": "true"}, "bubblewrap")
    assert done.returncode == 2
    assert "may not make user namespaces" in done.stderr


def test_an_old_python_is_refused(bare: dict[str, str]) -> None:
    pretend(bare, "python3", "exit 1")
    done = setup(bare, "venv")
    assert done.returncode == 2
    assert done.stderr.startswith("setup: Python: expected 3.11 or newer, found none")


@pytest.mark.parametrize("parts", [(), ("everything",)])
def test_wrong_use_is_refused(parts: tuple[str, ...], bare: dict[str, str]) -> None:
    done = setup(bare, *parts)
    assert done.returncode == 2
    assert "expected" in done.stderr
