"""Reading results that may be wrong: every number is derived again before it is believed."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from benchmark import fresh, gallery
from benchmark.digests import scorer_digest
from benchmark.errors import ResultError, raise_all
from benchmark.metrics import METRICS
from benchmark.records import CaseKey, Kind, Status
from benchmark.results import FILE_NAME, Fresh, Result, Row, parse
from benchmark.summary import intervals, values
from benchmark.text import did_you_mean
from benchmark.tracks import TRACKS
from benchmark.tracks.figures import FIGURES
from benchmark.tracks.spec import Version

Intervals = Mapping[str, tuple[float, float]]
SLACK = 1e-9
"""How far a stored number may be from the one derived from its rows."""


def load(path: Path) -> Result:
    """The result in the file at `path`, every number of it derived again from its rows.

    Raises ResultError with all faults: of the file, of its fields, against its track's version.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ResultError(
            f"{path}: expected a readable file, got: {error.strerror}; check the path"
        ) from None
    result = parse(content, str(path))
    found = [*(f"{path}: {fault}" for fault in faults(result)), *_gallery_faults(result, path)]
    raise_all(ResultError, [*found, *fresh.faults_of(result, path)])
    return result


def _gallery_faults(result: Result, path: Path) -> Iterator[str]:
    """What is wrong with the pictures beside a result, or with their absence."""
    place = gallery.place_of(path)
    if result.digests.gallery is None:
        if place.exists():
            yield f"{place}: expected no file, as {path.name} names no gallery; remove it or score again"
        return
    try:
        pictures = gallery.load(place, result.digests.gallery)
    except ResultError as error:
        yield from error.faults
        return
    figures = {row.case: row.__pydantic_extra__ for row in result.details.per_dataset}
    yield from (f"{place}: {fault}; score the entry again" for fault in gallery.faults(pictures, figures))


def load_all(root: Path) -> list[Result]:
    """Every result below `root` (<track>/<version>/<entry>/results.json), sorted by place.

    Raises ResultError with the faults of all files, a file in another entry's place among them.
    """
    found: list[Result] = []
    wrong: list[str] = []
    for path in sorted(root.glob(f"*/*/*/{FILE_NAME}")):
        try:
            result = load(path)
        except ResultError as error:
            wrong.extend(error.faults)
            continue
        wrong.extend(misplaced(result, path, root))
        found.append(result)
    wrong.extend(disagreements(found))
    raise_all(ResultError, wrong)
    return found


def disagreements(results: Sequence[Result]) -> Iterator[str]:
    """The results of one version that say other things of a case's truth than the first one does.

    What is measured on a model may differ between machines, but the rows of one table must rest on one truth:
    the same kinds, and figures that differ by no more than the track's tolerance.
    """
    first: dict[tuple[str, str, str], tuple[Row, str]] = {}
    for result in results:
        if result.track not in TRACKS or is_stale(version_of(result), result):
            continue
        truth, tolerance = version_of(result).truth, TRACKS[result.track].tolerance
        for row in (row for row in result.details.per_dataset if row.status is Status.OK):
            place = (result.track, result.version, row.case)
            other, entry = first.setdefault(place, (row, result.entry))
            named = [name for name in truth if abs(_figure(row, name) - _figure(other, name)) > tolerance]
            for name in [*(["kind"] if row.kind is not other.kind else []), *named]:
                yield (
                    f"{result.place}: {row.case}: expected {name} as {entry} has it, got another; "
                    "score both on one machine"
                )


def _figure(row: Row, name: str) -> float:
    return row.__pydantic_extra__.get(name, 0.0)


def misplaced(result: Result, path: Path, root: Path) -> Iterator[str]:
    """The faults of a committed result's place and of what may be committed at all."""
    if path.relative_to(root) != result.place:
        yield f"{path}: entry, track and version say {result.place}; move the file there or score again"
    if result.suite != "full" or result.seed_offset:
        yield (
            f"{path}: expected the full public suite, got suite {result.suite!r} with seed_offset "
            f"{result.seed_offset}; score without --quick and --seed-offset"
        )
    if result.environment.isolation != "bwrap":
        yield f"{path}: expected isolation bwrap, got {result.environment.isolation}; score with --commit"


def faults(result: Result) -> Iterator[str]:
    """What is wrong with a result, one line each, against the version of the track it names.

    A stale result is not derived again: other data or metrics than today's made it.
    """
    track = TRACKS.get(result.track)
    if track is None:
        yield f"track: expected a track, got {result.track!r}; {did_you_mean(result.track, TRACKS)}"
        return
    version = next((v for v in track.versions if v.number == result.version), None)
    if version is None:
        known = ", ".join(v.number for v in track.versions)
        yield f"version: expected one of {known} for {track.key}, got {result.version!r}; score it again"
        return
    if is_stale(version, result):
        return
    wrong_rows = [*_row_faults(result, version)]
    yield from wrong_rows
    if not wrong_rows:
        yield from _number_faults(result, version)
    yield from _fresh_faults(result, version)
    yield from _determinism_faults(result)


