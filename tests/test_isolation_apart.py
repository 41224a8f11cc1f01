from pathlib import Path

import numpy as np
import pytest

from benchmark.isolation.host import CaseFailed, EntryCode, Worker
from benchmark.isolation.launchers import Launcher
from benchmark.records import Arrays, Call, Caller, CallFailed, Field, Made, Status
from tests.isolated import LAUNCHERS, processes_naming, worker, written

pytestmark = pytest.mark.parametrize("launcher", LAUNCHERS)

ROWS = np.arange(3.0)
FIT = Call("fit", {"rows": ROWS, "seed": 1}, ())


def fitted(folder: Path, body: str, before: str = "") -> EntryCode:
    """An entry whose `fit` returns a model; its `predict(x)` has the given body and may use `self`."""
    lines = "\n".join(" " * 8 + line for line in body.splitlines())
    model = f"class Model:\n    seen = 0\n    def predict(self, x):\n{lines}\n"
    start = "import os, signal, sys, time\n"
    fit = "def fit(rows, seed):\n    return Model()\n"
    written(folder, "return 0", start + before + "\n" + model + fit)
    return EntryCode(folder, "fit", "fit", ("rows", "seed"))


def predict(x: float = 0.0, *, apart: bool = True, size: int = 1) -> Call:
    """A call of `predict` with `size` numbers."""
    return Call("predict", {"x": np.full(size, x)}, (Field("y", "float64"),), bare="y", apart=apart)


def answers(run: Worker, *calls: Call) -> list[Arrays]:
    """The answers to the calls of one case, after `fit`."""
    return run.examine(lambda call: [call(one) for one in (FIT, *calls)]).value[1:]


def failure(run: Worker, *calls: Call) -> CaseFailed:
    with pytest.raises(CaseFailed) as raised:
        answers(run, *calls)
    return raised.value


def test_nothing_of_a_call_apart_is_seen_by_the_next(launcher: Launcher, tmp_path: Path) -> None:
    body = "self.seen += 1\nlog.append(x)\nx[0] = 9\nnp.random.random()\nreturn self.seen + 10 * len(log)"
    code = fitted(tmp_path, body, "import numpy as np\nlog = []")
    with worker(launcher, code) as run:
        apart, together = predict(), predict(apart=False)
        got = [found["y"] for found in answers(run, apart, apart, together, apart, together)]
    assert got == [11, 11, 11, 22, 22]


def test_call_apart_draws_the_numbers_of_the_kept_state(launcher: Launcher, tmp_path: Path) -> None:
    body = "return np.random.random()"
    with worker(launcher, fitted(tmp_path, body, "import numpy as np")) as run:
        first, second, third = (found["y"] for found in answers(run, *[predict(i) for i in range(3)]))
    assert first == second == third


def test_entry_function_itself_may_be_called_apart(launcher: Launcher, tmp_path: Path) -> None:
    code = written(tmp_path, "seen.append(seed)\nreturn len(seen) + rows.sum()", "seen = []")
    call = Call("detect", {"rows": ROWS, "seed": 1}, (Field("score", "float64"),), "score", apart=True)
    with worker(launcher, code) as run:
        got = run.examine(lambda ask: [ask(call)["score"] for _ in range(3)]).value
    assert got == [4.0, 4.0, 4.0]


FAILURES = {
    "raises": ("raise ValueError('bad')", Status.CRASHED, "ValueError: bad (method.py line 6)"),
    "exits": ("sys.exit(3)", Status.CRASHED, "SystemExit: 3 (method.py line 6)"),
    "ends": (
        "os._exit(0)",
        Status.CRASHED,
        "predict: its process ended with exit code 0 before it answered",
    ),
    "ends with a code": (
        "os._exit(7)",
        Status.CRASHED,
        "predict: its process ended with exit code 7 before it answered",
    ),
    "segfaults": (
        "os.kill(os.getpid(), signal.SIGSEGV)",
        Status.CRASHED,
        "predict: its process was ended by SIGSEGV before it answered",
    ),
    "is killed": (
        "os.kill(os.getpid(), signal.SIGKILL)",
        Status.CRASHED,
        "predict: its process was ended by SIGKILL (perhaps because the machine ran out of memory) before it",
    ),
    "leaves a process": (
        "os.fork() and os._exit(0); time.sleep(60)",
        Status.CRASHED,
        "predict: its process ended with exit code 0 before it answered",
    ),
    "memory": ("return len(bytearray(3 << 30))", Status.OUT_OF_MEMORY, "MemoryError (method.py line 6)"),
    "bad output": ("return None", Status.BAD_OUTPUT, "y: expected one finite float64, got None"),
}


