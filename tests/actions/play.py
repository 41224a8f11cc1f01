"""Stands in for actions and commands while act plays a workflow: notes each call, leaves what it would leave.

Its name, or after `play` its first argument, says for what it stands in. STAGE is the test's folder:
`repository` is what a checkout gives, `artifacts` what was uploaded, `exits.json` the exit codes of scripts,
`real.json` the scripts that are not played but run, `calls` the notes.
"""

import json
import os
import sys
from fnmatch import fnmatchcase
from pathlib import Path

STAGE = Path(os.environ["STAGE"])
TEMP = os.environ["RUNNER_TEMP"]
WATCHED = ("GITHUB_TOKEN", "LEADERBOARD_FRESH_KEY", "GIT_AUTHOR_NAME", "SITE_URL", "CI")
COMMIT = "c" * 40
PLAN = '{"jobs": "those of the test"}'


def note(*words: str) -> None:
    """Appends one call, in one write, since jobs run side by side."""
    seen = {name: os.environ[name] for name in WATCHED if name in os.environ}
    text = " ".join(words).replace(TEMP, "TEMP").replace(os.environ["GITHUB_OUTPUT"], "OUTPUT")
    text = text.replace(os.environ["GITHUB_STEP_SUMMARY"], "SUMMARY")
    line = {"job": os.environ["GITHUB_JOB"], "call": text, "seen": seen}
    with (STAGE / "calls").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def output(name: str, value: str) -> None:
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
        file.write(f"{name}={value}\n")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def copy(source: Path, target: Path) -> None:
    """Copies a folder's content, or a file, into `target`."""
    import shutil  # slow to import, and few calls need it

    target.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copy(source, target)


def checkout(ref: str, depth: str, persist: str, key: str) -> int:
    secret = f" key={key}" if key else ""
    note("checkout", f"{ref or 'the event'} depth={depth} persist={persist}{secret}")
    copy(STAGE / "repository", Path.cwd())
    output("commit", COMMIT)
    return 0


def upload_artifact(name: str, source: str, none: str) -> int:
    """An artifact's number is made of its name."""
    path = Path(source)
    found = path.is_file() or (path.is_dir() and any(path.iterdir()))
    note("upload", name, "" if found else "nothing")
    if not found:
        return none == "error"
    copy(path, STAGE / "artifacts" / name)
    output("artifact-id", f"number-of-{name}")
    return 0


def download_artifact(name: str, number: str, target: str, run: str, pattern: str) -> int:
    """As the real one: a single artifact goes straight into the folder, several get a folder each."""
    wanted = name or number.removeprefix("number-of-")
    note("download", wanted or pattern or "all", f"to {target}", f"of run {run}" if run else "")
    there = sorted((STAGE / "artifacts").iterdir()) if (STAGE / "artifacts").is_dir() else []
    parts = pattern.strip("{}").split(",") if pattern else [wanted or "*"]
    found = [path for path in there if any(fnmatchcase(path.name, part) for part in parts)]
    if wanted and not found:
        return 1
    for path in found:
        copy(path, Path(target) if len(found) == 1 else Path(target, path.name))
    return 0


def plan(options: dict[str, str]) -> None:
    shards = json.loads((STAGE / "shards.json").read_text(encoding="utf-8"))
    write(Path(options["--output"]), PLAN)
    with Path(options["--github-output"]).open("a", encoding="utf-8") as file:
        file.write(f"count={3 * len(shards)}\nshards={json.dumps(shards)}\n")


def gate(options: dict[str, str]) -> None:
    write(Path(options["--into"], "my_probe", "entry.toml"), "")
    print("accepted: my_probe")


def preview(options: dict[str, str]) -> None:
    write(Path(options["--output"], "preview.json"), "{}")
    write(Path(options["--output"], "summary.md"), "# Scores of my_probe\n")


def rescore(options: dict[str, str]) -> None:
    """Leaves what the test put into `scored`, otherwise a file that tells which shard it is."""
    if (STAGE / "scored").is_dir():
        copy(STAGE / "scored", Path(options["--output"]))
        return
    assert Path(options["--plan"]).read_text(encoding="utf-8") == PLAN
    write(Path(options["--output"], "track", "1.0", "entry", "results.json"), options["--shard"])


def verify(options: dict[str, str]) -> None:
    write(Path(options["--log"]), "{}")


def build_site(options: dict[str, str]) -> None:
    write(Path("public", "index.html"), "")


LEAVES = {
    "plan.py": plan,
    "gate.py": gate,
    "preview.py": preview,
    "rescore.py": rescore,
    "verify.py": verify,
    "build_site.py": build_site,
}
"""What scripts leave behind when they are not told to break."""
ACTIONS = {
    "checkout": checkout,
    "upload-artifact": upload_artifact,
    "download-artifact": download_artifact,
}


def command(name: str, *words: str) -> int:
    """Stands in for a command: exit code `n`; a code above 2 means that it broke before it left anything."""
    shown = " ".join([name, *words])
    note(shown)
    exits = json.loads((STAGE / "exits.json").read_text(encoding="utf-8"))
    if words and Path(words[0]).name in json.loads((STAGE / "real.json").read_text(encoding="utf-8")):
        paths = [path for path in os.environ["PATH"].split(os.pathsep) if path != str(STAGE / "tools")]
        os.environ.update(PATH=os.pathsep.join(paths), PYTHONPATH=str(Path.cwd()))
        os.execv(sys.executable, [sys.executable, *words])
    code = next((code for call, code in exits.items() if call in shown), 0)
    if words and (leave := LEAVES.get(Path(words[0]).name)) and (code <= 2 and name == "python"):
        leave(dict(zip(words, [*words[1:], ""], strict=True)))
    return int(code)


if __name__ == "__main__":
    called, arguments = Path(sys.argv[0]).name, sys.argv[1:]
    if called == "play":
        called, *arguments = arguments
        play = ACTIONS.get(called)
        sys.exit(play(*arguments) if play else command(called, *arguments))
    sys.exit(command(called, *arguments))
