"""Loads entries' methods from their folders, and makes tiny datasets for them."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmark.data.conditional_synthetic import Recipe, generate_conditional_synthetic
from benchmark.records import FloatArray, IntArray

CONTRIB = Path(__file__).resolve().parents[1] / "contrib"

Seen = dict[str, Any]
"""The arrays an entry of embedding-detection receives, by argument name."""


def method(entry: str) -> ModuleType:
    """The entry's method.py, run as a module of its own."""
    spec = importlib.util.spec_from_file_location(f"method_of_{entry}", CONTRIB / entry / "method.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def dataset(
    variant: str = "linear", delta: float = 0.0, seed: int = 0, n: int = 300, rho: float = 0.7
) -> Seen:
    """A dataset of n rows and 8 columns, two of which carry the label and two the attribute."""
    recipe = Recipe(variant, delta, rho, n, dimensions=8, task_dimensions=2, attribute_dimensions=2)
    rng = np.random.default_rng(seed)
    drawn = generate_conditional_synthetic(recipe, rng, rng)
    return seen(drawn.embeddings, drawn.attribute, drawn.task_labels)


def seen(embeddings: FloatArray, attribute: IntArray, task_labels: IntArray) -> Seen:
    """The arrays under the names by which an entry is called."""
    return {"embeddings": embeddings, "attribute": attribute, "task_labels": task_labels}


def score_of(answer: float | dict[str, Any]) -> float:
    """The score of an answer, bare or not."""
    return float(answer["score"] if isinstance(answer, dict) else answer)
