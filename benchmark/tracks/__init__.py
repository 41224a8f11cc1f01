"""The literal table of tracks."""

from collections.abc import Mapping

from benchmark.tracks import embedding_detection, embedding_mitigation, image_detection, image_mitigation
from benchmark.tracks.spec import Track

TRACKS: Mapping[str, Track] = {
    embedding_detection.KEY: embedding_detection.TRACK,
    embedding_mitigation.KEY: embedding_mitigation.TRACK,
    image_detection.KEY: image_detection.TRACK,
    image_mitigation.KEY: image_mitigation.TRACK,
}
