#!/usr/bin/env bash
# Writes requirements.lock: the newest versions that pyproject.toml allows, as a fresh environment gets them.
# Builds of torch for graphics cards bring packages of their own; the lock names none, so it serves every build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" - >"$folder/wanted.txt" <<'PYTHON_END'
import tomllib

project = tomllib.load(open("pyproject.toml", "rb"))["project"]
print(*project["dependencies"], *project["optional-dependencies"]["dev"], sep="\n")
PYTHON_END
"$folder/bin/python" -m pip --disable-pip-version-check --quiet install --upgrade --requirement "$folder/wanted.txt"
{
  echo "# Every package of .venv, pinned. Made from pyproject.toml by \`make lock\`; do not edit by hand."
  "$folder/bin/python" -m pip freeze --all --exclude pip |
    grep --invert-match --ignore-case --extended-regexp '^(nvidia|cuda|triton)' |
    sed 's/+[a-z0-9.]*$//'
} >"$folder/lock"
mv "$folder/lock" requirements.lock
