"""The client of GitHub, against one on this machine."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests

from benchmark.errors import GitHubError, UsageError
from benchmark.pipeline import github as module
from benchmark.pipeline.github import ATTEMPTS, LONGEST_WAIT, GitHub, UnsureError, checked_run, checked_sha
from tests.fake_github import RUN, TOKEN, FakeGitHub, Trouble, serving


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as server:
        yield server


class Waits(list[float]):
    """The waits asked for, none of them waited."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def client(fake: FakeGitHub, pause: Callable[[float], None] | None = None) -> GitHub:
    return GitHub("owner/name", TOKEN, fake.address, Waits() if pause is None else pause)


def test_a_list_is_read_to_its_last_page(fake: FakeGitHub) -> None:
    for number in range(1, 6):
        fake.pull(number, "a" * 40)
    assert [pull["number"] for pull in client(fake).every("pulls", state="open")] == [1, 2, 3, 4, 5]
    assert [request.path for request in fake.requests] == [
        "/repos/owner/name/pulls?state=open&per_page=100",
        "/repos/owner/name/pulls?state=open&per_page=100&page=2",
        "/repos/owner/name/pulls?state=open&per_page=100&page=3",
    ]
    assert {request.token for request in fake.requests} == {f"Bearer {TOKEN}"}


def test_the_token_follows_no_link_elsewhere_and_no_redirect(fake: FakeGitHub) -> None:
    with serving() as other:
        link = {"Link": f'<{other.address}/repos/owner/name/pulls?page=2>; rel="next"'}
        fake.troubles = [Trouble(200, link, b"[]")]
        with pytest.raises(GitHubError, match="the next page at the same place"):
            list(client(fake).every("pulls"))
        fake.troubles = [Trouble(301, {"Location": f"{other.address}/repos/owner/name/pulls"})]
        with pytest.raises(GitHubError, match="got 301 no luck"):
            list(client(fake).every("pulls"))
        assert other.requests == []


@pytest.mark.parametrize(
    "address", ["http://[", "http://[::1", "", "//", "pulls?page=2", "file:///etc/hosts"]
)
def test_a_next_page_without_a_proper_address_is_an_error(fake: FakeGitHub, address: str) -> None:
    fake.troubles = [Trouble(200, {"Link": f'<{address}>; rel="next"'}, b"[]")]
    with pytest.raises(GitHubError, match="the next page at the same place"):
        list(client(fake).every("pulls"))
    assert len(fake.requests) == 1


def test_a_list_without_end_is_given_up(fake: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PAGES", 3)
    for number in range(1, 10):
        fake.pull(number, "a" * 40)
    with pytest.raises(GitHubError, match="at most 3 pages"):
        list(client(fake).every("pulls"))
    assert len(fake.requests) == 3


@pytest.mark.parametrize(
    ("trouble", "wait"),
    [
        (Trouble(502), 1.0),
        (Trouble(503, body=b"<html>"), 1.0),
        (Trouble(429), 2.0),
        (Trouble(429, {"Retry-After": "7"}), 7.0),
        (Trouble(403, {"Retry-After": "5"}), 5.0),
        (Trouble(403, body=b'{"message": "You have exceeded a secondary rate limit."}'), 2.0),
    ],
)
def test_what_passes_is_waited_for(fake: FakeGitHub, trouble: Trouble, wait: float) -> None:
    fake.pull(1, "a" * 40)
    fake.troubles = [trouble]
    waits = Waits()
    assert len(list(client(fake, waits).every("pulls"))) == 1
    assert waits == [wait]


def test_a_spent_limit_is_waited_for_until_it_is_renewed(fake: FakeGitHub) -> None:
    fake.troubles = [
        Trouble(403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 20)})
    ]
    waits = Waits()
    list(client(fake, waits).every("pulls"))
    assert len(waits) == 1 and 15 < waits[0] <= 21


