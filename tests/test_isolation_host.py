import threading
import time
from pathlib import Path

import numpy as np
import pytest

from benchmark.isolation.host import CaseFailed, EntryCode, Worker
from benchmark.isolation.launched import Task
from benchmark.isolation.launchers import Launcher
from benchmark.records import Call, CallFailed, Field, Status
from tests.isolated import LAUNCHERS, answer, detect, worker, written

pytestmark = pytest.mark.parametrize("launcher", LAUNCHERS)


def failure(run: Worker, seed: int = 0) -> CaseFailed:
    with pytest.raises(CaseFailed) as raised:
        answer(run, seed)
    return raised.value


def test_answer_is_what_the_entry_computes(launcher: Launcher, tmp_path: Path) -> None:
    code = written(tmp_path, "return {'score': rows.sum() + seed, 'flag': bool(seed)}")
    with worker(launcher, code) as run:
        examined = run.examine(lambda call: call(detect(1)))
        assert examined.value == {"score": 67.0, "flag": True}
        assert answer(run, 0) == {"score": 66.0, "flag": False}
    assert 0 < examined.seconds < 5 and examined.output == ""


def test_function_may_have_another_name(launcher: Launcher, tmp_path: Path) -> None:
    written(tmp_path, "return 1", before="def other(rows, seed, extra=4):\n    return extra")
    with worker(launcher, EntryCode(tmp_path, "other", "detect", ("rows", "seed"))) as run:
        assert answer(run) == {"score": 4.0}


def test_arrays_are_the_entrys_own(launcher: Launcher, tmp_path: Path) -> None:
    body = """
    rows[0, 0] = 100.0
    f = rows.flags
    assert f.c_contiguous and f.owndata and f.writeable and f.aligned and type(seed) is int
    return rows[0, 0]
    """
    with worker(launcher, written(tmp_path, body)) as run:
        assert answer(run) == {"score": 100.0}


def test_nothing_is_carried_from_case_to_case(launcher: Launcher, tmp_path: Path) -> None:
    body = """
    seen.append(seed)
    left = len(os.listdir(os.getcwd()))
    open("note", "w").close()
    os.makedirs("a/b")
    os.chmod("a", 0)
    drawn = random.random() + np.random.random()
    return {"score": 100 * len(seen) + 10 * left + drawn}
    """
    before = "import os, random\nimport numpy as np\nseen = []\nopen('at_import', 'w').close()"
    with worker(launcher, written(tmp_path, body, before)) as run:
        first = answer(run, 1)
        assert 110 < first["score"] < 112
        assert answer(run, 2) == first == answer(run, 3)
    with worker(launcher, written(tmp_path, body, before)) as another:
        assert answer(another, 4) == first


def test_kept_object_answers_later_calls_of_its_case(launcher: Launcher, tmp_path: Path) -> None:
    before = """
    class Model:
        def __init__(self, mean): self.mean = mean
        def predict(self, rows): return rows[:, 0] > self.mean
    def fit(rows, seed): return Model(rows.mean()) if seed else None
    """
    written(tmp_path, "return 0", before)
    rows = np.arange(12.0).reshape(3, 4)
    fit = Call("fit", {"rows": rows, "seed": 1}, ())
    predict = Call("predict", {"rows": rows}, (Field("labels", "int64", (3,)),), bare="labels")
    moved = Call("transform", {"rows": rows}, (Field("moved", "float64", (3, 2), optional=True),))
    code = EntryCode(tmp_path, "fit", "fit", ("rows", "seed"))
    with worker(launcher, code) as run:
        got = run.examine(lambda call: [call(fit), call(predict), call(moved)]).value
        assert got[0] == {} and got[1]["labels"].tolist() == [0, 0, 1] and got[2] == {}
        with pytest.raises(CallFailed, match="predict: expected a method of the returned object, got None"):
            run.examine(lambda call: call(predict))
        with pytest.raises(CallFailed, match="fit: expected an object, got None"):
            run.examine(lambda call: call(Call("fit", {"rows": rows, "seed": 0}, ())))


