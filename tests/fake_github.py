"""A GitHub on this machine, as far as comments and issues go; it records every request."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

BOT = "github-actions[bot]"
ROOT = "/repos/owner/name"
TOKEN = "a-token-that-must-not-be-shown"
RUN = "https://github.com/owner/name/actions/runs/7"
Json = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """One request that came."""

    method: str
    """Such as GET."""
    path: str
    """Path and query."""
    token: str
    """The header Authorization."""
    content: Json
    """The body; empty where there is none."""


@dataclass(frozen=True)
class Trouble:
    """An answer other than the right one, given once."""

    status: int
    """The status."""
    headers: dict[str, str] = field(default_factory=dict)
    """Further headers."""
    body: bytes = b'{"message": "no luck"}'
    """The body."""
    method: str = ""
    """The method it waits for; any where empty."""
    after: bool = False
    """Whether the request is carried out before."""


class FakeGitHub:
    """The state of one repository, which tests fill and look at."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        """What came, in order."""
        self.pulls: list[Json] = []
        """The open pull requests."""
        self.issues: list[Json] = []
        """The issues, open and closed."""
        self.comments: dict[int, list[Json]] = {}
        """The comments, by number of pull request or issue."""
        self.troubles: list[Trouble] = []
        """What goes wrong next."""
        self.page = 2
        """How many items a page holds."""
        self.address = ""
        """Where it is."""

    def pull(self, number: int, sha: str) -> None:
        """Opens a pull request."""
        self.pulls.append({"number": number, "state": "open", "head": {"sha": sha}})

    def comment(self, number: int, body: str, login: str = BOT) -> Json:
        """Adds a comment, and gives it."""
        ids = sum(map(len, self.comments.values())) + 100
        made = {"id": ids, "body": body, "user": {"login": login}}
        self.comments.setdefault(number, []).append(made)
        return made

    def issue(self, content: Json, login: str = BOT) -> Json:
        """Opens an issue, and gives it."""
        labels = [{"name": name} for name in content.get("labels", [])]
        made = {**content, "number": len(self.issues) + 1, "state": "open", "labels": labels}
        self.issues.append({**made, "user": {"login": login}})
        return made

    def sent(self, *methods: str) -> list[Request]:
        """The requests by these methods."""
        return [request for request in self.requests if request.method in methods]

    def answer(self, request: Request) -> tuple[int, object]:
        """What the request gets: a status and content."""
        parts = urlsplit(request.path)
        path, query = parts.path.removeprefix(f"{ROOT}/"), parse_qs(parts.query)
        if not parts.path.startswith(ROOT) or request.token != f"Bearer {TOKEN}":
            return 404, {"message": "Not Found"}
        if request.method == "GET":
            return self._listed(path, query)
        if request.method == "POST" and path == "issues":
            return 201, self.issue(request.content)
        if request.method == "POST" and (match := re.fullmatch(r"issues/(\d+)/comments", path)):
            return 201, self.comment(int(match[1]), request.content["body"])
        everything = [*self.issues, *(one for held in self.comments.values() for one in held)]
        for one in everything:
            if path in (f"issues/{one.get('number')}", f"issues/comments/{one.get('id')}"):
                one.update(request.content)
                return 200, one
        return 404, {"message": "Not Found"}

    def _listed(self, path: str, query: dict[str, list[str]]) -> tuple[int, object]:
        if path == "pulls":
            return 200, self.pulls
        if path == "issues":
            wanted = query.get("labels", [""])[0]
            open_ones = [one for one in self.issues if one["state"] == "open"]
            return 200, [
                one for one in open_ones if not wanted or wanted in [label["name"] for label in one["labels"]]
            ]
        if match := re.fullmatch(r"issues/(\d+)/comments", path):
            return 200, self.comments.get(int(match[1]), [])
        return 404, {"message": "Not Found"}


class _Server(ThreadingHTTPServer):
    def __init__(self, fake: FakeGitHub) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.fake = fake


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        fake = self.server.fake
        length = int(self.headers.get("Content-Length") or 0)
        content = json.loads(self.rfile.read(length) or b"{}")
        request = Request(self.command, self.path, self.headers.get("Authorization", ""), content)
        fake.requests.append(request)
        for trouble in fake.troubles:
            if trouble.method in ("", request.method):
                fake.troubles.remove(trouble)
                if trouble.after:
                    fake.answer(request)
                self._send(trouble.status, trouble.headers, trouble.body)
                return
        status, found = fake.answer(request)
        headers: dict[str, str] = {}
        if isinstance(found, list):
            found, headers = self._page(found)
        self._send(status, headers, json.dumps(found).encode())

    def do_POST(self) -> None:
        self.do_GET()

    def do_PATCH(self) -> None:
        self.do_GET()

    def _page(self, found: list[Json]) -> tuple[list[Json], dict[str, str]]:
        parts = urlsplit(self.path)
        number = int(parse_qs(parts.query).get("page", ["1"])[0])
        fake = self.server.fake
        start, end = (number - 1) * fake.page, number * fake.page
        more = re.sub(r"&page=\d+", "", parts.query) + f"&page={number + 1}"
        link = f'<{fake.address}{parts.path}?{more}>; rel="next", <{fake.address}/x>; rel="last"'
        return found[start:end], {"Link": link} if end < len(found) else {}

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving() -> Iterator[FakeGitHub]:
    """A fake that answers at its `address` until it is left."""
    fake = FakeGitHub()
    server = _Server(fake)
    fake.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
