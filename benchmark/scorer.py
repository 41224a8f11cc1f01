"""One entry on one version of one track: its cases, run in isolation, become a result."""

import math
import queue
import secrets
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from joblib import Parallel, delayed

from benchmark import gallery
from benchmark.determinism import Repeat, determinism
from benchmark.digests import case_digest, combined, scorer_digest
from benchmark.entries import Entry, staged
from benchmark.entry_files import REQUIREMENTS
from benchmark.fingerprint import fingerprint
from benchmark.isolation.host import CaseFailed, EntryCode, Limits, Worker
from benchmark.isolation.launchers import Launcher
from benchmark.laboratory import Laboratory
from benchmark.machine import CACHE, environment
from benchmark.provided import MODULE, provided
from benchmark.records import Arrays, Case, CaseKey, Outcome, Progress, Status
from benchmark.requirements import installed
from benchmark.results import Details, Digests, Environment, Result, Suite, Timing, row_of
from benchmark.summary import intervals, values
from benchmark.tracks.spec import Track, Version

LOAD_SECONDS = 120.0
"""Time limit of an entry's imports."""
MORE = 1.25
"""How many more cases than its equal share a worker is made ready for: faster ones get more."""
MOST_HANGS = 5
"""After so many cases that timed out the rest are not run: the entry is incomplete anyway."""


@dataclass(frozen=True)
class Request:
    """What is to be scored, and how."""

    entry: Entry
    """The entry."""
    track: Track
    """The track; the entry must name it."""
    version: Version
    """The track's version."""
    launcher: Launcher
    """How the entry is kept apart."""
    suite: Suite = "full"
    """`full` or `quick`."""
    offset: int = 0
    """How far seeds are moved; 0 for the public suite."""
    jobs: int = 1
    """How many cases run at a time, each in a worker of its own."""
    repeats: int = 0
    """How many cases, drawn by lot, are run a second time to see whether they are answered alike."""
    cache: Path = CACHE
    """The folder that keeps what takes long to make: trained models, and the packages of entries."""

    @property
    def keys(self) -> tuple[CaseKey, ...]:
        """The cases to run, in suite order."""
        return self.version.keys(self.suite, self.offset)


@dataclass(frozen=True)
class Scored:
    """A result, and what goes beside it."""

    result: Result
    """The result."""
    gallery: Arrays | None
    """Its pictures; None where the track or the entry has none."""
    outcomes: tuple[Outcome, ...]
    """Its rows, with what the entry printed in each case, which only the one who scored it sees."""
    repeats: tuple[Repeat, ...] = ()
    """What came of the cases that were run twice."""


def score(request: Request, progress: Progress | None = None) -> Scored:
    """The result of running every case of the request, in an order that tells the entry nothing.

    A failed case is a row with a status and a reason. Raises IsolationError when the entry cannot
    be kept apart as the launcher promises, EntryError when its packages cannot be installed, and
    LaboratoryError when the scorer's own training fails.
    """
    started = time.monotonic()
    machine = environment(request.launcher, fingerprint(request.cache))
    ran = _run_all(request, progress)
    outcomes = _answered_alike([case.outcome for case in ran.cases])
    suite = combined(case.digest for case in ran.cases)
    return assembled(request, Run(tuple(outcomes), suite, machine, started, ran.repeats))


@dataclass(frozen=True)
class Run:
    """What came of running the cases of a request, or of failing to."""

    outcomes: tuple[Outcome, ...]
    """One for each case, in suite order."""
    suite: str
    """The digest of the cases' data."""
    machine: Environment
    """Where it was made."""
    started: float
    """When, on the monotonic clock."""
    repeats: tuple[Repeat, ...] = ()
    """What came of the cases that were run twice."""


def assembled(request: Request, run: Run) -> Scored:
    """The result that the outcomes of a run make, with its pictures."""
    outcomes = run.outcomes
    pictures = gallery.joined(outcomes)
    found = values(request.version, outcomes)
    complete = all(outcome.status is Status.OK for outcome in outcomes)
    result = Result(
        schema=1,
        entry=request.entry.id,
        track=request.track.key,
        version=request.version.number,
        suite=request.suite,
        seed_offset=request.offset,
        status="complete" if complete else "incomplete",
        metrics=dict(found.metrics),
        reasons=dict(found.reasons),
        intervals=dict(intervals(request.version, outcomes)),
        details=Details(
            per_dataset=[row_of(outcome) for outcome in outcomes],
            by_strength={m: {v: dict(s) for v, s in t.items()} for m, t in found.by_strength.items()},
        ),
        digests=Digests(
            entry=request.entry.digest,
            suite=run.suite,
            scorer=scorer_digest(request.version),
            gallery=None if pictures is None else gallery.digest(pictures),
        ),
        timing=Timing(
            seconds=round(time.monotonic() - run.started, 3),
            per_case={outcome.key.id: round(outcome.seconds, 4) for outcome in outcomes},
            scored_at=datetime.now(UTC).isoformat(timespec="seconds"),
        ),
        environment=run.machine,
        fresh=None,
        determinism=determinism(run.repeats),
    )
    return Scored(result, pictures, outcomes, run.repeats)


@dataclass(frozen=True)
class _Ran:
    """One case that was run."""

    outcome: Outcome
    """What became of it."""
    digest: str
    """The digest of its data."""


