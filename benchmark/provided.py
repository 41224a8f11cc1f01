"""What of this package an entry may import: the shared models, and nothing beside them."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
FILES = ("__init__.py", "training.py", "models.py")
"""The files of `benchmark/` that are provided."""
MODULE = "benchmark.models"
"""What entries import."""


@contextmanager
def provided() -> Iterator[Path]:
    """A folder to import `benchmark.models` from, gone on leaving."""
    with TemporaryDirectory(prefix="provided-") as name:
        package = Path(name, HERE.name)
        package.mkdir()
        for file in FILES:
            shutil.copyfile(HERE / file, package / file)
        yield Path(name)
