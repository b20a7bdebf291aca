"""Language models for tests of studies and of the page; tests skip where they are not there."""

import os
from pathlib import Path

import pytest

CONCEPT = """
name = "sides"
title = "Two sides"
version = "1"
about = "Words that the random model has pieces for."
groups = ["she", "he"]
direction = "pair-pca(definitional)"
[words]
she = ["she", "nurse"]
he = ["he", "engineer"]
[sets.definitional]
columns = ["she", "he"]
rows = [["she", "he"], ["nurse", "engineer"]]
[neutral]
jobs = ["doctor", "programmer", "here", "sat"]
[tests.jobs]
title = "Two kinds of words with two sides"
[tests.jobs.targets]
one = ["doctor", "here", "sat"]
other = ["programmer", "there", "down"]
[tests.jobs.attributes]
she = ["she", "nurse"]
he = ["he", "engineer"]
"""
"""A concept of words that the random model has pieces for."""


def tiny_bert(folder: Path, seed: int = 0) -> Path:
    """A random BERT of 3 layers in a folder."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tests.models.language.folders import save

    return save(folder, "bert", seed=seed)


def real_model(name: str) -> Path:
    """The folder of a real model."""
    pytest.importorskip("transformers")
    base = os.environ.get("UNSLANT_MODELS")
    if not base:
        pytest.skip("UNSLANT_MODELS is not set: the real models are not here")
    if not (Path(base) / name).is_dir():
        pytest.skip(f"UNSLANT_MODELS has no folder {name}")
    return Path(base) / name
