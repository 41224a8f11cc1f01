"""The cases of results as tables and as dots, on tracks of every kind."""

import pytest

from benchmark.metrics import METRICS
from benchmark.pages.case_map import case_map
from benchmark.pages.case_table import BLANK, measured_cases, measured_counts, result_cases
from benchmark.ranking import Group, Standing, Standings
from benchmark.records import CaseKey, Judgement, Kind, Outcome
from benchmark.results import Row, row_of
from benchmark.tracks import TRACKS
from benchmark.tracks.figures import FIGURES
from tests.builders import CURRENT, TRACK, failure, outcome, result
from tests.builders_site import Made, answers

DETECTION = Standings(TRACK, CURRENT, (), frozenset())
IMAGES, MITIGATION = TRACKS["image-detection"], TRACKS["embedding-mitigation"]
PATCHED = Standings(IMAGES, IMAGES.current, (), frozenset())
TRUTH = {"corner": 2.0, "reliance": 0.25, "accuracy": 0.9, "one_class": 1.0, "patched": 201.0}


def case(strength: float, seed: int, score: float, flag: bool | None = None) -> Row:
    kind = Kind.SHORTCUT if strength else Kind.NULL
    return row_of(outcome(CaseKey("linear", strength, seed, kind), Judgement(score, flag)))


def patched(kind: Kind, strength: float, score: float, **truth: float) -> Outcome:
    key = CaseKey("patch", strength, 0, kind)
    return outcome(key, Judgement(score, figures={**TRUTH, **truth}))


def mitigated(seed: int, accuracy: float) -> Row:
    key = CaseKey("rho-0.9", 1.0, seed, Kind.SHORTCUT)
    return row_of(outcome(key, Judgement(figures={"worst_group_acc": accuracy})))


def test_every_figure_of_every_version_has_a_heading() -> None:
    named = {name for track in TRACKS.values() for version in track.versions for name in version.figures}
    assert named == FIGURES.keys()


def test_cases_are_placed_by_the_rank_of_their_score() -> None:
    rows = [case(0.0, 0, -5.0), case(1.0, 0, 80.0, True), case(0.3, 0, 2.0, False), case(0.0, 1, 2.0)]
    found = case_map(rows, DETECTION)
    assert found is not None and (found.by, found.ranked, found.flags) == ("score", True, True)
    assert found.ends == ("−5.000", "80.000")
    (panel,) = found.panels
    assert [(line.label, line.kind, [dot.x for dot in line.dots]) for line in panel.lines] == [
        ("null", "null", [0.0, 50.0]), ("δ = 0.3", "shortcut", [50.0]), ("δ = 1", "shortcut", [100.0]),
    ]  # fmt: skip
    assert panel.lines[2].dots[0].flagged and not panel.lines[1].dots[0].flagged


def test_failed_cases_have_no_place() -> None:
    rows = [row_of(failure(CaseKey("xor", 0.0, 0, Kind.NULL))), case(0.3, 0, 2.0), case(0.3, 1, 1.0)]
    found = case_map(rows, DETECTION)
    assert found is not None and [panel.variant for panel in found.panels] == ["linear"]
    assert case_map(rows[:2], DETECTION) is None


def test_ambiguous_cases_have_a_line_and_a_word_of_their_own() -> None:
    rows = [
        row_of(patched(Kind.SHORTCUT, 0.98, 2.0)),
        row_of(patched(Kind.AMBIGUOUS, 0.9, 1.0)),
        row_of(patched(Kind.NULL, 0.5, 0.0)),
    ]
    found = case_map(rows, PATCHED)
    assert found is not None and found.kinds == {"null", "ambiguous", "shortcut"}
    assert [line.label for line in found.panels[0].lines] == ["null", "ρ = 0.9, ambiguous", "ρ = 0.98"]


