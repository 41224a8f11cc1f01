"""Writes the folder of a new entry that runs as it is."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from benchmark.commands import ROOT, near, run
from benchmark.entries import id_fault
from benchmark.errors import UsageError, raise_all
from benchmark.scaffold import write_entry
from benchmark.text import did_you_mean, fault, shown
from benchmark.tracks import TRACKS

NEXT = """\
wrote {folder} (entry.toml, method.py)

Next:
  1. write your method in {folder}/method.py, and fill in {folder}/entry.toml
  2. check it:      .venv/bin/python scripts/check.py {folder}
  3. try it:        .venv/bin/python scripts/score.py {folder} --quick
  4. score it:      .venv/bin/python scripts/score.py {folder}
  5. open a pull request that adds contrib/{name} alone; CONTRIBUTING.md has the details"""


def main(
    name: Annotated[str, typer.Argument(help="The entry's id: 2 to 40 characters of a-z, 0-9 and _.")],
    track: Annotated[list[str], typer.Option(help="A track it takes part in; may be given several times.")],
    directory: Annotated[Path | None, typer.Option("--dir", help="The folder to put it in.")] = None,
) -> None:
    """Write the folder of a new entry that runs as it is; never overwrite one."""
    keys = tuple(dict.fromkeys(track))
    raise_all(UsageError, _faults(name, keys, directory))
    folder = near(directory or ROOT / "contrib") / name
    entry = write_entry(folder, [TRACKS[key] for key in keys])
    print(NEXT.format(folder=shlex.quote(folder.as_posix()), name=entry.id))


def _faults(name: str, keys: Sequence[str], directory: Path | None) -> Iterator[str]:
    if not name or Path(name).name != name:
        yield fault("NAME", "a name alone", shown(name), "give the folder with --dir")
    elif wrong := id_fault(Path(name)):
        yield wrong
    elif directory is not None and (ROOT / "contrib" / name).exists():
        yield fault("NAME", "an id that no entry in contrib/ has", shown(name), "choose another")
    for key in keys:
        if key not in TRACKS:
            yield fault("--track", "a track", shown(key), did_you_mean(key, TRACKS))


if __name__ == "__main__":
    run(main)
