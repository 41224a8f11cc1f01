from collections.abc import Sequence

from benchmark.pages.gather import Face
from benchmark.pages.verdict import verdict
from benchmark.ranking import Group, Standing, Standings, standings
from benchmark.records import Judgement
from tests.builders import CURRENT, TRACK, Answer, oracle, outcomes, result


def sentence(rows: Sequence[tuple[str, Group, float | None, str]]) -> str:
    found = [
        Standing(name, group, None, value, (0, 1), (1, 1) if group is not Group.CONTROL else None, mark)
        for name, group, value, mark in rows
    ]
    faces = {row.entry: Face(row.entry, row.entry, "", False) for row in found}
    told = {
        (one.entry, other.entry)
        for place, one in enumerate(found)
        for other in found[place + 1 :]
        if one.group is other.group and not set(one.mark) & set(other.mark)
    }
    table = Standings(TRACK, CURRENT, tuple(found), frozenset(told))
    return "".join(part.text for part in verdict(table, faces))


def test_tied_leaders_and_those_behind() -> None:
    rows = [
        ("A", Group.CALIBRATED, 0.99, "a"),
        ("B", Group.CALIBRATED, 0.98, "a"),
        ("C", Group.CALIBRATED, 0.7, ""),
    ]
    assert sentence(rows) == (
        "The best entries with a calibrated flag are A and B, which cannot be told apart "
        "(AUROC 0.980 to 0.990). C is behind."
    )


def test_why_the_leader_leads() -> None:
    def blind_to(variant: str) -> Answer:
        return lambda key: oracle(key) if key.variant != variant else Judgement(score=0.0, flag=False)

    results = [result("all", outcomes()), result("no_xor", outcomes(blind_to("xor")))]
    table = standings(TRACK, CURRENT, results, [])
    faces = {name: Face(name, name, "", False) for name in ("all", "no_xor")}
    assert "".join(part.text for part in verdict(table, faces)) == (
        "The best entry with a calibrated flag is all (AUROC 1.000). On each of linear, xor and variance, it "
        "reaches 1.000 or more; every other ranked entry falls to 0.500 or less on one. no_xor is behind."
    )


def test_a_single_leader_and_the_later_groups() -> None:
    rows = [
        ("A", Group.CALIBRATED, 0.7, ""),
        ("B", Group.NO_FLAG, 0.9, ""),
        ("C", Group.OVERFIRING, 0.9, ""),
        ("D", Group.CONTROL, 1.0, ""),
    ]
    assert sentence(rows) == (
        "The best entry with a calibrated flag is A (AUROC 0.700). B returns no flag. "
        "C: its flag fires too often to be trusted."
    )


def test_long_lists_end_in_a_number() -> None:
    rows = [("A", Group.RANKED, 0.9, ""), *((name, Group.RANKED, 0.5, "b") for name in "BCDEFG")]
    assert sentence(rows).endswith("B, C, D and 3 more are behind.")


def test_a_mark_shared_with_the_leader_in_part_counts() -> None:
    rows = [("A", Group.RANKED, 0.9, "a"), ("B", Group.RANKED, 0.8, "ab"), ("C", Group.RANKED, 0.7, "b")]
    assert sentence(rows).startswith("The best entries are A and B,")


def test_leaders_that_are_told_apart_from_each_other_are_not_called_tied() -> None:
    rows = [("A", Group.RANKED, 0.9, "ab"), ("B", Group.RANKED, 0.8, "a"), ("C", Group.RANKED, 0.7, "b")]
    assert sentence(rows) == (
        "The best entries are A, B and C, which the first cannot be told apart from (AUROC 0.700 to 0.900)."
    )


def test_nothing_is_said_of_nothing() -> None:
    assert sentence([]) == sentence([("D", Group.CONTROL, 1.0, "")]) == ""