def test_without_scores_the_figure_that_ranks_the_table_places_the_cases() -> None:
    table = Standings(MITIGATION, MITIGATION.current, (), frozenset())
    found = case_map([mitigated(0, 0.5), mitigated(1, 0.6), mitigated(2, 0.7)], table)
    assert found is not None and (found.by, found.ranked) == ("worst-group accuracy", False)
    assert (found.sides, [dot.x for dot in found.panels[0].lines[0].dots]) == (("0.5", "0.7"), [0, 50, 100])


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("embedding-detection", ["Case", "Kind", "Score", "Flag", "Seconds", "Status"]),
        (
            "embedding-mitigation",
            [
                "Case", "Worst group, plain training", "Worst-group accuracy", "Mean accuracy", "Leakage",
                "Seconds", "Status",
            ],
        ),
        (
            "image-detection",
            [
                "Case", "Kind", "Patch", "Reliance", "Model accuracy", "Answers one class only",
                "Patched images", "Score", "Flag", "Hits", "Seconds", "Status",
            ],
        ),
        (
            "image-mitigation",
            [
                "Case", "Worst group, plain training", "Worst-group accuracy", "Mean accuracy", "Seconds",
                "Status",
            ],
        ),
    ],
)  # fmt: skip
def test_the_columns_are_those_the_version_has_figures_for(key: str, expected: list[str]) -> None:
    track = TRACKS[key]
    rows = answers(Made("some", "Some", track=track), track.current)
    table = result_cases(result("some", rows, track.current), track.current)
    assert [column.title for column in table.columns] == expected
    assert {len(row) for row in table.rows} == {len(expected)}
    assert len(table.rows) == len(track.current.keys())


def test_values_are_written_as_a_reader_wants_them() -> None:
    rows = [patched(Kind.SHORTCUT, 0.9, 12.3456), failure(CaseKey("patch", 0.9, 1, Kind.SHORTCUT))]
    good, failed = result_cases(result("some", rows, IMAGES.current), IMAGES.current).rows
    assert [cell.text for cell in good] == [
        "patch/0.9/0", "shortcut", "bottom left", "0.250", "0.900", "yes", "201", "12.35", BLANK, BLANK,
        "0.010", "ok",
    ]  # fmt: skip
    assert [cell.text for cell in failed[2:10]] == [BLANK] * 8
    assert failed[-1].text == "crashed: ValueError: no"


def standing(name: str, rows: list[Outcome], stale: bool = False) -> Standing:
    return Standing(name, Group.INCOMPLETE, result(name, rows, IMAGES.current), stale=stale)


def test_what_was_measured_comes_from_any_result_and_from_fresh_ones_first() -> None:
    old = [patched(Kind.NULL, 0.5, 0.0, reliance=0.0), patched(Kind.AMBIGUOUS, 0.9, 0.0, reliance=0.1)]
    new = [failure(CaseKey("patch", 0.5, 0, Kind.NULL)), patched(Kind.SHORTCUT, 0.9, 0.0, one_class=0.0)]
    rows = (standing("old", old, stale=True), standing("new", new))
    table = Standings(IMAGES, IMAGES.current, rows, frozenset())
    assert [[cell.text for cell in row[:5]] for row in measured_cases(table).rows] == [
        ["patch/0.5/0", "0.5", "null", "bottom left", "0.000"],
        ["patch/0.9/0", "0.9", "shortcut", "bottom left", "0.250"],
    ]
    assert measured_counts(table) == ("null: 1", "shortcut: 1", "answers one class only: 1")


def test_where_nothing_is_measured_there_is_nothing_to_list() -> None:
    rows = answers(Made("some", "Some", track=TRACK), TRACK.current)
    row = Standing("some", Group.RANKED, result("some", rows, TRACK.current))
    assert measured_cases(Standings(TRACK, TRACK.current, (row,), frozenset())).rows == ()


def test_a_metric_is_named_within_a_sentence() -> None:
    names = ("auroc", "worst_group_acc", "gain_over_erm", "fpr")
    assert [METRICS[name].inline for name in names] == [
        "AUROC", "worst-group accuracy", "gain over ERM", "FPR",
    ]  # fmt: skip


def test_letters_of_formulas_are_explained() -> None:
    assert [name for name, metric in METRICS.items() if not metric.symbols] == []
