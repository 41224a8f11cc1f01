"""What the detection tracks share: one call, a score, an optional flag."""

from benchmark.records import Call, Caller, Case, Field, Judgement
from benchmark.seeds import entry_seed

MAX_FLAG_FPR = 0.2
"""The largest share of null cases a flag may fire on and still count as calibrated."""

SCORE = Field("score", "float64")
FLAG = Field("flag", "bool", optional=True)


def examine_detector(case: Case, entry: Caller, laboratory: Caller) -> Judgement:
    """The score and flag that `detect` gives for a case. Lets `CallFailed` through."""
    seed = entry_seed(case.seen)
    answer = entry(Call("detect", {**case.seen, "seed": seed}, returns=(SCORE, FLAG), bare="score"))
    flag = answer.get("flag")
    return Judgement(
        score=float(answer["score"]),
        flag=None if flag is None else bool(flag),
        answered=frozenset(answer) & {"flag"},
    )
