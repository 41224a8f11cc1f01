"""The frozen records that modules hand to one another, and the vocabulary of their shapes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Arrays = Mapping[str, npt.NDArray[Any]]
"""Named arrays, by the argument's or the field's name."""


class Kind(StrEnum):
    """What a case is, in truth."""

    NULL = "null"
    """Nothing to find: the attribute is not carried beyond the task label."""
    SHORTCUT = "shortcut"
    """The shortcut is there."""
    AMBIGUOUS = "ambiguous"
    """Made with a shortcut that the model hardly uses: left out of detection metrics."""


class Role(IntEnum):
    """Why a picture is in a gallery."""

    SHARED = 0
    """Every entry's gallery has this image."""
    HIT = 1
    """One that this entry's heatmap hit."""
    MISS = 2
    """One that it missed."""


class Status(StrEnum):
    """What became of a case."""

    OK = "ok"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    BAD_OUTPUT = "bad_output"


@dataclass(frozen=True)
class CaseKey:
    """The name of one dataset of a suite."""

    variant: str
    """How the shortcut is carried, as the track names it."""
    strength: float
    """How strong it is: delta or rho."""
    seed: int
    """The dataset's seed, moved by `--seed-offset`."""
    kind: Kind
    """What the case is meant to be; where truth is measured, the case itself knows better."""

    @property
    def id(self) -> str:
        """The case's id in results.json, such as `linear/0.3/4`."""
        return f"{self.variant}/{float(self.strength)}/{self.seed}"


@dataclass(frozen=True)
class Case:
    """One dataset: what the entry sees, and apart from it what only the scorer knows."""

    key: CaseKey
    """Which dataset it is."""
    kind: Kind
    """What it is in truth; never leaves the scorer."""
    seen: Arrays
    """The arrays the entry receives, by argument name."""
    hidden: Arrays
    """The arrays only the scorer knows."""
    derived: Arrays = field(default_factory=dict)
    """Arrays computed from those, such as the weights of a model trained on them; no part of the data."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """What was measured on the case before any entry saw it, by name."""


@dataclass(frozen=True)
class Field:
    """One array of an answer: the scorer fixes its type and size before it reads a byte."""

    name: str
    """The key under which the entry returns it."""
    dtype: str
    """`float64`, `float32`, `int64` or `bool`."""
    shape: tuple[int | None, ...] = ()
    """Its shape; `()` for a single value. At most one axis is None: a free size from 1 to `most`."""
    optional: bool = False
    """Whether an entry may leave it out: for every case or for none."""
    most: int = 0
    """The largest size of the free axis; 0 where there is none."""
    finite: bool = True
    """Whether NaN and infinity are refused in a float field."""


@dataclass(frozen=True)
class Made:
    """An argument that the worker makes from arrays, anew for each call."""

    maker: str
    """The module and the function that makes it, such as `benchmark.models:cnn_of`."""
    arrays: Arrays
    """What the function is given, by keyword, as arrays of its own."""


@dataclass(frozen=True)
class Call:
    """One call of an entry's function, or of a method of the object an earlier call returned."""

    function: str
    """The function's or method's name as the track states it."""
    arguments: Mapping[str, npt.NDArray[Any] | int | Made]
    """Arrays, whole numbers, and objects made from arrays: by name for a function, in order for a method."""
    returns: tuple[Field, ...]
    """What must come back; empty where the returned object stays with the entry."""
    bare: str | None = None
    """The field that a bare return value stands for, where the answer need not be a dict."""


LARGEST = 1e12
"""The largest size of a score, and of a number that `transform` gives."""


class CallFailed(Exception):
    """An entry's call that gave no usable answer: a status and a reason of one line."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


Caller = Callable[[Call], Arrays]
"""Makes one call in the entry's process; gives the checked fields, raises `CallFailed`."""


@dataclass(frozen=True)
class Judgement:
    """What the scorer makes of an entry's answers to one case."""

    score: float | None = None
    """A detection entry's score, finite; higher means more shortcut."""
    flag: bool | None = None
    """A detection entry's verdict; None where it gives none."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Further per-case figures by name, each finite."""
    answered: frozenset[str] = frozenset()
    """The optional fields this case's answer held."""
    pictures: Arrays = field(default_factory=dict)
    """A few pictures of what it looked at, for the gallery: arrays of one row each."""
    kept: Arrays = field(default_factory=dict)
    """What the answers are confirmed against; gone once they are."""


@dataclass(frozen=True)
class Outcome:
    """One row of a result: a case with its judgement, or a failure with its reason."""

    key: CaseKey
    """Which case."""
    kind: Kind
    """What it is in truth."""
    status: Status
    """`ok`, or how it failed."""
    reason: str | None = None
    """Why it failed, in one line; None when it did not."""
    judgement: Judgement = Judgement()
    """What was made of the answer; empty when it failed."""
    seconds: float = 0.0
    """Wall time of the entry's calls, measured by the scorer."""
    output: str = ""
    """What the entry printed meanwhile, bounded and made harmless; never part of a result."""


@dataclass(frozen=True)
class Columns:
    """The rows of a complete result as columns of n cases, in suite order."""

    variant: npt.NDArray[np.str_]
    """(n,) variant names."""
    strength: FloatArray
    """(n,) strengths."""
    kind: npt.NDArray[np.str_]
    """(n,) kinds, as `Kind` values."""
    score: FloatArray | None
    """(n,) finite scores; None on tracks without scores."""
    flag: BoolArray | None
    """(n,) flags; None where the entry gives none."""
    figures: Mapping[str, FloatArray]
    """Further per-case figures, each (n,); NaN never stands here."""

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def null(self) -> BoolArray:
        """(n,) whether a case is a null, which nothing measured can change."""
        null: BoolArray = np.equal(self.kind, Kind.NULL.value)
        return null

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> "Columns":
        """The columns of `outcomes`, all of which must be `ok`; a column some row lacks is left out."""
        judged = [outcome.judgement for outcome in outcomes]
        scores = [j.score for j in judged if j.score is not None]
        flags = [j.flag for j in judged if j.flag is not None]
        shared = set.intersection(*(set(j.figures) for j in judged)) if judged else set()
        return cls(
            variant=np.array([o.key.variant for o in outcomes], dtype=np.str_),
            strength=np.array([o.key.strength for o in outcomes], dtype=np.float64),
            kind=np.array([o.kind.value for o in outcomes], dtype=np.str_),
            score=np.array(scores, dtype=np.float64) if len(scores) == len(judged) else None,
            flag=np.array(flags, dtype=np.bool_) if len(flags) == len(judged) else None,
            figures={name: np.array([j.figures[name] for j in judged]) for name in sorted(shared)},
        )

    def where(self, rows: BoolArray) -> "Columns":
        """The columns of the rows that `rows`, (n,) bool, selects."""
        return Columns(
            variant=self.variant[rows],
            strength=self.strength[rows],
            kind=self.kind[rows],
            score=None if self.score is None else self.score[rows],
            flag=None if self.flag is None else self.flag[rows],
            figures={name: values[rows] for name, values in self.figures.items()},
        )


class Progress(Protocol):
    """Told of every finished case."""

    def __call__(self, outcome: Outcome, done: int, total: int) -> None: ...