@dataclass(frozen=True)
class _Bench:
    """What the cases of a request are run with."""

    version: Version
    """The version they are of."""
    idle: "queue.SimpleQueue[Worker]"
    """The workers that have the entry loaded and run no case."""
    laboratory: Laboratory
    """What trains and probes for the scorer."""
    hangs: list[CaseKey]
    """The cases that have timed out so far."""


@dataclass(frozen=True)
class _AllRan:
    """All cases of a request."""

    cases: tuple[_Ran, ...]
    """In suite order."""
    repeats: tuple[Repeat, ...]
    """Those that were run twice."""


def _run_all(request: Request, progress: Progress | None) -> _AllRan:
    """The cases, each run in one of the request's workers, and some of them once more."""
    keys = list(request.keys)
    chance = secrets.SystemRandom()
    chance.shuffle(keys)
    jobs = max(1, min(request.jobs, len(keys)))
    done: dict[CaseKey, _Ran] = {}
    with _bench(request, jobs) as bench:
        run = Parallel(n_jobs=jobs, prefer="threads", return_as="generator_unordered", batch_size=1)
        for ran in run(delayed(_run)(bench, key) for key in keys):
            done[ran.outcome.key] = ran
            if progress is not None:
                progress(ran.outcome, len(done), len(keys))
        answered = [ran for ran in done.values() if ran.outcome.status is Status.OK]
        again = chance.sample(answered, min(request.repeats, len(answered)))
        second = {ran.outcome.key: ran for ran in run(delayed(_run)(bench, ran.outcome.key) for ran in again)}
    repeats = tuple(Repeat(ran.outcome, second[ran.outcome.key].outcome) for ran in again)
    return _AllRan(tuple(done[key] for key in request.keys), repeats)


@contextmanager
def _bench(request: Request, jobs: int) -> Iterator[_Bench]:
    """Workers and laboratory of a request, all ended on leaving."""
    track, entry = request.track, request.entry
    limits = Limits(track.call_seconds, LOAD_SECONDS, track.memory_mib)
    idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
    own = installed(entry.folder / REQUIREMENTS, request.cache)
    with ExitStack() as stack:
        shared = stack.enter_context(provided())
        code = EntryCode(
            folder=stack.enter_context(staged(entry)),
            function=entry.functions[track.key],
            signature_name=track.signature.name,
            arguments=track.signature.arguments,
            packages=(shared,),
            pinned=() if own is None else (own,),
            preload=(MODULE,) if track.shared_models else (),
        )
        for _ in range(jobs):
            idle.put(stack.enter_context(Worker(request.launcher, code, limits, _expected(request, jobs))))
        laboratory = Laboratory(request.version.laboratory, request.cache / "computed")
        yield _Bench(request.version, idle, stack.enter_context(laboratory), [])


def _expected(request: Request, jobs: int) -> int:
    """How many cases a worker is likely to get: its share of all that are asked for, and some more."""
    asked = (len(request.keys) + request.repeats) * (2 if request.version.confirm else 1)
    return asked if jobs == 1 else math.ceil(MORE * asked / jobs) + 1


def _run(bench: _Bench, key: CaseKey) -> _Ran:
    """One case in an idle worker; not run at all once too many others have hung."""
    version = bench.version
    case = version.generate(key)
    digest = case_digest(case)
    if version.prepare is not None:
        case = version.prepare(case, bench.laboratory.remembered)
    worker = bench.idle.get()
    try:
        outcome = _not_run(case) if len(bench.hangs) >= MOST_HANGS else _outcome(bench, case, worker)
    finally:
        bench.idle.put(worker)
    if outcome.status is Status.TIMED_OUT:
        bench.hangs.append(key)
    return _Ran(outcome, digest)


def _not_run(case: Case) -> Outcome:
    reason = f"not run, as {MOST_HANGS} other cases had timed out; mend those first"
    return Outcome(case.key, case.kind, Status.TIMED_OUT, reason)


def _outcome(bench: _Bench, case: Case, worker: Worker) -> Outcome:
    """One case in a worker: its judgement, or its failure."""
    outcome = Outcome(key=case.key, kind=case.kind, status=Status.OK)
    version, confirm = bench.version, bench.version.confirm
    try:
        examined = worker.examine(lambda call: version.examine(case, call, bench.laboratory.compute))
        if confirm is not None:
            worker.examine(lambda call: confirm(case, call, examined.value))
    except CaseFailed as failed:
        return replace(
            outcome, status=failed.status, reason=failed.reason, seconds=failed.seconds, output=failed.output
        )
    judgement = replace(examined.value, kept={})
    return replace(outcome, judgement=judgement, seconds=examined.seconds, output=examined.output)


def _answered_alike(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes, those failed that lack an optional field which other cases answered."""
    ok = [outcome for outcome in outcomes if outcome.status is Status.OK]
    given = Counter(name for outcome in ok for name in outcome.judgement.answered)
    partly = {name: count for name, count in given.items() if count < len(ok)}
    return [_lacking(outcome, partly, len(ok)) for outcome in outcomes]


def _lacking(outcome: Outcome, partly: dict[str, int], total: int) -> Outcome:
    missing = sorted(partly.keys() - outcome.judgement.answered)
    if outcome.status is not Status.OK or not missing:
        return outcome
    name = missing[0]
    reason = (
        f"{name}: expected for every case or for none, got none here and one for {partly[name]} of "
        f"{total} cases; return {name} always or never"
    )
    return Outcome(
        key=outcome.key,
        kind=outcome.kind,
        status=Status.BAD_OUTPUT,
        reason=reason,
        seconds=outcome.seconds,
        output=outcome.output,
    )
