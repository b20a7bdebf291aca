"""Asking an ELMo that may be damaged."""

import time
from pathlib import Path

import numpy as np
import pytest

from unslant.core.errors import UnslantError
from unslant.models.elmo import load_elmo

SECONDS = 20


def asked(folder: Path) -> None:
    """Load it and ask for a vector; what is not refused has to be finite."""
    rows = load_elmo(folder).encode(["she is here"])
    assert np.isfinite(rows).all()


def refusal(folder: Path) -> str:
    """The one sentence with which a folder is refused, within seconds."""
    begun = time.monotonic()
    with pytest.raises(UnslantError) as told:
        asked(folder)
    text = str(told.value)
    assert time.monotonic() - begun < SECONDS
    assert "\n" not in text
    assert text.endswith(".")
    assert len(text) < 500 + len(str(folder)) * 2
    return text


def refusal_if_any(folder: Path) -> str:
    """The sentence, or nothing if what is damaged does not matter."""
    try:
        asked(folder)
    except UnslantError:
        return refusal(folder)
    return ""