@pytest.mark.parametrize(("body", "status", "reason"), FAILURES.values(), ids=FAILURES.keys())
def test_failure_apart_reads_as_any_other(
    launcher: Launcher, tmp_path: Path, body: str, status: Status, reason: str
) -> None:
    with worker(launcher, fitted(tmp_path, f"if x[0] == 1: {body}\nreturn x[0]"), call=5.0) as run:
        failed = failure(run, predict(2.0), predict(1.0))
        assert failed.status is status and failed.reason.startswith(reason) and failed.seconds < 4
        assert answers(run, predict(2.0)) == [{"y": 2.0}]


def test_error_apart_leaves_the_kept_object_in_use(launcher: Launcher, tmp_path: Path) -> None:
    def examine(call: Caller) -> list[Arrays]:
        call(FIT)
        with pytest.raises(CallFailed, match="ZeroDivisionError"):
            call(predict(1.0))
        return [call(predict(2.0)), call(predict(3.0, apart=False))]

    with worker(launcher, fitted(tmp_path, "return x[0] if x[0] > 1 else 1 // 0")) as run:
        assert run.examine(examine).value == [{"y": 2.0}, {"y": 3.0}]


def test_signal_that_the_kept_object_blocks_is_still_told(launcher: Launcher, tmp_path: Path) -> None:
    before = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
"""
    body = """
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
os.kill(os.getpid(), signal.SIGTERM)
"""
    with worker(launcher, fitted(tmp_path, body, before), call=5.0) as run:
        assert failure(run, predict()).reason == (
            "predict: its process was ended by SIGTERM before it answered"
        )


def test_entry_that_ignores_the_end_of_children_is_answered_for(launcher: Launcher, tmp_path: Path) -> None:
    before = "signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    body = "if x[0] == 1: os._exit(5)\nreturn x[0]"
    with worker(launcher, fitted(tmp_path, body, before), call=5.0) as run:
        assert answers(run, predict(2.0), predict(3.0)) == [{"y": 2.0}, {"y": 3.0}]
        reason = "predict: its process ended with exit code 1 before it answered"
        assert failure(run, predict(1.0)).reason == reason


def test_hang_apart_ends_at_its_deadline_with_all_its_processes(launcher: Launcher, tmp_path: Path) -> None:
    body = f"""
if x[0] == 1:
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(100)", {str(tmp_path)!r}])
    print("here", flush=True)
    time.sleep(60)
return x[0]
"""
    with worker(launcher, fitted(tmp_path, body), call=0.8) as run:
        failed = failure(run, predict(1.0))
        assert failed.status is Status.TIMED_OUT and failed.seconds < 3 and failed.output == "here\n"
        assert failed.reason == "predict: expected an answer within 0.8 s, got none"
        assert not processes_naming(str(tmp_path))
        assert answers(run, predict(5.0)) == [{"y": 5.0}]


def test_many_calls_apart_leave_nothing_open(launcher: Launcher, tmp_path: Path) -> None:
    body = "return len(os.listdir('/proc/self/fd'))"
    with worker(launcher, fitted(tmp_path, body)) as run:
        got = {float(found["y"]) for found in answers(run, *[predict(size=100_000)] * 30)}
    assert len(got) == 1 and max(got) < 10


def test_argument_made_for_a_call_apart_is_made_anew(launcher: Launcher, tmp_path: Path) -> None:
    made = Made("builtins:dict", {"weight": np.ones(2)})
    call = Call("predict", {"x": made}, (Field("y", "float64"),), bare="y", apart=True)
    body = "x['weight'] += 1\nx['more'] = 1\nreturn x['weight'].sum() + len(x)"
    with worker(launcher, fitted(tmp_path, body)) as run:
        assert answers(run, call, call) == [{"y": 6.0}, {"y": 6.0}]