@pytest.mark.parametrize(
    "trouble",
    [
        Trouble(429, {"Retry-After": "3600"}),
        Trouble(403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999"}),
    ],
)
def test_a_long_wait_is_not_waited(fake: FakeGitHub, trouble: Trouble) -> None:
    fake.troubles = [trouble]
    waits = Waits()
    with pytest.raises(GitHubError, match="run the job again later"):
        list(client(fake, waits).every("pulls"))
    assert waits == [] and len(fake.requests) == 1


def test_what_does_not_pass_is_given_up(fake: FakeGitHub) -> None:
    fake.troubles = [Trouble(502) for _ in range(ATTEMPTS)]
    waits = Waits()
    with pytest.raises(GitHubError) as failed:
        list(client(fake, waits).every("pulls"))
    assert failed.value.faults == (
        "GET /repos/owner/name/pulls: expected success, got 502 no luck; run the job again later",
    )
    assert waits == [1.0, 2.0, 4.0, 8.0] and max(waits) < LONGEST_WAIT
    assert failed.value.exit_code == 1


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_is_forbidden_is_said_at_once_without_the_token(fake: FakeGitHub, status: int) -> None:
    fake.troubles = [Trouble(status, body=b'{"message": "Resource not accessible\\u001b by integration"}')]
    with pytest.raises(GitHubError) as failed:
        client(fake).make("issues/1/comments", {"body": "x"})
    (said,) = failed.value.faults
    assert said == (
        f"POST /repos/owner/name/issues/1/comments: expected success, got {status} Resource not "
        "accessible\\x1b by integration; give the job's token the permission, in the workflow and in the "
        "repository's settings"
    )
    assert TOKEN not in said and len(fake.requests) == 1


def test_what_may_have_been_made_is_not_made_again_blindly(fake: FakeGitHub) -> None:
    fake.troubles = [Trouble(502, after=True)]
    with pytest.raises(UnsureError):
        client(fake).make("issues/1/comments", {"body": "x"})
    assert len(fake.comments[1]) == 1 and len(fake.requests) == 1


def test_a_refused_post_is_made_again(fake: FakeGitHub) -> None:
    fake.troubles = [Trouble(429, {"Retry-After": "0"})]
    assert client(fake).make("issues/1/comments", {"body": "x"})["body"] == "x"
    assert len(fake.comments[1]) == 1


@pytest.mark.parametrize("body", [b"{}", b"[1]", b"null", b"not json", b"[" * 100_000])
def test_a_list_that_is_none_is_an_error(fake: FakeGitHub, body: bytes) -> None:
    fake.troubles = [Trouble(200, body=body)]
    with pytest.raises(GitHubError, match="expected a list of objects"):
        list(client(fake).every("pulls"))


def test_a_server_out_of_reach_is_told_without_the_token() -> None:
    waits = Waits()
    with pytest.raises(GitHubError, match="got ConnectionError") as failed:
        list(GitHub("owner/name", TOKEN, "http://127.0.0.1:9", waits).every("pulls"))
    assert TOKEN not in str(failed.value) and len(waits) == ATTEMPTS - 1


def test_a_file_of_passwords_is_not_read(
    fake: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login other password other\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    assert requests.utils.get_netrc_auth(fake.address) == ("other", "other")
    list(client(fake).every("pulls"))
    assert fake.requests[0].token == f"Bearer {TOKEN}"


@pytest.mark.parametrize(
    ("repository", "token", "api"),
    [
        ("owner", "t", "https://a"),
        ("owner/..", "t", "https://a"),
        ("owner/name/x", "t", "https://a"),
        ("owner/na me", "t", "https://a"),
        ("owner/name", "", "https://a"),
        ("owner/name", "t\r\nX: y", "https://a"),
        ("owner/name", "t", "file:///etc"),
        ("owner/name", "t", ""),
    ],
)
def test_wrong_use_is_told(repository: str, token: str, api: str) -> None:
    with pytest.raises(UsageError) as wrong:
        GitHub(repository, token, api)
    assert "X: y" not in str(wrong.value)


@pytest.mark.parametrize(
    "url", ["", "https://github.com/o/n", f"{RUN}) <b>", "javascript:alert(1)", f"{RUN}?x=[y](z)", f"{RUN}\n"]
)
def test_only_the_address_of_a_run_is_one(url: str) -> None:
    assert checked_run(RUN) == RUN
    assert checked_run(f"{RUN}/attempts/2") == f"{RUN}/attempts/2"
    with pytest.raises(UsageError, match="--run-url"):
        checked_run(url)


@pytest.mark.parametrize("sha", ["", "main", "a" * 39, "A" * 40, "a" * 40 + "\n", "a" * 50])
def test_only_a_full_sha_is_one(sha: str) -> None:
    assert checked_sha("a" * 40) == "a" * 40
    assert checked_sha("0" * 64) == "0" * 64
    with pytest.raises(UsageError, match="--head"):
        checked_sha(sha)
