import ast
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from benchmark.entries import read_entry
from benchmark.errors import UsageError
from benchmark.scaffold import descriptor_text, function_names, method_text, write_entry
from benchmark.source_check import function_faults, parse_source
from benchmark.tracks import TRACKS
from benchmark.tracks.spec import Signature, Track

TRACK = TRACKS["embedding-detection"]
IMAGES = replace(
    TRACK,
    key="image-detection",
    signature=Signature("detect", ("images", "seed"), "float"),
    scaffold='"""Another\ndocstring."""\n\nimport math\n\nimport numpy as np\n\nLIMIT = 2\n\n\n'
    "def detect(images, seed):\n    return math.sqrt(LIMIT)\n",
)


def source(*tracks: Track) -> str:
    return method_text(tracks, function_names(tracks))


def test_one_track_gives_its_scaffold_unchanged() -> None:
    assert source(TRACK) == TRACK.scaffold
    assert function_names([TRACK]) == {"embedding-detection": "detect"}
    assert "[functions]" not in descriptor_text("x_y", [TRACK], function_names([TRACK]))


def test_functions_of_one_name_are_told_apart_by_their_data() -> None:
    assert function_names([TRACK, IMAGES]) == {
        "embedding-detection": "detect_embeddings",
        "image-detection": "detect_images",
    }
    assert function_names([TRACK, replace(TRACK, key="twin-track")]) == {
        "embedding-detection": "detect_embedding_detection",
        "twin-track": "detect_twin_track",
    }


def test_several_scaffolds_join_under_one_docstring() -> None:
    text = source(TRACK, IMAGES)
    assert text.startswith(TRACK.scaffold.splitlines()[0] + "\n\nimport math\nimport numpy as np\n\n\ndef ")
    names = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    assert names == ["detect_embeddings", "detect_images"]
    assert "Another" not in text and "LIMIT = 2\n\n\ndef detect_images(images, seed):\n" in text


def test_the_table_of_functions_names_them() -> None:
    text = descriptor_text("x_y", [TRACK, IMAGES], function_names([TRACK, IMAGES]))
    assert text.endswith(
        '\n[functions]\n"embedding-detection" = "detect_embeddings"\n"image-detection" = "detect_images"\n'
    )


@pytest.mark.parametrize("keys", [*combinations(TRACKS, 1), *combinations(TRACKS, 2)])
def test_the_scaffolds_of_all_tracks_fit_together(keys: tuple[str, ...], tmp_path: Path) -> None:
    tracks = [TRACKS[key] for key in keys]
    entry = write_entry(tmp_path / "new_one", tracks)
    assert entry == read_entry(tmp_path / "new_one") and entry.tracks == keys
    module = parse_source((tmp_path / "new_one" / "method.py").read_bytes(), "method.py")
    bound = [n.name for n in ast.walk(module) if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    assert len(set(bound) & set(entry.functions.values())) == len(keys)
    for track in tracks:
        assert not list(function_faults(module, entry.functions[track.key], track.signature, "method.py"))


def test_the_scaffold_finds_a_plain_shortcut() -> None:
    names: dict[str, object] = {}
    exec(compile(TRACK.scaffold, "method.py", "exec"), names)
    random = np.random.Generator(np.random.PCG64(1))
    attribute, labels = random.integers(0, 2, 600), random.integers(0, 2, 600)
    noise = random.standard_normal((600, 64))
    shifted = noise + 2.0 * attribute[:, None]
    detect = names["detect"]
    assert callable(detect)
    assert detect(noise, attribute, labels, 0)["flag"] is False
    assert detect(shifted, attribute, labels, 0)["flag"] is True


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    broken = replace(TRACK, scaffold="def detect(:\n")
    with pytest.raises(Exception, match="syntax error"):
        write_entry(tmp_path / "new_one", [broken])
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_never_touched(tmp_path: Path) -> None:
    (tmp_path / "new_one").mkdir()
    (tmp_path / "new_one" / "method.py").write_text("mine")
    (tmp_path / "Other").write_text("")
    (tmp_path / "link_to_none").symlink_to("nowhere")
    for name in ("new_one", "other", "link_to_none"):
        with pytest.raises(UsageError, match="expected a new name, got one that is taken"):
            write_entry(tmp_path / name, [TRACK])
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "Other",
        "link_to_none",
        "method.py",
        "new_one",
    ]
    assert (tmp_path / "new_one" / "method.py").read_text() == "mine"


def test_a_place_to_write_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a folder to put the entry in, got none there"):
        write_entry(tmp_path / "gone" / "new_one", [TRACK])
    with pytest.raises(UsageError, match="expected a name of 2 to 40 characters"):
        write_entry(tmp_path / "New", [TRACK])
