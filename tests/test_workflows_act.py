"""Every workflow, played by act with stand-ins: which job calls what, in which order, and what it hands on.

What act cannot play stands in tests/playing.py.
"""

import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from benchmark.tracks import TRACKS
from tests.playing import REPOSITORY, ROOT, Played, Stage

BOT = "github-actions[bot]"
BASE, HEAD, PLANNED = "b" * 40, "d" * 40, "c" * 40
PUSH = {"ref": "refs/heads/main"}
GATE = f"python scripts/gate.py {BASE} {HEAD} --into TEMP/entry --summary SUMMARY"
PREVIEW = "python scripts/preview.py TEMP/entry/my_probe --output TEMP/preview --isolation bwrap"
COMMENT = (
    "python scripts/comment.py TEMP/preview"
    f" --repository {REPOSITORY} --head {HEAD} --run-url https://example.org/run/3"
)
SITE = {
    "build": [
        "python scripts/build_site.py",
        "python scripts/check_links.py public --base /board/",
        "upload-pages-artifact public",
    ],
    "deploy": ["deploy-pages"],
}


def pull(base: str, head: str) -> Mapping[str, object]:
    """A pull request between two commits."""
    return {"pull_request": {"number": 7, "base": {"sha": base, "ref": "main"}, "head": {"sha": head}}}


PULL = pull(BASE, HEAD)


@pytest.fixture
def stage(tmp_path: Path) -> Callable[..., Stage]:
    """Makes a stage; exits and shards are those of Stage."""
    return lambda exits=None, shards=(1, 2): Stage(tmp_path, exits or {}, shards)


def done(event: str = "pull_request") -> Mapping[str, object]:
    """A run of pr-score.yml that has ended, started by `event`."""
    run = {"event": event, "head_sha": HEAD, "id": 3, "html_url": "https://example.org/run/3"}
    return {"workflow_run": run, "repository": {"default_branch": "main"}}


def rescore(shard: int) -> str:
    return f"python scripts/rescore.py --plan TEMP/plan/plan.json --shard {shard}/8 --output TEMP/scores"


def publish(*shards: int) -> str:
    folders = " ".join(f"TEMP/artifacts/scores-{shard}" for shard in shards)
    return f"python scripts/publish.py {folders} --plan TEMP/plan/plan.json"


