"""Language models for tests of studies and of the page; tests skip where they are not there."""

import os
from pathlib import Path

import pytest


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
