"""VADER (Hutto and Gilbert 2014): sentiment by a lexicon and a few rules."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import refuse_one_text
from unslant.core.extras import extra_for
from unslant.core.record import Facts

_PACKAGE = "vaderSentiment"


class Vader:
    """The compound score of the package vaderSentiment, from −1 to 1.

    It reads single words out of a fixed lexicon, so it has no opinion of most names.
    """

    name = "vader"

    def __init__(self) -> None:
        self._analyser = _analyser()

    @property
    def facts(self) -> Facts:
        """Which version of the lexicon and the rules."""
        return {"package": f"{_PACKAGE} {version(_PACKAGE)}"}

    def score(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The compound score of each text."""
        refuse_one_text(texts, "VADER")
        return np.array([self._analyser.polarity_scores(text)["compound"] for text in texts])


@cache
def _analyser() -> Any:
    extra_for("The default sentiment scorer", _PACKAGE, "sentiment")
    return import_module(f"{_PACKAGE}.{_PACKAGE}").SentimentIntensityAnalyzer()
