"""What tests of examples share."""

from pathlib import Path

import pytest

import unslant
from unslant.vectors import WordVectors


@pytest.fixture
def built_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, glove: WordVectors) -> Path:
    """An empty folder, in which the built-in vectors need not be read again."""
    monkeypatch.chdir(tmp_path)
    read = unslant.load
    monkeypatch.setattr(unslant, "load", lambda *given: read(*given) if given else glove)
    return tmp_path
