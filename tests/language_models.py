"""The real language models that some tests read, if their folder is given."""

import os
from functools import cache
from pathlib import Path

import pytest

from unslant.models.language import LanguageModel, load_model


@cache
def real_model(name: str) -> LanguageModel:
    """The model in a subfolder of UNSLANT_MODELS; the test is skipped without it."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    folder = os.environ.get("UNSLANT_MODELS")
    if not folder:
        pytest.skip("UNSLANT_MODELS is not set: no folder with language models")
    if not (Path(folder) / name).is_dir():
        pytest.skip(f"UNSLANT_MODELS has no folder {name}")
    return load_model(Path(folder) / name)


def data_folder(part: str) -> Path:
    """A folder of UNSLANT_DATA; the test is skipped without it."""
    folder = os.environ.get("UNSLANT_DATA")
    if not folder or not (Path(folder) / part).is_dir():
        pytest.skip(f"UNSLANT_DATA with {part} is not set")
    return Path(folder) / part
