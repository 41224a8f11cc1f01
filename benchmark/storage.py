"""Where a result is written, so that a lesser one never takes the place of one that is worth more."""

from pathlib import Path
from tempfile import TemporaryFile

from benchmark import gallery
from benchmark.audit import load
from benchmark.errors import ResultError, UsageError
from benchmark.records import Arrays
from benchmark.results import Fresh, Result, save


def usable(folder: Path) -> None:
    """Makes `folder` where it is missing. Raises UsageError when nothing can be written in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        got = error.strerror or "an error"
        raise UsageError(
            f"--output: expected a folder to write to, got {folder}: {got}; choose another"
        ) from None


def keep(result: Result, pictures: Arrays | None, folder: Path) -> Path:
    """Writes a result below `folder` and says where: beside the one in its place if that is worth more.

    pictures: its gallery, which goes beside it; None where it has none.
    """
    place = folder / result.place
    if (old := _complete(place)) and _worth_more(old, result):
        place = place.with_name(_other_name(result))
    return write(result, pictures, place)


def commit(result: Result, pictures: Arrays | None, results: Path, scores: Path) -> Path:
    """Writes a full public result below `results` and says where.

    A failed run of an entry whose complete result stands there goes below `scores` instead, unless
    the entry has changed since: then its failure is what there is to say of it. A fresh score of the same
    entry, data and metrics is kept, unless the result brings one.
    """
    old = _complete(results / result.place)
    if old and result.status == "incomplete" and old.digests.entry == result.digests.entry:
        return keep(result, pictures, scores)
    if old and result.fresh is None and rest_on_the_same(old, result):
        result = result.model_copy(update={"fresh": old.fresh})
    return write(result, pictures, results / result.place)


def commit_fresh(result: Result, fresh: Fresh, results: Path) -> Path:
    """Writes a committed result again, with its fresh score, and says where."""
    place = results / result.place
    save(result.model_copy(update={"fresh": fresh}), place)
    return place


def rest_on_the_same(old: Result, new: Result) -> bool:
    """Whether two results are of the same entry, data and metrics."""
    names = ("entry", "suite", "scorer")
    return all(getattr(old.digests, name) == getattr(new.digests, name) for name in names)


def write(result: Result, pictures: Arrays | None, place: Path) -> Path:
    """Writes a result at `place`, whatever is there, and its gallery beside it, or takes away an older one.

    Stopped at any moment, it leaves the old pair or the new one.
    """
    beside = gallery.place_of(place)
    if pictures is not None:
        gallery.save(pictures, beside)
    save(result, place)
    gallery.settle(beside, result.digests.gallery)
    return place


def _complete(place: Path) -> Result | None:
    """The valid and complete result at `place`, if there is one."""
    try:
        old = load(place)
    except ResultError:
        return None
    return old if old.status == "complete" else None


def _worth_more(old: Result, new: Result) -> bool:
    """Whether a complete result is worth more than another: one that failed, or of fewer or other cases."""
    return new.status == "incomplete" or (_is_partial(new) and not _is_partial(old))


def _is_partial(result: Result) -> bool:
    return result.suite == "quick" or result.seed_offset > 0


def _other_name(result: Result) -> str:
    """Such as `results-quick.json`, `results-offset-3.json` or `results-failed.json`."""
    words = {
        "quick": result.suite == "quick",
        f"offset-{result.seed_offset}": result.seed_offset > 0,
        "failed": result.status == "incomplete",
    }
    return "-".join(["results", *(word for word, said in words.items() if said)]) + ".json"
