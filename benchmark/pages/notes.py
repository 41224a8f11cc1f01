"""How a track is measured, as its page explains it."""

from collections.abc import Sequence
from dataclasses import dataclass

from latex2mathml.converter import convert
from markupsafe import Markup

from benchmark.metrics import METRICS, Metric
from benchmark.tracks.spec import Version

_BAR = '<mo stretchy="false">&#x0007C;</mo>'


@dataclass(frozen=True)
class MetricNote:
    """A definition with the metrics it defines."""

    title: str
    """The metric's name, or what the names have in common."""
    about: tuple[str, ...]
    """What each metric says."""
    formula: Markup
    """The definition as MathML."""
    direction: str
    """Which way is better."""
    range: str
    """From which value to which it can go."""
    chance: str
    """What an uninformed entry scores; empty where there is no such value."""
    source: str
    """Where the definition comes from."""
    ranks: bool
    """Whether the table is ranked by it."""


def metric_notes(version: Version) -> list[MetricNote]:
    """The metrics of a version, those of one formula together, in table order."""
    formulas: dict[str, list[str]] = {}
    for name in version.metrics:
        formulas.setdefault(METRICS[name].formula, []).append(name)
    return [_note(names, version.ranking) for names in formulas.values()]


def symbols(version: Version) -> tuple[str, ...]:
    """What the letters of a version's formulas stand for, each once."""
    return tuple(dict.fromkeys(symbol for name in version.metrics for symbol in METRICS[name].symbols))


def _note(names: Sequence[str], ranking: str) -> MetricNote:
    metrics = [METRICS[name] for name in names]
    first = metrics[0]
    return MetricNote(
        title=first.title if len(metrics) == 1 else _common_title(metrics),
        about=tuple(metric.about for metric in metrics),
        formula=_mathml(first.formula),
        direction="higher is better" if first.higher_is_better else "lower is better",
        range=f"from {first.low:g} to {first.high:g}".replace("-", "\N{MINUS SIGN}"),
        chance="" if first.chance is None else f"{first.chance:g}",
        source=first.source,
        ranks=ranking in names,
    )


def _mathml(formula: str) -> Markup:
    """A LaTeX formula as MathML: bounds below their sums, no space around bars."""
    text = convert(formula.replace(r"\sum_", r"\sum\limits_"), display="block")
    return Markup(text.replace(_BAR, _BAR.replace("<mo", '<mo lspace="0" rspace="0"')))


def _common_title(metrics: Sequence[Metric]) -> str:
    """`AUROC, linear` and `AUROC, xor` as `AUROC: linear, xor`."""
    return f"{metrics[0].over}: {', '.join(metric.part for metric in metrics)}"
