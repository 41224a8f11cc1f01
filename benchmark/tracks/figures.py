"""What the figures of a case are called, and how their values are written."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmark.data.patched_bars import CORNERS

MOST = 1_000_000
"""More than any count of a case."""


@dataclass(frozen=True)
class CaseFigure:
    """What the site needs to know of a per-case figure."""

    title: str
    """The heading a reader sees."""
    about: str
    """What it says, in one sentence."""
    digits: int = 3
    """Decimals it is written with."""
    words: tuple[str, ...] = ()
    """What its values 0, 1 and so on stand for; empty where it is a number."""
    low: float = 0.0
    """The least value it can take."""
    high: float = 1.0
    """The greatest value it can take."""
    within: str = ""
    """The figure of the same case that it cannot exceed; empty for none."""

    def holds(self, value: float) -> bool:
        """Whether it can have this value; counts and words are whole numbers."""
        if self.words:
            return value in range(len(self.words))
        return self.low <= value <= self.high and (self.digits > 0 or value == int(value))


FIGURES: Mapping[str, CaseFigure] = {
    "corner": CaseFigure("Patch", "The corner the patch is in.", words=CORNERS),
    "reliance": CaseFigure(
        "Reliance",
        "Share of the patched images whose predicted label changes when the patch is painted gray.",
    ),
    "accuracy": CaseFigure("Model accuracy", "Accuracy of the case’s model on its held-out images."),
    "one_class": CaseFigure(
        "Answers one class only",
        "Whether the case’s model gives every image the same label.",
        words=("no", "yes"),
    ),
    "patched": CaseFigure(
        "Patched images", "How many of the held-out images hold the patch.", digits=0, low=1, high=MOST
    ),
    "hits": CaseFigure(
        "Hits",
        "How many patched images have a heatmap that peaks on the patch.",
        digits=0,
        high=MOST,
        within="patched",
    ),
    "worst_group_acc": CaseFigure(
        "Worst-group accuracy",
        "Test accuracy in the worst of the four groups of label and attribute.",
        within="mean_acc",
    ),
    "mean_acc": CaseFigure("Mean accuracy", "Mean of the test accuracies in the four groups."),
    "erm_worst_group_acc": CaseFigure(
        "Worst group, plain training", "Worst-group accuracy of plain training on the same data."
    ),
    "leakage_auroc": CaseFigure(
        "Leakage", "How well a probe tells the attribute from the transformed rows and the label.", low=0.5
    ),
}
"""Every figure that a version of a track names."""
