"""Checks that the links of the built site lead somewhere."""

from pathlib import Path
from typing import Annotated

import typer

from benchmark.commands import ROOT, Exit, complain, near, run
from benchmark.errors import UsageError
from benchmark.pages.links import check_site
from benchmark.text import fault


def main(
    site: Annotated[Path, typer.Argument(help="The built site.")] = ROOT / "public",
    base: Annotated[str, typer.Option(help="The path that the site is served below.")] = "/",
) -> None:
    """Check links and anchors. Exit codes: 0 all lead somewhere, 1 some do not, 2 wrong use."""
    if not (site / "index.html").is_file():
        raise UsageError(fault(near(site), "a built site", "no index.html", "run scripts/build_site.py"))
    if not (base.startswith("/") and base.endswith("/")):
        raise UsageError(fault("--base", "a path that begins and ends with /", base, "such as /name/"))
    found = check_site(site, base)
    complain(found.faults)
    count = len(found.faults)
    faults = f"{count or 'no'} fault{'' if count == 1 else 's'}"
    print(f"checked {found.links} links on {found.pages} pages: {faults}")
    raise SystemExit(Exit.SHORT if found.faults else Exit.FINE)


if __name__ == "__main__":
    run(main)
