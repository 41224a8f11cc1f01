"""The records a track is written in."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmark.records import Caller, Case, CaseKey, FloatArray, IntArray, Judgement, Kind
from benchmark.seeds import shifted


@dataclass(frozen=True)
class Cell:
    """The cases of one variant, strength and kind: they differ by seed alone."""

    variant: str
    """How the shortcut is carried."""
    strength: float
    """How strong it is."""
    kind: Kind
    """What its cases are meant to be."""
    seeds: int
    """How many seeds the full suite has."""
    quick: int = 2
    """How many of them, the first, the quick suite has."""


@dataclass(frozen=True)
class Version:
    """One version of a track: its suite, data and metrics never change once results exist."""

    number: str
    """Such as `1.1`."""
    changes: str
    """What changed against the version before, in one sentence."""
    why: str
    """Why it changed, in one or two sentences."""
    cells: tuple[Cell, ...]
    """The suite, in the order results are written."""
    generate: Callable[[CaseKey], Case]
    """The dataset of a key: a pure function."""
    examine: Callable[[Case, Caller], Judgement]
    """Makes the calls of one case and judges the answers; lets `CallFailed` through."""
    metrics: tuple[str, ...]
    """Keys of `METRICS`, in the order tables show them."""
    ranking: str
    """The metric the table is ranked by."""
    breakdown: tuple[str, ...]
    """Metrics also given for each variant and strength."""
    secondary: tuple[str, ...] = ()
    """Those of `metrics` that stand in the second table, beside the breakdown."""
    figures: tuple[str, ...] = ()
    """Names of the per-case figures beyond score and flag."""
    strata: tuple[str, ...] = ("variant", "kind")
    """Columns within whose values the bootstrap resamples, as the ranking metric averages."""
    measured: bool = False
    """Whether a case meant as a shortcut may turn out ambiguous, since its truth is measured."""
    suite_digest: str = ""
    """The digest of the full public suite's data, with which results are compared to tell stale ones."""

    def keys(self, suite: str = "full", offset: int = 0) -> tuple[CaseKey, ...]:
        """The keys of the `full` or `quick` suite, its seeds moved by `offset`."""
        return tuple(
            CaseKey(cell.variant, cell.strength, shifted(seed, offset), cell.kind)
            for cell in self.cells
            for seed in range(cell.seeds if suite == "full" else min(cell.quick, cell.seeds))
        )

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants, in suite order."""
        return tuple(dict.fromkeys(cell.variant for cell in self.cells))

    @property
    def strengths(self) -> tuple[float, ...]:
        """The strengths at which cases are meant to be shortcuts, in suite order."""
        return tuple(dict.fromkeys(c.strength for c in self.cells if c.kind is Kind.SHORTCUT))


@dataclass(frozen=True)
class Signature:
    """A function that an entry of the track defines."""

    name: str
    """The function's name, unless the entry's `[functions]` table names another."""
    arguments: tuple[str, ...]
    """Its arguments, by which it is called."""
    returns: str
    """What it returns, as a reader would write it."""
    shapes: tuple[str, ...] = ()
    """What each argument is, in the order of `arguments`: type, shape, values."""


@dataclass(frozen=True)
class VariantNote:
    """What a reader should know of a variant."""

    variant: str
    """Its name in the suite."""
    carried: str
    """How the shortcut is carried."""
    rewards: str
    """What it rewards in a method."""


@dataclass(frozen=True)
class Sketch:
    """A picture of a case: its rows as points of two groups."""

    x: FloatArray
    """float64 (n,): across."""
    y: FloatArray
    """float64 (n,): up."""
    group: IntArray
    """int64 (n,) of 0 and 1: the mark a point is drawn with."""
    x_label: str
    """What x is."""
    y_label: str
    """What y is."""
    groups: tuple[str, str]
    """The names of groups 0 and 1."""


@dataclass(frozen=True)
class Track:
    """One track: a question, its versions, and how an entry takes part."""

    key: str
    """Its name in commands, files and addresses."""
    title: str
    """Its name in headings."""
    question: str
    """The question it puts to a method."""
    signature: Signature
    """The function an entry defines."""
    scaffold: str
    """The `method.py` that `new_entry` writes: a whole entry that runs as it is."""
    versions: tuple[Version, ...]
    """Oldest first; the last one is current."""
    grouped_by_flag: bool
    """Whether the table is ordered in the three groups of flags."""
    tolerance: float
    """The largest difference that `verify` lets pass: of a metric, or of a score relative to its size."""
    call_seconds: float = 60.0
    """Time limit of one call."""
    memory_mib: int = 2048
    """Memory limit of the entry's process."""
    data: tuple[str, ...] = ()
    """What its data are, in paragraphs of plain text."""
    variant_notes: tuple[VariantNote, ...] = ()
    """What each variant is."""
    strength_symbol: str = "strength"
    """What a strength is called in headings, such as δ."""
    limits: tuple[str, ...] = ()
    """What its numbers cannot tell, a sentence or two each."""
    sketch: Callable[[Case], Sketch] | None = None
    """A picture of a case for the track's page; None where there is none."""

    @property
    def current(self) -> Version:
        """The version new results are made under."""
        return self.versions[-1]

    @property
    def version(self) -> str:
        """The current version's number."""
        return self.current.number
