"""What the detection tracks share: one call, a score, an optional flag."""

from benchmark.records import LARGEST, Arrays, Call, Caller, CallFailed, Case, Field, Judgement, Status
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
        score=score_of(answer),
        flag=None if flag is None else bool(flag),
        answered=frozenset(answer) & {"flag"},
    )


def score_of(answer: Arrays) -> float:
    """The score in an answer. Raises CallFailed for one whose size no page could show."""
    score = float(answer["score"])
    if abs(score) > LARGEST:
        reason = f"score: expected a number of size up to {LARGEST:g}, got {score:.3g}"
        raise CallFailed(Status.BAD_OUTPUT, reason)
    return score
