from dataclasses import replace

import numpy as np
import pytest

from benchmark.digests import scorer_digest, suite_digest
from benchmark.metrics import METRICS
from benchmark.records import Call, CallFailed, Case, CaseKey, Field, Judgement, Kind, Status
from benchmark.seeds import entry_seed
from benchmark.tracks import TRACKS
from benchmark.tracks.detection import MAX_FLAG_FPR, examine_detector
from benchmark.tracks.spec import Track, Version

VERSIONS = [(track, version) for track in TRACKS.values() for version in track.versions]
IDS = [f"{track.key}@{version.number}" for track, version in VERSIONS]

GOLDEN = {
    "embedding-detection@1.0": (
        "80b722688412ad11d3a235a8b0d706850416f4733b63764f654087f728c43912",
        "3c5d280f7857cd178dc995df67424f5d32b66b3e88fcd0b5d87f77e02f30ce72",
    ),
    "embedding-detection@1.1": (
        "27a331f412715dcae945f023926dba27b4566551e6aff5ead20b3930dd3b0dd7",
        "ac22e9706ace2acd22ef3ad03d29b21de54408baa25b9d0d5107f14173015636",
    ),
    "embedding-detection@1.2": (
        "d8fa12f82c98498759402fea2e557c80b2a4cfa80352ad14bf3747b88faa0e92",
        "ac22e9706ace2acd22ef3ad03d29b21de54408baa25b9d0d5107f14173015636",
    ),
    "embedding-mitigation@1.0": (
        "72c2bb04e69dd5528f6611fd351f5e1d07dc163ea5c62364381e537e48ccb39e",
        "87739137fab5a46d279493d39bf047de90de6da257d0f517fd24d0ba69f6c711",
    ),
    "embedding-mitigation@1.1": (
        "48ef857583c27ff08c108a36e4907d71c081d900095a6eda70ab361b524acfb4",
        "20a1e32416626925cdc4e1b00a0ecccdd28f4dd25ff9e480f5a63cfb1b7c9df4",
    ),
    "image-detection@1.0": (
        "1785d15e485a6e259c9e8ca839eb8c5e1be1f8090df9a9c0bf2b945ce8982d21",
        "b107a6467e1ad04ea7c54970064d1e8df6f47df3f0032fce994dcd13106c5b68",
    ),
    "image-mitigation@1.0": (
        "531771f8dadaff498ca43cb2590a47e3f2908fd646545162e45e99b238e8bd1c",
        "ee2821a358ccf0e077c9160ac734bd36d9cb182361620895adfbfc6d8fbc8e67",
    ),
}
"""The digests of each version's data and metrics; they never change once results exist."""


def test_every_version_has_its_golden_digests() -> None:
    assert list(GOLDEN) == IDS


@pytest.mark.parametrize(("track", "version"), VERSIONS, ids=IDS)
def test_data_and_metrics_have_not_changed_without_a_new_version(track: Track, version: Version) -> None:
    suite, scorer = GOLDEN[f"{track.key}@{version.number}"]
    assert version.suite_digest == suite
    assert suite_digest(version, version.keys()) == suite
    assert scorer_digest(version) == scorer


def test_a_changed_dataset_and_a_changed_metric_change_the_digests() -> None:
    version = TRACKS["embedding-detection"].current
    key = version.keys("quick")[0]

    def nudged(key: CaseKey) -> Case:
        case = version.generate(key)
        moved = case.seen["embeddings"].copy()
        moved[0, 0] = np.nextafter(moved[0, 0], np.inf)
        return replace(case, seen={**case.seen, "embeddings": moved})

    assert suite_digest(version, [key]) != suite_digest(replace(version, generate=nudged), [key])
    assert scorer_digest(version) != scorer_digest(replace(version, metrics=("auroc",)))


@pytest.mark.parametrize(("track", "version"), VERSIONS, ids=IDS)
def test_a_version_is_whole(track: Track, version: Version) -> None:
    assert set(version.metrics) <= set(METRICS)
    assert version.ranking in version.metrics
    assert set(version.breakdown) <= set(METRICS)
    ids = [key.id for key in version.keys()]
    assert len(set(ids)) == len(ids)
    quick = [key.id for key in version.keys("quick")]
    assert set(quick) < set(ids)
    assert not set(ids) & {key.id for key in version.keys(offset=1)}


def test_embedding_detection_suites_are_those_of_the_specification() -> None:
    track = TRACKS["embedding-detection"]
    assert track.version == "1.2" and MAX_FLAG_FPR == 0.2
    counts = {
        version.number: [
            (sum(k.kind is Kind.NULL for k in version.keys(suite)), len(version.keys(suite)))
            for suite in ("full", "quick")
        ]
        for version in track.versions
    }
    assert counts == {
        "1.0": [(30, 120), (6, 24)],
        "1.1": [(90, 180), (6, 24)],
        "1.2": [(90, 180), (6, 24)],
    }


def test_the_cases_of_one_seed_differ_between_variants_and_strengths() -> None:
    version = TRACKS["embedding-detection"].current
    first = [version.generate(key).seen["embeddings"] for key in version.keys() if key.seed == 0]
    assert len(first) == 12
    assert len({array.tobytes() for array in first}) == 12


def test_the_first_two_versions_share_their_common_cases() -> None:
    old, new, _ = TRACKS["embedding-detection"].versions
    shared = {key.id for key in old.keys()} & {key.id for key in new.keys()}
    assert len(shared) == 120


def test_nothing_seen_tells_null_from_shortcut() -> None:
    version = TRACKS["embedding-detection"].current
    looks = {
        tuple(
            (name, a.shape, a.dtype.str, a.flags.c_contiguous)
            for name, a in version.generate(key).seen.items()
        )
        for key in version.keys("quick")
    }
    assert len(looks) == 1
    labels = [version.generate(key).seen["task_labels"].sum() for key in version.keys("quick")]
    assert set(labels) == {300}


def test_a_detector_is_asked_once_with_a_seed_made_of_what_it_sees() -> None:
    calls: list[Call] = []

    def answer(call: Call) -> dict[str, np.ndarray]:
        calls.append(call)
        return {"score": np.float64(0.5), "flag": np.bool_(True)}

    version = TRACKS["embedding-detection"].current
    case = version.generate(version.keys()[0])
    assert examine_detector(case, answer, answer) == Judgement(0.5, True, {}, frozenset({"flag"}))
    (call,) = calls
    assert set(call.arguments) == {"embeddings", "attribute", "task_labels", "seed"}
    assert call.arguments["seed"] == entry_seed(case.seen) != case.key.seed
    assert call.returns == (Field("score", "float64"), Field("flag", "bool", optional=True))


@pytest.mark.parametrize(
    ("score", "fits"), [(1e12, True), (-1e12, True), (1.01e12, False), (-1.797e308, False)]
)
def test_a_score_too_large_to_be_shown_fails_its_case(score: float, fits: bool) -> None:
    def answer(_: Call) -> dict[str, np.ndarray]:
        return {"score": np.float64(score)}

    version = TRACKS["embedding-detection"].current
    case = version.generate(version.keys("quick")[0])
    if fits:
        assert examine_detector(case, answer, answer).score == score
    else:
        with pytest.raises(CallFailed, match=r"score: expected a number of size up to 1e\+12") as failed:
            examine_detector(case, answer, answer)
        assert failed.value.status is Status.BAD_OUTPUT
