from dataclasses import replace

import numpy as np
import pytest

from benchmark.ranking import Group, Standing, Standings, _beyond_chance, _marked, standings
from benchmark.records import CaseKey, Judgement, Kind
from benchmark.results import Result
from tests.builders import CURRENT, TRACK, Answer, entry, failure, outcomes, result


def noisy(skill: float, seed: int, flag: str = "right") -> Answer:
    """Scores of `skill` standard deviations between shortcut and null cases."""
    random = np.random.default_rng(seed)

    def answer(key: CaseKey) -> Judgement:
        found = key.kind is Kind.SHORTCUT
        flags = {"right": found, "none": None, "always": True}
        return Judgement(score=float(random.normal() + skill * found), flag=flags[flag])

    return answer


def scored(name: str, answer: Answer) -> Result:
    return result(name, outcomes(answer))


def table(*results: Result, suite: str = "full", kinds: dict[str, str] | None = None) -> Standings:
    entries = [entry(r.entry, (kinds or {}).get(r.entry, "method")) for r in results]
    return standings(TRACK, CURRENT, results, entries, suite)


def test_groups_come_before_values() -> None:
    found = table(
        scored("eager", noisy(9, 0, "always")),
        scored("silent", noisy(5, 1, "none")),
        scored("calm", noisy(1, 2, "right")),
    )
    assert [(row.entry, row.group, row.rank) for row in found.rows] == [
        ("calm", Group.CALIBRATED, (1, 1)),
        ("silent", Group.NO_FLAG, (2, 2)),
        ("eager", Group.OVERFIRING, (3, 3)),
    ]


def test_a_flag_on_exactly_a_fifth_of_the_nulls_is_calibrated() -> None:
    def fires(count: int) -> Answer:
        return lambda key: Judgement(
            score=key.seed + 100.0 * (key.kind is Kind.SHORTCUT),
            flag=key.kind is Kind.SHORTCUT or key.seed < count,
        )

    assert table(scored("six_of_thirty", fires(6))).rows[0].group is Group.CALIBRATED
    assert table(scored("seven_of_thirty", fires(7))).rows[0].group is Group.OVERFIRING


def test_clear_differences_are_told_apart_and_small_ones_share_a_mark() -> None:
    found = table(
        scored("weak", noisy(0.5, 0)), scored("strong", noisy(3.0, 1)), scored("strong_too", noisy(3.0, 2))
    )
    ranks = {row.entry: row.rank for row in found.rows}
    marks = {row.entry: row.mark for row in found.rows}
    assert ranks == {"strong": (1, 2), "strong_too": (1, 2), "weak": (3, 3)}
    assert marks == {"strong": "a", "strong_too": "a", "weak": ""}
    assert found.told_apart == {("strong", "weak"), ("strong_too", "weak")}


def test_a_chain_of_neighbors_gets_overlapping_marks() -> None:
    rows = [Standing(name, Group.CALIBRATED) for name in "abcd"] + [Standing("e", Group.NO_FLAG)]
    told = {("a", "c"), ("a", "d"), ("b", "d")}
    assert [row.mark for row in _marked(rows, told)] == ["a", "ab", "bc", "c", ""]


def test_better_is_what_nearly_all_resamples_agree_on_and_no_missing_value_is() -> None:
    draws = np.array([[3.0] * 100, [2.9] * 97 + [3.1] * 3, [2.9] * 98 + [3.1] * 2, [np.nan] * 100])
    better = _beyond_chance(draws)
    assert not better[0, 1]  # three of 100 turn the pair around, more than 2.5%
    assert better[0, 2]
    assert not better[3].any() and not better[:, 3].any()


def test_ranks_do_not_flicker_and_do_not_depend_on_the_order_of_results() -> None:
    results = [scored(f"entry_{i}", noisy(1.0 + i / 5, i)) for i in range(5)]
    assert table(*results) == table(*reversed(results))