FAILURES = {
    "raises": ("raise ValueError('bad shape')", Status.CRASHED, "ValueError: bad shape (method.py line 3)"),
    "exits": ("import sys; sys.exit(3)", Status.CRASHED, "SystemExit: 3 (method.py line 3)"),
    "ends": (
        "import os; os._exit(0)",
        Status.CRASHED,
        "detect: its process ended with exit code 0 before it answered",
    ),
    "segfaults": (
        "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        Status.CRASHED,
        "detect: its process was ended by SIGSEGV before it answered",
    ),
    "recurses": (
        "return detect(rows, seed)",
        Status.CRASHED,
        "RecursionError: maximum recursion depth exceeded",
    ),
    "memory": ("return len(bytearray(3 << 30))", Status.OUT_OF_MEMORY, "MemoryError (method.py line 3)"),
    "array": (
        "return rows",
        Status.BAD_OUTPUT,
        "score: expected one finite float64, got float64 of shape (3, 4)",
    ),
    "nan": ("return float('nan')", Status.BAD_OUTPUT, "score: expected one finite float64, got nan"),
    "none": ("return None", Status.BAD_OUTPUT, "score: expected one finite float64, got None"),
    "closes": (
        "import os, time; os.closerange(3, 100); time.sleep(60)",
        Status.BAD_OUTPUT,
        "detect: expected an answer, got a closed line",
    ),
}


@pytest.mark.parametrize(("body", "status", "reason"), FAILURES.values(), ids=FAILURES.keys())
def test_failure_has_a_status_and_a_reason(
    launcher: Launcher, tmp_path: Path, body: str, status: Status, reason: str
) -> None:
    with worker(launcher, written(tmp_path, f"if seed == 0: {body}\nreturn seed")) as run:
        failed = failure(run)
        assert failed.status is status and failed.reason.startswith(reason)
        assert answer(run, 2) == {"score": 2.0}


def test_hang_that_ignores_signals_ends_at_its_deadline(launcher: Launcher, tmp_path: Path) -> None:
    body = """
    import signal, time
    for number in range(1, 32):
        if number not in (signal.SIGKILL, signal.SIGSTOP): signal.signal(number, signal.SIG_IGN)
    print("here")
    while seed == 0: time.sleep(1)
    return seed
    """
    with worker(launcher, written(tmp_path, body), call=0.5) as run:
        failed = failure(run)
        assert failed.status is Status.TIMED_OUT and 0.4 < failed.seconds < 3
        assert (
            failed.reason == "detect: expected an answer within 0.5 s, got none" and failed.output == "here\n"
        )
        assert answer(run, 5) == {"score": 5.0}


def test_slow_and_forged_answers_are_refused(launcher: Launcher, tmp_path: Path) -> None:
    body = """
    import gc, time
    line = [o for o in gc.get_objects() if type(o).__name__ == "Line"][-1]
    while seed == 0:
        line.send(b"x"); time.sleep(0.03)
    if seed == 1: line.send(b"x" * 15)
    return seed
    """
    with worker(launcher, written(tmp_path, body), call=0.8) as run:
        failed = failure(run, 0)
        assert failed.status is Status.BAD_OUTPUT and failed.seconds < 0.8
        assert failure(run, 1).status is Status.BAD_OUTPUT
        assert answer(run, 2) == {"score": 2.0}


