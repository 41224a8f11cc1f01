"""A small client of GitHub's REST API: pages, bounded retries, and one text that is kept up to date."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.auth import AuthBase

from benchmark.errors import GitHubError, UsageError
from benchmark.pipeline.checkout import SHA
from benchmark.text import fault, printable, shown

API = "https://api.github.com"
"""Where the API is, unless GITHUB_API_URL says otherwise."""
BOT = "github-actions[bot]"
"""Whose comments and issues are ours: the user of a workflow's own token."""
REPOSITORY = re.compile(r"[A-Za-z0-9-]{1,39}/(?!\.{1,2}$)[A-Za-z0-9_.-]{1,100}")
RUN_URL = re.compile(r"https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9_.-]+){2}/actions/runs/[0-9]+(/attempts/[0-9]+)?")
"""The address of a workflow's run."""
ATTEMPTS = 5
"""How often a request is made before it is given up."""
LONGEST_WAIT = 60.0
"""How many seconds a request waits before it is made again, at the most."""
TIMEOUT = (10.0, 30.0)
"""Seconds to connect, and between two pieces of an answer."""
MOST_PAGES = 100
"""How many pages of a list are read."""

Json = dict[str, Any]
Pause = Callable[[float], None]


class UnsureError(GitHubError):
    """Nobody knows whether something was made: it has to be looked for before it is made again."""


class _Bearer(AuthBase):
    """The token, in each request; it also keeps a .netrc file from being read."""

    def __init__(self, token: str) -> None:
        self.token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self.token}"
        return request


def wait(seconds: float) -> None:
    """Nothing, after so many seconds."""
    time.sleep(seconds)


