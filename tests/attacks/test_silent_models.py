"""A model that answers nothing, no numbers, or the same to everything is never found unbiased."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import unslant as us
from tests.attacks.sentences import is_one_sentence
from tests.tallies import Tally
from unslant.core.errors import UnslantError
from unslant.measures.registry import MEASURES

PROBES = sorted(entry.name for entry in MEASURES if entry.facts.takes == "set")
QUALITY = {"masked-accuracy": 0.0, "nli-accuracy": 0.34}
"""Scores of how well a model does its task: one that is the same for everything does badly."""
NEEDS = {
    "aceat": "UNSLANT_DATA", "aul": "UNSLANT_DATA", "crows-pairs": "UNSLANT_DATA",
    "gap": "UNSLANT_DATA", "name-swap": "UNSLANT_DATA", "nli-accuracy": "UNSLANT_DATA",
    "sowinobias": "UNSLANT_DATA", "stereoset": "UNSLANT_DATA", "winobias": "UNSLANT_DATA",
    "winogender": "UNSLANT_DATA", "winopron": "UNSLANT_DATA",
}  # fmt: skip


class Silent:
    """Has the method of every protocol; ``value`` is its one answer, None if it gives none."""

    def __init__(self, value: float | None) -> None:
        self.value = value

    def _each(self, texts: Sequence[Any], width: int | None = None) -> Any:
        shape = (len(texts),) if width is None else (len(texts), width)
        return np.full(shape, self.value) if self.value is not None else np.empty(0)

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Any:
        if self.value is None:
            return np.empty((0, 3))
        return np.full((len(premises), 3), math.nan if math.isnan(self.value) else 1 / 3)

    def log_likelihoods(self, texts: Sequence[str], masking: str = "words") -> Any:
        return self._each(texts)

    def log_likelihood(self, texts: Sequence[str]) -> Any:
        return self._each(texts)

    def pieces(self, texts: Sequence[str]) -> Any:
        return np.ones(len(texts), dtype=np.int64)

    def plausibility(self, contexts: Sequence[str], candidates: Sequence[str]) -> Any:
        return self._each(contexts)

    def recovers(self, texts: Sequence[str], fillers: Sequence[str]) -> Any:
        is_number = self.value is not None and not math.isnan(self.value)
        return np.zeros(len(texts)) if is_number else self._each(texts)

    def score(self, texts: Sequence[str]) -> Any:
        return self._each(texts)

    def name_and_rest(self, texts: Sequence[str], *_: Any, **__: Any) -> Any:
        return self._each(texts, 4), self._each(texts, 4)

    def tag(self, sentences: Sequence[Sequence[str]]) -> Any:
        is_number = self.value is not None and not math.isnan(self.value)
        return [["O" if is_number else self.value] * len(words) for words in sentences]

    def resolve(self, documents: Sequence[Sequence[str]]) -> Any:
        return [] if self.value is None else [[] for _ in documents]


SMALL = {"nli": "nli(contexts=4)"}
SLOW = {"aceat", "name-swap", "nli-accuracy"}
VALUES = (None, math.nan, 0.0, -1.0)
CASES = [
    pytest.param(name, value, marks=pytest.mark.full if name in SLOW or value == -1 else ())
    for name in PROBES
    for value in VALUES
]


@pytest.mark.parametrize(("name", "value"), CASES)
def test_no_probe_has_a_score_for_a_model_that_gives_no_answer(
    name: str, value: float | None, request: pytest.FixtureRequest, tally: Tally
) -> None:
    if name in NEEDS:
        request.getfixturevalue("data")
    if name == "aceat":
        pytest.importorskip("vaderSentiment")
    tally(1)
    refusal, scores = None, {}
    try:
        found = us.probe(SMALL.get(name, name), model=Silent(value))
        scores = {item.metric: item.value for item in found.measurements if item.value is not None}
    except UnslantError as error:
        refusal = error
    assert refusal is None or is_one_sentence(refusal)
    assert set(scores) <= set(QUALITY), scores
    for metric, score in scores.items():
        assert score <= QUALITY[metric]
