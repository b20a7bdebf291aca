"""The real language models that some tests read, if their folder is given."""

import os
from functools import cache
from pathlib import Path

import pytest

from tests.real_models import Name
from tests.real_models import real_model as folder_of
from unslant.models.language.base import LanguageModel
from unslant.models.language.model import load_model


@cache
def real_model(name: Name) -> LanguageModel:
    """A real model, loaded once; the test is skipped without it."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    return load_model(folder_of(name))


def data_folder(part: str) -> Path:
    """A folder of UNSLANT_DATA; the test is skipped without it."""
    folder = os.environ.get("UNSLANT_DATA")
    if not folder or not (Path(folder) / part).is_dir():
        pytest.skip(f"UNSLANT_DATA with {part} is not set")
    return Path(folder) / part