class GitHub:
    """One repository on GitHub, as a token may see and change it."""

    def __init__(self, repository: str, token: str, api: str = API, pause: Pause = wait) -> None:
        """Raises UsageError when the repository's name, the token or the address cannot be right."""
        if not REPOSITORY.fullmatch(repository):
            raise UsageError(fault("--repository", "OWNER/NAME", shown(repository), "mend it"))
        if not re.fullmatch(r"[!-~]+", token):
            got = "other characters" if token else "nothing"
            raise UsageError(fault("GITHUB_TOKEN", "a token", got, "set the variable"))
        if not re.fullmatch(r"https?://[!-~]+", api):
            raise UsageError(fault("GITHUB_API_URL", "an address", shown(api), "mend or unset it"))
        self.root = f"{api.rstrip('/')}/repos/{repository}"
        """The address that all paths begin with."""
        self._pause = pause
        self._session = requests.Session()
        self._session.auth = _Bearer(token)
        self._session.headers.update(
            {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        )

    def every(self, path: str, **query: str) -> Iterator[Json]:
        """All items of a list, page by page. Raises GitHubError when a page cannot be had."""
        address: str | None = f"{self.root}/{path}"
        parameters: Mapping[str, str] = {**query, "per_page": "100"}
        for _ in range(MOST_PAGES):
            answer = self._asked("GET", address, params=parameters)
            items = _json(answer)
            if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
                raise GitHubError(fault(f"GET {_path(answer.url)}", "a list of objects", "another", "retry"))
            yield from items
            address, parameters = answer.links.get("next", {}).get("url"), {}
            if address is None:
                return
            if _server(address) != _server(self.root):
                raise GitHubError(fault(f"GET {path}", "the next page at the same place", "another", "retry"))
        raise GitHubError(fault(f"GET {path}", f"at most {MOST_PAGES} pages", "more", "close what is old"))

    def make(self, path: str, content: Json) -> Json:
        """What was made of `content`. Raises UnsureError when it may have been, GitHubError when not."""
        return _object(self._asked("POST", f"{self.root}/{path}", json=content))

    def change(self, path: str, content: Json) -> Json:
        """What there is after the change. Raises GitHubError when it could not be made."""
        return _object(self._asked("PATCH", f"{self.root}/{path}", json=content))

    def patiently(self, step: Callable[[], str]) -> str:
        """What `step` gives, which looks before it makes; done again while nobody knows what it made."""
        for attempt in range(1, ATTEMPTS):
            try:
                return step()
            except UnsureError:
                self._pause(2.0**attempt)
        return step()

    def _asked(self, method: str, address: str | None, **more: Any) -> requests.Response:
        """The answer to a request, made again while GitHub is out of reach or asks to wait."""
        assert address is not None
        where = f"{method} {_path(address)}"
        for attempt in range(1, ATTEMPTS + 1):
            try:
                answer = self._session.request(
                    method, address, timeout=TIMEOUT, allow_redirects=False, **more
                )
            except requests.RequestException as error:
                trouble = _Trouble(type(error).__name__, 2.0 ** (attempt - 1), True)
            else:
                if 200 <= answer.status_code < 300:
                    return answer
                trouble = _trouble(answer, attempt)
            if method == "POST" and trouble.may_be_done:
                raise UnsureError(fault(where, "an answer", trouble.got, "look whether it was done"))
            if trouble.wait is None or trouble.wait > LONGEST_WAIT or attempt == ATTEMPTS:
                raise GitHubError(fault(where, "success", trouble.got, trouble.step))
            self._pause(trouble.wait)
        raise AssertionError("the last attempt returns or raises")


@dataclass(frozen=True)
class _Trouble:
    """Why a request has to be made again, or given up."""

    got: str
    """What came instead of success."""
    wait: float | None
    """After how many seconds it is worth another try; None for never."""
    may_be_done: bool
    """Whether it may have been carried out all the same."""
    step: str = "run the job again later"
    """What mends it."""


def _trouble(answer: requests.Response, attempt: int) -> _Trouble:
    """What an answer other than success says."""
    status, headers = answer.status_code, answer.headers
    got = f"{status} {_message(answer)}"
    if status >= 500:
        return _Trouble(got, 2.0 ** (attempt - 1), True)
    limited = "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"
    if status == 429 or (status == 403 and (limited or "rate limit" in got.lower())):
        return _Trouble(got, _seconds(headers, 2.0**attempt), False)
    if status in (401, 403, 404):
        step = "give the job's token the permission, in the workflow and in the repository's settings"
        return _Trouble(got, None, False, step)
    return _Trouble(got, None, False, "check what was asked for")


def _seconds(headers: Mapping[str, str], otherwise: float) -> float:
    """How long a limited request is to wait, as the answer says."""
    if (said := headers.get("retry-after", "")).isdecimal():
        return float(said[:9])
    if (
        headers.get("x-ratelimit-remaining") == "0"
        and (at := headers.get("x-ratelimit-reset", "")).isdecimal()
    ):
        return max(0.0, float(at[:12]) - time.time()) + 1
    return otherwise


def _message(answer: requests.Response) -> str:
    """GitHub's own word on a failure, short and on one line."""
    content = _json(answer)
    said = content.get("message") if isinstance(content, dict) else None
    return printable(said)[:200] if isinstance(said, str) else printable(answer.reason or "")[:200]


def _json(answer: requests.Response) -> object:
    try:
        return answer.json()
    except (ValueError, RecursionError):
        return None


def _object(answer: requests.Response) -> Json:
    content = _json(answer)
    return content if isinstance(content, dict) else {}


def _server(address: str) -> tuple[str, str] | None:
    """The scheme and the server of an address; None for what is no address."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return parts.scheme, parts.netloc


def _path(address: str) -> str:
    return printable(urlsplit(address).path)[:200]


def by_us(item: Json, marker: str) -> bool:
    """Whether a comment or an issue is ours: by the token's own user, and it begins with `marker`."""
    user, body = item.get("user"), item.get("body")
    login = user.get("login") if isinstance(user, dict) else None
    return login == BOT and isinstance(body, str) and body.startswith(marker)


def checked_run(url: str) -> str:
    """The address of a run. Raises UsageError for any other."""
    if RUN_URL.fullmatch(url):
        return url
    step = "give server/owner/name/actions/runs/number"
    raise UsageError(fault("--run-url", "the address of a workflow's run", shown(url), step))


def checked_sha(sha: str) -> str:
    """The full SHA of a commit. Raises UsageError for anything else."""
    if SHA.fullmatch(sha):
        return sha
    raise UsageError(fault("--head", "the full SHA of a commit", shown(sha), "give all of it"))
