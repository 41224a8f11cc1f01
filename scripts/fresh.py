"""Keys of fresh seeds: makes a new one, reveals an old one, checks those that are committed."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from benchmark import fresh, stored
from benchmark.audit import load_all
from benchmark.choose import selections
from benchmark.commands import ROOT, Exit, complain, near, run_one_of
from benchmark.errors import LeaderboardError, UsageError, raise_all
from benchmark.fresh import Commitment, Commitments
from benchmark.text import fault, printable, shown
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Track, Version

SECRET = "a secret until the version is retired"
PUBLIC = "revealed from the start: it shows how fresh scores work, and anyone can make its seeds"
KEEP = """\
Keep this key as the secret variable {variable}; it is shown once, and nobody can make it again:
{master}"""

Tracks = Annotated[
    list[str] | None, typer.Argument(help="Versions, KEY or KEY@VERSION; by default every current one.")
]
Results = Annotated[Path, typer.Option(help="Folder of the committed results.")]
RESULTS = ROOT / "results"


def new(
    tracks: Tracks = None,
    public: Annotated[
        bool, typer.Option("--public", help="Reveal it at once: for a trial that hides nothing.")
    ] = False,
    label: Annotated[str | None, typer.Option(help="What a reader should know of it, in a line.")] = None,
    same: Annotated[
        bool, typer.Option("--same", help=f"Make it of the key in {fresh.VARIABLE}: for a new version.")
    ] = False,
    results: Results = RESULTS,
) -> None:
    """Make a key, write its hash for each version, and print it once."""
    held = fresh.withdrawn()
    if same and (held is None or public):
        got = "--public too" if held else "nothing"
        raise UsageError(fault("--same", f"a secret key in {fresh.VARIABLE} to stay with", got, "set it"))
    if label is not None and (printable(label) != label or not 1 <= len(label) <= fresh.LABEL):
        wanted = f"one line of 1 to {fresh.LABEL} characters"
        raise UsageError(fault("--label", wanted, shown(label), "give another"))
    master = held if same and held else fresh.new_master()
    chosen = selections(tracks or TRACKS, TRACKS)
    before = {pair: _old(results, *pair) for pair in chosen}
    for (track, version), keys in before.items():
        key = fresh.key_of(master, track.key, version.number)
        if any(one.key_sha256 == fresh.sha256_of(key) for one in keys):
            name = f"{track.key}@{version.number}"
            raise UsageError(fault(name, "a version without this key", "one that has it", "leave it out"))
        commitment = fresh.secret(key, label or (PUBLIC if public else SECRET))
        if public:
            commitment = fresh.revealed(commitment, key)
        _write([*keys, commitment], results, track, version)
    if not public and not same:
        print(KEEP.format(variable=fresh.VARIABLE, master=master))


def reveal(
    tracks: Annotated[list[str], typer.Argument(help="Versions, KEY or KEY@VERSION.")],
    results: Results = RESULTS,
) -> None:
    """Write the key in the environment beside its hash, where nothing hangs on it any more."""
    master = fresh.withdrawn()
    if master is None:
        raise UsageError(fault(fresh.VARIABLE, "the key to reveal", "nothing", "set the variable"))
    faults: list[str] = []
    found: list[tuple[Track, Version, list[Commitment]]] = []
    for track, version in selections(tracks, TRACKS):
        try:
            found.append((track, version, _with_key(results, track, version, master)))
        except LeaderboardError as error:
            faults.extend(error.faults)
    raise_all(UsageError, faults)
    for track, version, keys in found:
        _write(keys, results, track, version)


def check(results: Results = RESULTS) -> None:
    """Check hashes, keys, and that fresh scores name them. Exit codes: 0 all valid, 1 not, 2 wrong use."""
    fresh.withdrawn()
    faults: list[str] = []
    revealed = hidden = 0
    for path in sorted(results.glob(f"*/*/{fresh.FILE_NAME}")):
        try:
            found = fresh.load(path)
        except LeaderboardError as error:
            faults.extend(error.faults)
            continue
        shown = sum(key.key is not None for key in found.keys)
        revealed, hidden = revealed + shown, hidden + len(found.keys) - shown
        faults.extend(_unknown(path, found))
    try:
        scored = sum(result.fresh is not None for result in load_all(results))
    except LeaderboardError as error:
        scored = 0
        faults.extend(line for line in error.faults if line not in faults)
    complain(faults)
    count = len(faults)
    print(
        f"checked {revealed} revealed and {hidden} secret keys and {scored} fresh scores: "
        f"{count or 'no'} fault{'' if count == 1 else 's'}"
    )
    raise typer.Exit(Exit.SHORT if faults else Exit.FINE)


def _unknown(path: Path, found: Commitments) -> Iterator[str]:
    """The fault of a file that is of no version there is."""
    track = TRACKS.get(found.track)
    if track is None or found.version not in {version.number for version in track.versions}:
        yield fault(path, "a version of a track", f"{found.track} {found.version}", "remove the file")


def _old(results: Path, track: Track, version: Version) -> Sequence[Commitment]:
    """The keys that a version has so far."""
    path = fresh.place_of(results, track.key, version.number)
    return fresh.load(path).keys if path.exists() else ()


def _with_key(results: Path, track: Track, version: Version, master: str) -> list[Commitment]:
    """A version's keys, the one that comes from `master` revealed. Raises UsageError when it must not be."""
    path = fresh.place_of(results, track.key, version.number)
    found = fresh.load(path)
    key = fresh.key_of(master, track.key, version.number)
    commitment = found.of(fresh.sha256_of(key))
    if commitment is None:
        hashes = " or ".join(one.key_sha256 for one in found.keys)
        raise UsageError(fault(fresh.VARIABLE, f"a key with hash {hashes}", "another", f"see {near(path)}"))
    if commitment is found.current and version is track.current:
        raise UsageError(
            fault(
                f"{track.key}@{version.number}",
                "a version that is retired, or a key with a newer one behind it",
                "the key of new scores",
                "make a new one first, with `fresh.py new`",
            )
        )
    return [fresh.revealed(one, key) if one is commitment else one for one in found.keys]


def _write(keys: Sequence[Commitment], results: Path, track: Track, version: Version) -> None:
    path = fresh.place_of(results, track.key, version.number)
    found = Commitments(schema=1, track=track.key, version=version.number, keys=list(keys))
    stored.write(found, path)
    print(f"wrote {near(path)}")


if __name__ == "__main__":
    run_one_of((new, reveal, check))