def _row_faults(result: Result, version: Version) -> Iterator[str]:
    keys = {key.id: key for key in version.keys(result.suite, result.seed_offset)}
    rows = result.details.per_dataset
    if [row.case for row in rows] != list(keys):
        yield (
            f"details.per_dataset: expected the {len(keys)} cases of the {result.suite} suite in order, "
            f"got {len(rows)} rows that differ; score the entry again"
        )
        return
    for row in rows:
        key = keys[row.case]
        where = f"details.per_dataset {row.case}"
        if (row.variant, row.strength, row.seed) != (key.variant, key.strength, key.seed):
            yield f"{where}: variant, strength and seed differ from the case id; score the entry again"
        yield from (f"{where}: {fault}" for fault in _kind_faults(row, key, version))
        yield from (f"{where}: {fault}" for fault in _answer_faults(row, version))
    if result.timing.per_case.keys() - keys.keys():
        yield "timing.per_case: names cases that the suite does not have; score the entry again"
    answered = [_answers(row) for row in rows if row.status is Status.OK]
    if version.pictured and result.digests.gallery is None and any(version.pictured in a for a in answered):
        yield f"digests.gallery: expected one, as rows have {version.pictured}, got none; score it again"
    for name in version.optional:
        if len({name in given for given in answered}) > 1:
            yield (f"details.per_dataset: {name}: expected for every case or for none; score the entry again")


def _answers(row: Row) -> set[str]:
    """The names of all that a row holds of an answer: `score`, `flag`, and its figures."""
    held = {"score": row.score, "flag": row.flag, **row.__pydantic_extra__}
    return {name for name, value in held.items() if value is not None}


def _kind_faults(row: Row, key: CaseKey, version: Version) -> Iterator[str]:
    """Whether a row's kind is what its case was meant to be, or what was measured on it says."""
    if version.kind_of is None:
        expected = {key.kind}
    elif row.status is Status.OK and set(version.truth) <= _answers(row):
        expected = {version.kind_of(key.kind, row.__pydantic_extra__)}
    else:
        expected = {key.kind} if key.kind is Kind.NULL else {Kind.SHORTCUT, Kind.AMBIGUOUS}
    if row.kind not in expected:
        wanted = " or ".join(repr(kind.value) for kind in sorted(expected))
        yield f"kind: expected {wanted}, got {row.kind.value!r}; score the entry again"


def _answer_faults(row: Row, version: Version) -> Iterator[str]:
    if (row.status is Status.OK) != (row.reason is None):
        yield f"reason: expected one exactly when it failed, got {row.reason!r} with {row.status.value!r}"
    given = _answers(row)
    if row.status is not Status.OK:
        if given:
            yield f"expected no score, flag or figure with status {row.status.value!r}"
        return
    must = {*version.answers, *version.truth}
    if missing := must - given:
        yield f"expected {', '.join(sorted(missing))}, got none; score the entry again"
    if unknown := given - must - set(version.optional):
        known = ", ".join((*version.answers, *version.truth, *version.optional))
        yield f"expected nothing but {known}, got {', '.join(sorted(unknown))}"
    else:
        yield from _figure_faults(row.__pydantic_extra__)


def _figure_faults(figures: Mapping[str, float]) -> Iterator[str]:
    """The figures of a case that cannot be, by themselves or beside one another."""
    for name, value in figures.items():
        figure = FIGURES[name]
        if not figure.holds(value):
            yield f"{name}: expected a value it can have, got {value}; score the entry again"
        most = figures.get(figure.within, value)
        if value > most + SLACK:
            yield f"{name}: expected at most {figure.within} ({most}), got {value}; score the entry again"


def _number_faults(result: Result, version: Version) -> Iterator[str]:
    outcomes = result.outcomes
    derived = values(version, outcomes)
    complete = all(outcome.status is Status.OK for outcome in outcomes)
    if (result.status == "complete") != complete:
        expected = "complete" if complete else "incomplete"
        yield f"status: expected {expected!r} by its rows, got {result.status!r}"
    yield from _unequal("metrics", result.metrics, derived.metrics)
    if result.reasons.keys() != derived.reasons.keys():
        wanted, got = (", ".join(sorted(names)) or "none" for names in (derived.reasons, result.reasons))
        yield f"reasons: expected one for each of {wanted}, got {got}; score the entry again"
    yield from _unequal("details.by_strength", _flat(result.details.by_strength), _flat(derived.by_strength))
    derived_intervals = intervals(version, outcomes)
    yield from _interval_faults(result, derived_intervals.keys())
    yield from _interval_value_faults(result, derived_intervals)