def git(repository: Path, *words: str) -> str:
    """What a git command prints."""
    command = ["git", "-C", str(repository), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def assert_site_follows(played: Played) -> None:
    assert {job: played.of(job) for job in SITE} == SITE
    assert played.jobs[-2:] == ["build", "deploy"]


def test_a_pull_request_is_gated_and_scored_by_the_base_commit(stage: Callable[..., Stage]) -> None:
    played = stage().play("pr-score.yml", "pull_request", PULL)
    assert played.fine, played.output
    assert [call.text for call in played.calls] == [
        f"checkout {BASE} depth=0 persist=false",
        "setup-python 3.11",
        "setup.sh venv",
        "setup.sh bubblewrap",
        f"git fetch --no-tags origin {HEAD}",
        GATE,
        PREVIEW,
        "upload preview",
    ]
    assert "Summary - # Scores of my_probe" in played.output
    assert not any("TOKEN" in name or "KEY" in name for call in played.calls for name in call.seen)


def test_what_the_gate_refuses_is_not_scored(stage: Callable[..., Stage]) -> None:
    played = stage({"gate.py": 1}).play("pr-score.yml", "pull_request", PULL)
    assert not played.fine
    assert played.of("score")[-1] == GATE


def test_the_gate_itself_lets_an_entry_through(tmp_path: Path) -> None:
    place = Stage(tmp_path, real=("gate.py",))
    base = place.prepare()
    head = place.commit({"contrib/my_probe/entry.toml": "", "contrib/my_probe/method.py": "x = 1\n"})
    played = place.play("pr-score.yml", "pull_request", pull(base, head))
    assert played.fine, played.output
    assert "accepted: my_probe, 2 files" in played.output.partition("Summary - ")[2]
    assert played.of("score")[-2:] == [PREVIEW, "upload preview"]


def test_the_gates_own_words_reach_the_summary(tmp_path: Path) -> None:
    place = Stage(tmp_path, real=("gate.py",))
    base = place.prepare()
    head = place.commit({"contrib/my_probe/entry.toml": "", ".github/workflows/pr-score.yml": "on: push\n"})
    played = place.play("pr-score.yml", "pull_request", pull(base, head))
    assert not played.fine
    assert "gate.py" in played.of("score")[-1]
    summary = played.output.partition("Summary - ")[2]
    assert "got one of the workflows" in summary
    assert "refused" in summary


def test_a_score_that_failed_is_told_and_handed_over(stage: Callable[..., Stage]) -> None:
    played = stage({"preview.py": 1}).play("pr-score.yml", "pull_request", PULL)
    assert not played.fine
    assert played.of("score")[-2:] == [PREVIEW, "upload preview"]
    assert "Summary - # Scores of my_probe" in played.output


def test_a_preview_that_broke_leaves_a_red_run(stage: Callable[..., Stage]) -> None:
    played = stage({"preview.py": 70}).play("pr-score.yml", "pull_request", PULL)
    assert not played.fine
    assert played.of("score")[-1] == "upload preview nothing"


def test_the_comment_is_made_from_the_other_runs_artifact(stage: Callable[..., Stage]) -> None:
    place = stage()
    place.artifact("preview", "preview.json")
    played = place.play("pr-comment.yml", "workflow_run", done())
    assert played.fine, played.output
    assert played.of("comment") == ["download preview to TEMP/preview of run 3", COMMENT]
    assert played.calls[0].text == "checkout main depth=1 persist=false"
    assert [call.text for call in played.calls if "GITHUB_TOKEN" in call.seen] == [COMMENT]


def test_a_pull_request_without_numbers_is_told_so(stage: Callable[..., Stage]) -> None:
    played = stage().play("pr-comment.yml", "workflow_run", done())
    assert played.fine, played.output
    assert played.of("comment") == ["download preview to TEMP/preview of run 3", COMMENT]


def test_a_comment_that_fails_is_seen(stage: Callable[..., Stage]) -> None:
    assert not stage({"comment.py": 1}).play("pr-comment.yml", "workflow_run", done()).fine


def test_other_runs_get_no_comment(stage: Callable[..., Stage]) -> None:
    assert stage().play("pr-comment.yml", "workflow_run", done("push")).calls == []


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """score.yml where all goes well."""
    return Stage(tmp_path_factory.mktemp("scored")).play("score.yml", "push", PUSH)


def test_main_is_planned_scored_published_and_shown(scored: Played) -> None:
    played = scored
    assert played.fine, played.output
    assert played.jobs == ["plan", "score", "publish", "build", "deploy"]
    plan = "python scripts/plan.py --what missing --shards 8 --output TEMP/plan.json --github-output OUTPUT"
    assert played.of("plan") == [plan, "upload plan"]
    for shard in (1, 2):
        assert played.of("score").index(rescore(shard)) < played.of("score").index(f"upload scores-{shard}")
    assert len(played.of("score")) == 6
    assert {call.seen.get("GIT_AUTHOR_NAME") for call in played.that(publish(1, 2))} == {BOT}
    assert played.of("publish") == [
        "download {plan,scores-*} to TEMP/artifacts",
        "download plan to TEMP/plan",
        publish(1, 2),
    ]
    assert_site_follows(played)


def test_what_a_shard_made_arrives_on_main(tmp_path: Path) -> None:
    track = TRACKS["embedding-detection"]
    place = Path(track.key, track.current.number, "marginal_probe")
    stage = Stage(tmp_path, real=("plan.py", "publish.py"))
    shutil.copytree(ROOT / "results" / place, tmp_path / "scored" / place)
    shutil.copytree(ROOT / "contrib" / place.name, stage.repository / "contrib" / place.name)
    keys = Path("results", *place.parts[:2], "fresh.json")
    (stage.repository / keys).parent.mkdir(parents=True)
    shutil.copy(ROOT / keys, stage.repository / keys)
    stage.prepare()
    remote = stage.remote()
    played = stage.play("score.yml", "push", PUSH)
    assert played.fine, played.output
    assert [text for text in played.of("score") if "rescore.py" in text] == [rescore(1)]
    assert played.jobs[-2:] == ["build", "deploy"]
    assert played.of("build")[0] == SITE["build"][0]
    said = git(remote, "log", "--format=%an: %s", "main").splitlines()
    assert said == [f"{BOT}: Scores of marginal_probe", "x: x"]
    path = f"results/{place}/results.json"
    assert git(remote, "diff", "--name-only", "main~1", "main").split() == [path]
    assert git(remote, "show", f"main:{path}") == (ROOT / path).read_text(encoding="utf-8")


def test_shards_score_the_planned_commit_and_alone_see_the_key(scored: Played) -> None:
    shown = [(call.job, call.text) for call in scored.that("checkout")]
    assert shown == [
        ("plan", "checkout main depth=1 persist=false"),
        ("score", f"checkout {PLANNED} depth=1 persist=false"),
        ("score", f"checkout {PLANNED} depth=1 persist=false"),
        ("publish", "checkout main depth=0 persist=true key=the deploy key"),
        ("build", "checkout main depth=1 persist=false"),
    ]
    see = sorted(call.text for call in scored.calls if "LEADERBOARD_FRESH_KEY" in call.seen)
    assert see == [rescore(1), rescore(2)]


def test_a_shard_that_breaks_takes_nothing_else_with_it(stage: Callable[..., Stage]) -> None:
    played = stage({"--shard 1/8": 70}).play("score.yml", "push", PUSH)
    assert not played.fine
    assert {"upload scores-1 nothing", "upload scores-2"} < set(played.of("score"))
    assert played.of("publish")[-1] == publish(2)
    assert_site_follows(played)


def test_a_shard_that_falls_short_hands_over_what_it_has(stage: Callable[..., Stage]) -> None:
    played = stage({"--shard 1/8": 1}, shards=(1,)).play("score.yml", "push", PUSH)
    assert not played.fine
    assert played.of("score")[-1] == "upload scores-1"
    assert played.of("publish")[-1] == publish(1)
    assert_site_follows(played)


def test_a_refused_artifact_does_not_keep_the_good_ones_from_the_site(stage: Callable[..., Stage]) -> None:
    played = stage({"publish.py": 1}).play("score.yml", "push", PUSH)
    assert not played.fine
    assert_site_follows(played)


def test_a_plan_of_nothing_runs_nothing(stage: Callable[..., Stage]) -> None:
    played = stage(shards=()).play("score.yml", "push", PUSH)
    assert played.fine, played.output
    assert played.jobs == ["plan"]


def test_a_plan_that_fails_runs_nothing(stage: Callable[..., Stage]) -> None:
    played = stage({"plan.py": 2}).play("score.yml", "push", PUSH)
    assert not played.fine
    assert played.jobs == ["plan"]


def test_a_maintainer_says_what_to_score(stage: Callable[..., Stage]) -> None:
    played = stage(shards=()).play("score.yml", "workflow_dispatch", {**PUSH, "inputs": {"what": "stale"}})
    assert "--what stale" in played.of("plan")[0]


@pytest.mark.parametrize("code", [0, 1])
def test_what_was_verified_is_kept_told_and_shown(code: int, stage: Callable[..., Stage]) -> None:
    played = stage({"verify.py": code}).play("verify.yml", "schedule", PUSH)
    assert played.fine == (code == 0), played.output
    assert played.of("verify") == [
        "python scripts/verify.py --sample 6 --isolation bwrap --log TEMP/log.json",
        "upload verified",
    ]
    assert played.of("keep") == [
        "download verified to TEMP/verified",
        "python scripts/verified.py keep TEMP/verified/log.json --push",
    ]
    told = played.of("issue")[-1]
    assert told.startswith("python scripts/verified.py issue TEMP/verified/log.json --repository ")
    assert "/actions/runs/" in told.partition("--run-url ")[2]
    assert [call.text for call in played.calls if "GITHUB_TOKEN" in call.seen] == [told]
    assert [call.job for call in played.that("checkout") if "the deploy key" in call.text] == ["keep"]
    assert_site_follows(played)


def test_a_verification_that_broke_keeps_nothing(stage: Callable[..., Stage]) -> None:
    played = stage({"verify.py": 70}).play("verify.yml", "schedule", PUSH)
    assert not played.fine
    assert played.jobs == ["verify"]


def test_the_site_is_built_checked_and_deployed(stage: Callable[..., Stage]) -> None:
    played = stage().play("site.yml", "push", PUSH)
    assert played.fine, played.output
    assert_site_follows(played)
    (build,) = played.that("python scripts/build_site.py")
    assert build.seen["SITE_URL"] == "https://octo.github.io/board/"


def test_a_site_of_its_own_address_is_built_for_it(tmp_path: Path) -> None:
    played = Stage(tmp_path, site="https://board.example.org/").play("site.yml", "push", PUSH)
    assert played.fine, played.output
    assert played.that("python scripts/build_site.py")[0].seen["SITE_URL"] == "https://board.example.org/"
    assert played.of("build")[1] == "python scripts/check_links.py public --base /"


def test_a_commit_that_calls_for_the_site_itself_does_not_build_it_twice(stage: Callable[..., Stage]) -> None:
    head = {"author": {"name": BOT}, "committer": {"name": BOT}}
    played = stage().play("site.yml", "push", {**PUSH, "head_commit": head})
    assert played.fine, played.output
    assert played.calls == []


def test_a_contributor_with_the_name_of_the_bot_keeps_no_site_from_being_built(
    stage: Callable[..., Stage],
) -> None:
    head = {"author": {"name": BOT}, "committer": {"name": "GitHub"}}
    played = stage().play("site.yml", "push", {**PUSH, "head_commit": head})
    assert played.fine, played.output
    assert_site_follows(played)


@pytest.mark.parametrize("broken", ["build_site.py", "check_links.py"])
def test_a_broken_site_is_not_deployed(broken: str, stage: Callable[..., Stage]) -> None:
    played = stage({broken: 1}).play("site.yml", "push", PUSH)
    assert not played.fine
    assert played.jobs == ["build"]


@pytest.mark.parametrize("code", [0, 1])
def test_a_preview_of_the_site_can_be_downloaded(code: int, stage: Callable[..., Stage]) -> None:
    played = stage({"check_links.py": code}).play("site-preview.yml", "pull_request", PULL)
    assert played.fine == (code == 0), played.output
    assert played.of("build") == [
        "python scripts/build_site.py",
        "python scripts/check_links.py public",
        "upload site",
    ]


def test_a_change_is_checked_on_each_system(stage: Callable[..., Stage]) -> None:
    played = stage().play("ci.yml", "pull_request", PULL)
    assert played.fine, played.output
    assert sorted(call.text for call in played.that("setup-python")) == [
        "setup-python 3.11",
        "setup-python 3.11",
        "setup-python 3.14",
    ]
    assert played.of("linux") == ["run", "run"]
    assert [(call.text, call.seen["CI"]) for call in played.that("make")] == [("make leaderboard", "")]


def test_one_system_that_fails_does_not_hide_the_others(stage: Callable[..., Stage]) -> None:
    played = stage({"run": 1}).play("ci.yml", "pull_request", PULL)
    assert not played.fine
    assert played.of("linux") == ["run", "run"]
    assert played.of("macos") == ["make leaderboard"]
