"""Builds the site from what is committed."""

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Annotated

import typer

from benchmark.commands import ROOT, near, run
from benchmark.errors import UsageError
from benchmark.pages.build import build


def main(
    serve: Annotated[bool, typer.Option(help="Serve the site on this machine until interrupted.")] = False,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to serve it on.")] = 8000,
) -> None:
    """Renders site/leaderboard/ and builds public/ strictly; prints the file to open."""
    page = build(ROOT)
    typer.echo(f"open {near(page)}")
    if serve:
        serve_folder(page.parent, port)


def serve_folder(folder: Path, port: int) -> None:
    """Serves `folder` on 127.0.0.1 until interrupted. Raises UsageError when the port is taken."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise UsageError(
            f"--port: expected a free port, got {port} ({error.strerror}); choose another"
        ) from None
    typer.echo(f"serving http://127.0.0.1:{port}/ (Ctrl+C ends it)")
    try:
        with server:
            server.serve_forever()
    except KeyboardInterrupt:
        typer.echo("ended")


if __name__ == "__main__":
    run(main)