def _interval_faults(result: Result | Fresh, wanted_names: Collection[str]) -> Iterator[str]:
    if result.intervals.keys() != set(wanted_names):
        wanted, got = (", ".join(sorted(names)) or "none" for names in (wanted_names, result.intervals))
        yield f"intervals: expected one for each of {wanted}, got {got}; score the entry again"
    for name, (low, high) in result.intervals.items():
        metric = METRICS.get(name)
        if metric and not metric.low <= low <= high <= metric.high:
            yield (
                f"intervals.{name}: expected low <= high within [{metric.low:g}, {metric.high:g}], "
                f"got [{low}, {high}]; score the entry again"
            )


def _fresh_faults(result: Result, version: Version) -> Iterator[str]:
    """What can be told of a fresh score without its rows: names, ranges, and no value without an interval."""
    if (found := result.fresh) is None:
        return
    if found.metrics.keys() != set(version.metrics):
        wanted, got = (", ".join(sorted(names)) or "none" for names in (version.metrics, found.metrics))
        yield f"fresh.metrics: expected {wanted}, got {got}; score it with --fresh"
        return
    for name, value in found.metrics.items():
        metric = METRICS[name]
        if value is not None and not metric.low <= value <= metric.high:
            yield (
                f"fresh.metrics.{name}: expected a number within [{metric.low:g}, {metric.high:g}], "
                f"got {value}; score it with --fresh"
            )
    nulls = {name for name, value in found.metrics.items() if value is None}
    if found.reasons.keys() != nulls:
        wanted, got = (", ".join(sorted(names)) or "none" for names in (nulls, found.reasons))
        yield f"fresh.reasons: expected one for each of {wanted}, got {got}; score it with --fresh"
    valued = [name for name, value in found.metrics.items() if value is not None]
    yield from (f"fresh.{fault}" for fault in _interval_faults(found, valued))


def _determinism_faults(result: Result) -> Iterator[str]:
    found = result.determinism
    if found is None:
        return
    if found.cases > len(result.details.per_dataset) or found.differing > found.cases:
        got = f"{found.differing} of {found.cases} differing"
        yield f"determinism: expected no more cases than there are, got {got}; score the entry again"
    if (found.differing == 0) != (found.largest == 0):
        got = f"{found.largest} with {found.differing} differing"
        yield f"determinism.largest: expected 0 exactly when none differs, got {got}; score the entry again"


def _interval_value_faults(result: Result, derived: Intervals) -> Iterator[str]:
    for side, name in ((0, "low"), (1, "high")):
        yield from _unequal(
            f"intervals ({name})",
            {metric: ends[side] for metric, ends in result.intervals.items()},
            {metric: ends[side] for metric, ends in derived.items()},
        )


def version_of(result: Result) -> Version:
    """The version that a valid result was made under. Raises StopIteration for an unknown one."""
    return next(v for v in TRACKS[result.track].versions if v.number == result.version)


def is_stale(version: Version, result: Result) -> bool:
    """Whether the version's data or metrics have moved since; only full public results can be stale."""
    now = (version.suite_digest, scorer_digest(version))
    public = result.suite == "full" and not result.seed_offset
    return public and (result.digests.suite, result.digests.scorer) != now


def _flat(table: Mapping[str, Mapping[str, Mapping[str, float]]]) -> dict[str, float | None]:
    return {
        f"{metric}.{variant}.{strength}": value
        for metric, variants in table.items()
        for variant, strengths in variants.items()
        for strength, value in strengths.items()
    }


def _unequal(
    where: str, stored: Mapping[str, float | None], derived: Mapping[str, float | None]
) -> Iterator[str]:
    for name in sorted(derived.keys() - stored.keys()):
        yield f"{where}.{name}: missing; score the entry again"
    for name in sorted(stored.keys() - derived.keys()):
        yield f"{where}.{name}: unknown; expected {', '.join(derived) or 'nothing here'}"
    for name in sorted(stored.keys() & derived.keys()):
        got, expected = stored[name], derived[name]
        same = got == expected or (
            got is not None and expected is not None and math.isclose(got, expected, abs_tol=SLACK, rel_tol=0)
        )
        if not same:
            yield f"{where}.{name}: expected {expected} by its rows, got {got}; score the entry again"
