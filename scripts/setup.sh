#!/usr/bin/env bash
# Makes a checkout ready to work in; at once when it is.
#
#   scripts/setup.sh PART...        PART: venv, bubblewrap, browser; what is missing is installed where it can be
#   scripts/setup.sh --browser      prints the path of a Chromium, or nothing
#   scripts/setup.sh --selection    prints the pytest expression that leaves out what this machine cannot run
#
# Exit code 0: ready, or what is missing and what that leaves out has been said; 2: it cannot be made ready.
# With CI=true nothing may be left out: a missing part is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly VENV=.venv
readonly LOCK=requirements.lock
readonly OLDEST_PYTHON=11 # of Python 3

say() { printf 'setup: %s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 2
}

# Ends in CI; elsewhere says what a missing part leaves out and goes on.
leave_out() {
  [ "${CI:-}" != true ] || fail "$* In CI nothing may be left out."
  say "$*"
}

# --- Debian and Ubuntu packages

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

can_install() {
  command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
}

lists_are_fresh=no

# Installs one package; fails where that is not possible.
install_package() {
  can_install || return 1
  if [ "$lists_are_fresh" = no ]; then
    say "updating the package lists"
    as_root apt-get -qq update >&2 || say "apt-get update failed; going on with the lists there are"
    lists_are_fresh=yes
  fi
  say "installing the system package $1"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$1" </dev/null >&2
}

# --- .venv

# The first Python that is new enough, by PYTHON or by name.
find_python() {
  local name names=(python3 python3.14 python3.13 python3.12 python3.11)
  [ -z "${PYTHON:-}" ] || names=("$PYTHON")
  for name in "${names[@]}"; do
    if "$name" -c "import sys; sys.exit(sys.version_info < (3, $OLDEST_PYTHON))" 2>/dev/null; then
      printf '%s\n' "$name"
      return
    fi
  done
  fail "Python: expected 3.$OLDEST_PYTHON or newer, found none; install it, or name it: make PYTHON=/path/to/python3"
}

# What .venv was made for: the lock, how this package is installed, this folder, this Python.
fingerprint() {
  "$1" - "$LOCK" pyproject.toml <<'PYTHON_END'
import hashlib, os, sys, tomllib

lock, about = (open(path, "rb").read() for path in sys.argv[1:])
about = tomllib.loads(about.decode())
installed = (about["project"], about["build-system"], about["tool"]["setuptools"])
print(hashlib.sha256(repr((lock, installed, os.getcwd(), sys.version)).encode()).hexdigest())
PYTHON_END
}

make_environment() {
  local python=$1
  if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    local package
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    install_package "$package" || fail "$python cannot make a virtual environment; install $package"
  fi
  rm -rf "$VENV"
  "$python" -m venv "$VENV"
}

# Written last, the stamp says that .venv is whole: one that an interrupt left half made is made again.
setup_venv() {
  local python wanted stamp=$VENV/.made-for
  python=$(find_python)
  wanted=$(fingerprint "$python")
  if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && [ -x "$VENV/bin/python" ]; then return; fi
  say "making $VENV from $LOCK (a few minutes)"
  make_environment "$python"
  local pip=("$VENV/bin/python" -m pip --disable-pip-version-check --quiet)
  "${pip[@]}" install --requirement "$LOCK" </dev/null
  "${pip[@]}" install --no-deps --no-build-isolation --editable . </dev/null
  "${pip[@]}" check
  printf '%s\n' "$wanted" >"$stamp"
}

# --- Isolation

isolates() {
  bwrap --unshare-user --unshare-pid --unshare-net --ro-bind / / true 2>/dev/null
}

readonly RESTRICTION=kernel.apparmor_restrict_unprivileged_userns

# Ubuntu lets AppArmor refuse user namespaces. In CI the machine is thrown away, so this lifts that; elsewhere it is not
# for a script to loosen somebody's machine.
allow_namespaces() {
  [ "${CI:-}" = true ] && command -v bwrap >/dev/null || return 0
  say "letting bubblewrap make user namespaces: sysctl -w $RESTRICTION=0"
  as_root sysctl -q -w "$RESTRICTION=0" >&2 || say "that failed"
}

setup_bubblewrap() {
  if isolates; then return; fi
  if ! command -v bwrap >/dev/null; then install_package bubblewrap || true; fi
  if isolates; then return; fi
  allow_namespaces
  if isolates; then return; fi
  local why="bubblewrap is missing (Debian and Ubuntu: apt-get install bubblewrap)"
  if command -v bwrap >/dev/null; then
    why="bubblewrap may not make user namespaces (Ubuntu: sysctl -w $RESTRICTION=0)"
  fi
  leave_out "$why: entries run without isolation ('--isolation process'), fit only for code you trust," \
    "and tests marked 'bwrap' are left out."
}

# --- Browser

find_browser() {
  local name names=(chromium chromium-browser google-chrome-stable google-chrome)
  [ -z "${CHROMIUM:-}" ] || names=("$CHROMIUM")
  for name in "${names[@]}"; do
    # `--version` because Ubuntu's chromium-browser may be a script that only asks for a snap.
    if "$name" --version >/dev/null 2>&1; then
      command -v "$name"
      return
    fi
  done
  # The one that playwright fetched.
  name=$("$VENV/bin/python" -c \
    'from playwright.sync_api import sync_playwright as s
with s() as p: print(p.chromium.executable_path)' 2>/dev/null) || return 0
  if [ -x "$name" ]; then printf '%s\n' "$name"; fi
}

setup_browser() {
  if [ -n "$(find_browser)" ]; then return; fi
  install_package chromium || true
  if [ -n "$(find_browser)" ]; then return; fi
  leave_out "Chromium is missing (Debian: apt-get install chromium; elsewhere:" \
    "$VENV/bin/python -m playwright install --with-deps chromium): tests marked 'browser' are left out."
}

# --- Command line

selection() {
  local expression=""
  if ! isolates; then expression="not bwrap"; fi
  if [ -z "$(find_browser)" ]; then expression="${expression:+$expression and }not browser"; fi
  printf '%s\n' "$expression"
}

[ $# -gt 0 ] || fail "expected at least one of: venv, bubblewrap, browser, --browser, --selection"
for part in "$@"; do
  case $part in
    venv) setup_venv ;;
    bubblewrap) setup_bubblewrap ;;
    browser) setup_browser ;;
    --browser) find_browser ;;
    --selection) selection ;;
    *) fail "expected venv, bubblewrap, browser, --browser or --selection, got '$part'" ;;
  esac
done
