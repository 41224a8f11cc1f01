"""Builders of previews."""

import json
from pathlib import Path
from typing import Any

from benchmark.pipeline.preview import FILE_NAME, Preview
from benchmark.tracks import TRACKS

Json = dict[str, Any]
DETECTION = TRACKS["embedding-detection"].current


def standing(**changes: object) -> Json:
    """A place from 2 to 3 of 9, level with two entries."""
    level = ["random_forest_probe", "quadratic_probe"]
    return {"group": "calibrated", "low": 2, "high": 3, "ranked": 9, "level": level, **changes}


def track(**changes: object) -> Json:
    """A complete track with a value and an interval for each metric."""
    metrics = dict.fromkeys(DETECTION.metrics, 0.125)
    return {
        "track": "embedding-detection",
        "version": "1.1",
        "status": "complete",
        "cases": 360,
        "failed": {},
        "metrics": metrics,
        "intervals": {name: [0.0625, 0.25] for name in metrics},
        "rank": standing(),
        **changes,
    }


def preview(*tracks: Json, **changes: object) -> Json:
    """A preview of these tracks; of one complete one by default."""
    held = list(tracks) or [track()]
    return {"schema": 1, "entry": "new_probe", "suite": "full", "faults": 0, "tracks": held, **changes}


def parsed(content: Json) -> Preview:
    """The preview that such content is."""
    return Preview.model_validate_json(json.dumps(content), by_alias=True)


def written(folder: Path, content: Json | bytes) -> Path:
    """The folder, with the content as its preview."""
    folder.mkdir(parents=True, exist_ok=True)
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    (folder / FILE_NAME).write_bytes(data)
    return folder
