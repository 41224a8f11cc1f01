"""The records a track is written in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmark.records import Caller, Case, CaseKey, FloatArray, IntArray, Judgement, Kind
from benchmark.seeds import shifted
from benchmark.training import Training


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
    examine: Callable[[Case, Caller, Caller], Judgement]
    """Makes the calls of one case and judges the answers; lets `CallFailed` through.

    The first caller reaches the entry, the second the laboratory.
    """
    metrics: tuple[str, ...]
    """Keys of `METRICS`, in the order tables show them."""
    ranking: str
    """The metric the table is ranked by."""
    breakdown: tuple[str, ...]
    """Metrics also given for each variant and strength."""
    secondary: tuple[str, ...] = ()
    """Those of `metrics` that stand in the second table, beside the breakdown."""
    prepare: Callable[[Case, Caller], Case] | None = None
    """Trains and measures what a case needs before an entry sees it; the caller reaches the laboratory,
    whose answers are remembered."""
    confirm: Callable[[Case, Caller, Judgement], None] | None = None
    """Asks an entry once more, in a process that has seen nothing of the case, and lets `CallFailed`
    through where it answers otherwise; None where one answer is enough."""
    laboratory: str = ""
    """The laboratory that `prepare` and `examine` call, a folder of `benchmark/lab/`; empty for none."""
    training: Training | None = None
    """How the models of its cases are trained; None where none is."""
    answers: tuple[str, ...] = ("score",)
    """What every answer becomes: `score` where the track asks for one, and names of per-case figures."""
    optional: tuple[str, ...] = ("flag",)
    """What an answer may also become, for all cases of an entry or for none: `flag`, and names of figures."""
    pictured: str = ""
    """The figure with which pictures for the gallery come; empty for none."""
    truth: tuple[str, ...] = ()
    """Names of the per-case figures that were measured before any entry saw the case."""
    graded: str = ""
    """The one of them that a good score rises with; empty for none."""
    kind_of: Callable[[Kind, Mapping[str, float]], Kind] | None = None
    """The kind of a case by what it is meant to be and its truth; None where it is what it is meant to be."""
    strata: tuple[str, ...] = ("variant", "kind")
    """Columns within whose values the bootstrap resamples, as the ranking metric averages."""
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
    def figures(self) -> tuple[str, ...]:
        """The names of all per-case figures."""
        return tuple(n for n in (*self.truth, *self.answers, *self.optional) if n not in ("score", "flag"))

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

    name: str
    """The stem of its file's name."""
    title: str
    """Its heading."""
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
class ImageRow:
    """A picture of a case: some of its images."""

    name: str
    """The stem of its file's name."""
    title: str
    """Its heading."""
    images: npt.NDArray[np.float32]
    """float32 (k, 32, 32, 3) in [0, 1]."""
    captions: tuple[str, ...]
    """What each image shows."""


Picture = Sketch | ImageRow


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
    shared_models: bool = False
    """Whether entries may import `benchmark.models`, which brings torch into every process."""
    data: tuple[str, ...] = ()
    """What its data are, in paragraphs of plain text."""
    variant_notes: tuple[VariantNote, ...] = ()
    """What each variant is."""
    strength_symbol: str = "strength"
    """What a strength is called in headings, such as δ."""
    limits: tuple[str, ...] = ()
    """What its numbers cannot tell, a sentence or two each."""
    outcomes: tuple[tuple[str, str], ...] = ()
    """What an unusual answer becomes: the answer, and what follows from it."""
    pictures: Callable[[], tuple[Picture, ...]] | None = None
    """Pictures of cases for the track's page, made from seeds; None where there are none."""

    @property
    def current(self) -> Version:
        """The version new results are made under."""
        return self.versions[-1]

    @property
    def version(self) -> str:
        """The current version's number."""
        return self.current.number
