"""The literal table of tracks."""

from collections.abc import Mapping

from benchmark.tracks import embedding_detection
from benchmark.tracks.spec import Track

TRACKS: Mapping[str, Track] = {
    embedding_detection.KEY: embedding_detection.TRACK,
}
