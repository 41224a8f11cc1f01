"""What commands say of results."""

import io
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from benchmark.isolation.launchers import choose
from benchmark.ranking import Group, standings
from benchmark.records import CaseKey, Judgement
from benchmark.report import SMOKE, Rank, metrics_table, notes, rank, rank_among, would_rank
from benchmark.results import Result
from benchmark.scorer import Request, Scored
from benchmark.tracks import TRACKS
from tests.builders import CURRENT, TRACK, entry, failure, outcomes, result

MITIGATION = TRACKS["image-mitigation"].current


def mitigated(suite: str) -> Result:
    def answer(key: CaseKey) -> Judgement:
        worst = 0.5 + key.strength / 10 + key.seed / 100
        return Judgement(
            figures={"worst_group_acc": worst, "mean_acc": worst + 0.1, "erm_worst_group_acc": 0.5}
        )

    return result(rows=outcomes(answer, MITIGATION, suite), version=MITIGATION, suite=suite)


def told(one: Result) -> str:
    text = io.StringIO()
    Console(file=text, width=120).print(metrics_table(one))
    return text.getvalue()


def test_values_come_with_intervals() -> None:
    full = mitigated("full")
    low, high = full.intervals["worst_group_acc"]
    assert low < full.metrics["worst_group_acc"] < high
    assert f"{low:.3f} to {high:.3f}" in told(full)


def test_of_one_case_a_setting_no_interval_is_made_up() -> None:
    quick = mitigated("quick")
    assert quick.intervals == {} and quick.metrics["worst_group_acc"] is not None
    assert told(quick).count("none of so few") == 3


def test_a_rank_is_a_sentence_with_its_group_and_equals() -> None:
    assert would_rank("a", Group.RANKED, (2, 2), 9, ()) == "a would rank 2 of 9."
    assert would_rank("a", Group.RANKED, (2, 4), 9, ["b"]) == (
        "a would rank 2 to 4 of 9. It cannot be told apart from b."
    )
    assert would_rank("a", Group.NO_FLAG, (1, 3), 3, ["b", "c", "d"]) == (
        "a would rank 1 to 3 of 3, group: no flag. It cannot be told apart from b, c and d."
    )
    assert (
        would_rank("a", Group.CONTROL, None, 3, ()) == "a would not be ranked (control: shown, not ranked)."
    )


def test_why_a_row_has_no_rank_is_in_its_sentence() -> None:
    rows = outcomes(lambda key: Judgement(score=0.5, flag=False))
    place = rank(standings(TRACK, CURRENT, [result(rows=rows)], [entry()]), "some_entry")
    assert (place.group, place.low, place.high, place.level) == (Group.DEGENERATE, None, None, ())
    assert place.sentence == (
        "some_entry would not be ranked (degenerate: not ranked). Its scores hold only 1 distinct value."
    )


def test_a_rank_is_said_among_the_committed_or_why_it_cannot_be(tmp_path: Path) -> None:
    request = Request(entry("new_one"), TRACK, CURRENT, choose("process"))
    (tmp_path / "contrib").mkdir()
    place = rank_among(request, result("new_one"), tmp_path)
    assert isinstance(place, Rank) and (place.low, place.high, place.ranked) == (1, 1, 1)
    moved = rank_among(replace(request, offset=1), result("new_one"), tmp_path)
    assert moved == "No rank: the committed results are on the public seeds."
    (tmp_path / "contrib" / "broken").mkdir()
    broken = rank_among(request, result("new_one"), tmp_path)
    assert isinstance(broken, str) and broken.startswith("No rank, as scripts/check.py finds 2 faults; ")


def test_notes_tell_failures_the_cap_the_rank_and_the_quick_suite() -> None:
    quick = outcomes(suite="quick")
    scored = Scored(result(rows=quick, suite="quick"), None, tuple(quick))
    assert list(notes(scored, "no rank")) == [
        "The flag fires on 0.0% of the null cases, within the cap of 20%.",
        "no rank",
        SMOKE,
    ]
    failed = [failure(CURRENT.keys()[0]), *outcomes()[1:]]
    first, *_, last = notes(Scored(result(rows=failed), None, tuple(failed)), "no rank")
    assert first == f"1 of {len(failed)} cases failed, so the entry is incomplete and has no metrics:"
    assert last == "no rank"
