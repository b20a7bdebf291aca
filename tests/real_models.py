"""Real language models, where UNSLANT_MODELS names their folder."""

import os
from pathlib import Path
from typing import Literal

import pytest

Name = Literal["minilm", "gte-small", "smollm2", "spacy-md"]


def real_model(name: Name) -> Path:
    """The folder of a model; a test that needs it skips if it is absent."""
    folder = os.environ.get("UNSLANT_MODELS")
    if not folder:
        pytest.skip('UNSLANT_MODELS is not set: the real models are not here ("make test" sets it)')
    path = Path(folder) / name
    if not path.is_dir():
        pytest.skip(f"{name} is not in {folder}: scripts/test_models.py could not download it")
    return path