LOADS = {
    "import": ("import nothing_of_this_name", "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
    "syntax": ("def broken(:", "SyntaxError: invalid syntax (method.py, line 1)"),
    "exit": ("import sys; sys.exit(4)", "SystemExit: 4 (method.py line 1)"),
    "end": ("import os; os._exit(5)", "method.py: its process ended with exit code 5 before it was imported"),
}


@pytest.mark.parametrize(("before", "reason"), LOADS.values(), ids=LOADS.keys())
def test_entry_that_cannot_be_imported_fails_every_case(
    launcher: Launcher, tmp_path: Path, before: str, reason: str
) -> None:
    code = written(tmp_path, "return 1", before)
    with worker(launcher, code) as run:
        failed = failure(run)
        assert failed.status is Status.CRASHED and failed.reason.startswith(reason)
        (tmp_path / "method.py").write_text("def detect(rows, seed):\n    return 1\n", encoding="utf-8")
        again = failure(run)
    assert (again.reason, again.output) == (failed.reason, failed.output)


@pytest.mark.parametrize(
    ("before", "got"),
    [
        ("del detect", "none of that name"),
        ("detect = 0.5", "detect of type float"),
        ("def detect(rows): pass", "detect(rows): got an unexpected keyword argument 'seed'"),
        (
            "def detect(rows, seed, more): pass",
            "detect(rows, seed, more): missing a required argument: 'more'",
        ),
    ],
)
def test_function_must_take_the_tracks_arguments(
    launcher: Launcher, tmp_path: Path, before: str, got: str
) -> None:
    code = written(tmp_path, "return 1")
    path = tmp_path / "method.py"
    path.write_text(path.read_text(encoding="utf-8") + f"\n{before}\n", encoding="utf-8")
    with worker(launcher, code) as run:
        failed = failure(run)
    assert failed.status is Status.CRASHED
    assert failed.reason == f"method.py: expected a function detect(rows, seed), got {got}"


def test_import_has_a_time_and_a_memory_limit(launcher: Launcher, tmp_path: Path) -> None:
    slow = written(tmp_path, "return 1", "import time\ntime.sleep(60)")
    with worker(launcher, slow, load=0.7) as run:
        failed = failure(run)
    assert failed.status is Status.TIMED_OUT
    assert failed.reason == "method.py: expected its import to end within 0.7 s, got no end"
    large = written(tmp_path, "return 1", "held = bytearray(3 << 30)")
    with worker(launcher, large) as run:
        assert failure(run).status is Status.OUT_OF_MEMORY


def test_prints_are_kept_bounded_and_harmless(launcher: Launcher, tmp_path: Path) -> None:
    body = r"""
    print("::error::x \x1b[31mred\x07")
    os.write(2, b"y" * 1_000_000)
    if seed: raise ValueError("last words")
    return 1
    """
    with worker(launcher, written(tmp_path, body, "import os\nprint('at import')")) as run:
        output = run.examine(lambda call: call(detect())).output
        failed = failure(run, 1)
    assert output.startswith(": :error: :x [31mred\ny") and "bytes left out" in output
    assert len(output) < 66_000 and "at import" not in output
    assert failed.output.rstrip().endswith("ValueError: last words")


def test_workers_in_several_threads_do_not_meet(launcher: Launcher, tmp_path: Path) -> None:
    code = written(tmp_path, "return {'score': seed, 'flag': os.dup(0) < 8}", "import os")
    wrong: list[object] = []

    def run_cases(start: int) -> None:
        with worker(launcher, code) as run:
            got = [answer(run, seed) for seed in range(start, start + 5)]
        wrong.extend(a for seed, a in enumerate(got, start) if a != {"score": float(seed), "flag": True})

    threads = [threading.Thread(target=run_cases, args=(100 * number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_worker_outlives_the_thread_that_started_it(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    got: list[object] = []
    starts: list[Task] = []
    start = Launcher.start
    monkeypatch.setattr(Launcher, "start", lambda self, task: (starts.append(task), start(self, task))[1])
    with worker(launcher, written(tmp_path, "return seed")) as run:
        for seed in range(2):
            thread = threading.Thread(target=lambda seed=seed: got.append(answer(run, seed)))
            thread.start()
            thread.join()
        time.sleep(0.05)
        assert [*got, answer(run, 2)] == [{"score": 0.0}, {"score": 1.0}, {"score": 2.0}]
    assert len(starts) == 1


def test_faults_of_the_examiner_come_through(launcher: Launcher, tmp_path: Path) -> None:
    def examine(call: object) -> None:
        raise KeyError("mine")

    with worker(launcher, written(tmp_path, "return seed")) as run:
        with pytest.raises(KeyError, match="mine"):
            run.examine(examine)
        assert answer(run, 4) == {"score": 4.0}