def test_paired_resampling_tells_apart_what_overlapping_intervals_would_not() -> None:
    random = np.random.default_rng(5)
    shared = {key: float(random.normal()) for key in CURRENT.keys()}

    def answer(gain: float) -> Answer:
        return lambda key: Judgement(score=shared[key] + gain * (key.kind is Kind.SHORTCUT), flag=False)

    found = table(scored("base", answer(1.0)), scored("better", answer(1.3)))
    first, second = found.rows
    assert first.entry == "better" and ("better", "base") in found.told_apart
    assert first.interval is not None and second.interval is not None
    assert first.interval[0] < second.interval[1]


def test_controls_degenerate_and_incomplete_rows_are_not_ranked() -> None:
    rows = outcomes()
    rows[0] = failure(rows[0].key)
    found = table(
        result("broken", rows),
        scored("two_values", lambda key: Judgement(score=float(key.seed % 2), flag=False)),
        scored("floor", noisy(0, 0)),
        scored("method", noisy(1, 1)),
        kinds={"floor": "control"},
    )
    assert [(row.entry, row.group) for row in found.rows] == [
        ("method", Group.CALIBRATED),
        ("floor", Group.CONTROL),
        ("two_values", Group.DEGENERATE),
        ("broken", Group.INCOMPLETE),
    ]
    assert [row.rank for row in found.rows] == [(1, 1), None, None, None]
    notes = [row.note for row in found.rows]
    assert notes[2] == "Its scores hold only 2 distinct values."
    assert notes[3] == "1 of 180 cases failed (linear/0.0/0): crashed: ValueError: no"


def test_an_entry_without_a_result_waits_on_the_current_version_only() -> None:
    entries = [entry("late"), entry("here")]
    results = [result("here")]
    now = standings(TRACK, CURRENT, results, entries)
    assert [(row.entry, row.group) for row in now.rows][-1] == ("late", Group.WAITING)
    assert standings(TRACK, TRACK.versions[0], results, entries).rows == ()


def test_stale_and_changed_rows_say_so() -> None:
    old_data = result("old_data")
    old_data = old_data.model_copy(
        update={"digests": old_data.digests.model_copy(update={"suite": "b" * 64})}
    )
    edited = replace(entry("edited"), digest="d" * 64)
    found = standings(TRACK, CURRENT, [old_data, result("edited")], [entry("old_data"), edited])
    assert {row.entry: (row.stale, row.changed) for row in found.rows} == {
        "old_data": (True, False),
        "edited": (False, True),
    }


def test_results_of_other_versions_suites_and_seeds_stay_out() -> None:
    moved = result("moved").model_copy(update={"seed_offset": 1})
    found = table(result("old", version=TRACK.versions[0], rows=outcomes(version=TRACK.versions[0])), moved)
    assert {row.group for row in found.rows} == {Group.WAITING}


def test_a_quick_result_is_compared_on_the_cases_it_shares() -> None:
    quick = result("quick", outcomes(noisy(0.2, 1), suite="quick"), suite="quick")
    found = table(quick, scored("full", noisy(6, 2)), suite="quick")
    assert [row.entry for row in found.rows] == ["full", "quick"]
    assert table(quick).rows[0].group is Group.WAITING


def test_a_stale_result_with_other_cases_is_not_ranked() -> None:
    short = result("short", outcomes()[:-1])
    found = table(short)
    assert (found.rows[0].group, found.rows[0].note) == (Group.INCOMPLETE, "It holds 179 of the 180 cases.")


def test_who_an_entry_is_level_with() -> None:
    found = table(
        scored("weak", noisy(0.5, 0)), scored("strong", noisy(3.0, 1)), scored("strong_too", noisy(3.0, 2))
    )
    assert found.level_with("strong") == ("strong_too",)
    assert found.level_with("weak") == ()


def test_a_row_without_value_comes_last() -> None:
    no_ranking = replace(CURRENT, ranking="tpr")
    results = [scored("flagged", noisy(1, 0)), scored("bare", noisy(1, 1, "none"))]
    track = replace(TRACK, grouped_by_flag=False, versions=(no_ranking,))
    found = standings(track, no_ranking, results, [entry("flagged"), entry("bare")])
    assert [(row.entry, row.value) for row in found.rows] == [("flagged", 1.0), ("bare", None)]
    assert [row.rank for row in found.rows] == [(1, 1), (2, 2)]
    assert found.row("bare").note == "TPR: the entry returns no flag."
    with pytest.raises(KeyError):
        found.row("nobody")
