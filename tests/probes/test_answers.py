"""Asking a model: every pair in its place, and answers that are none refused."""

from collections.abc import Sequence

import numpy as np
import pytest

from tests.probes.small_sets import random_answers, small_set
from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.predictors.protocols import PairGrid, Probabilities
from unslant.probes.nli.answers import BATCH, Answers, ask


class Lookup:
    """Answers that depend on the two sentences only."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Probabilities:
        self.asked.append(len(premises))
        return np.stack([self.one(*pair) for pair in zip(premises, hypotheses, strict=True)])

    @staticmethod
    def one(premise: str, hypothesis: str) -> np.ndarray:
        weights = [1 + len(premise) % 5, 1 + sum(map(ord, hypothesis)) % 7, 1 + premise.count("1")]
        return (np.array(weights) / sum(weights)).astype(np.float32)


class Whole(Lookup):
    """The same answers, given as a grid."""

    def predict_grid(self, grid: PairGrid, progress: Progress | None = None) -> Probabilities:
        found = [self.one(*grid.pair(*place)) for place in np.ndindex(*grid.shape)]
        return np.array(found, dtype=np.float32).reshape(*grid.shape, 3)


class Gives:
    """Whatever it was told to give."""

    def __init__(self, rows: object) -> None:
        self.rows = rows

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Probabilities:
        return self.rows  # type: ignore[return-value]


def test_every_pair_is_asked_once_and_stands_in_its_place() -> None:
    pairs, model = small_set(7, 11, 13), Lookup()
    found = ask(pairs, model)
    assert model.asked == [BATCH, 7 * 11 * 13 - BATCH]
    for place in np.ndindex(7, 11, 13):
        assert np.array_equal(found.probabilities[place], model.one(*pairs.grid.pair(*place)))


def test_a_model_that_takes_the_grid_gets_the_grid() -> None:
    pairs, whole = small_set(3, 4, 5), Whole()
    assert np.array_equal(ask(pairs, whole).probabilities, ask(pairs, Lookup()).probabilities)
    assert whole.asked == []


def test_progress_ends_with_all_pairs() -> None:
    seen: list[tuple[int, int]] = []
    ask(small_set(7, 11, 13), Lookup(), lambda what, done, total: seen.append((done, total)))
    assert seen == [(512, 1001), (1001, 1001)]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (np.full((8, 3), 1 / 3)[:7], "7 × 3"),
        (np.full((8, 2), 0.5), "expected 8 × 3"),
        (np.array(1.0), "a single number"),
        (np.full((8, 3), np.nan), "pair 1 of"),
        (np.full((8, 3), 1e39), "sum to 1"),
        (np.array([[0.2, 0.3, 0.5]] * 5 + [[0.2, 0.3, 0.51]] + [[0.2, 0.3, 0.5]] * 2), "pair 6 of"),
        (np.array([[-0.1, 0.6, 0.5]] * 8), "at least 0"),
        (np.array([["a", "b", "c"]] * 8), "expected numbers"),
    ],
)
def test_what_is_no_answer_is_refused_in_one_sentence(rows: object, words: str) -> None:
    with pytest.raises(UnslantError, match=words):
        ask(small_set(), Gives(rows))


def test_answers_of_another_shape_or_no_model_at_all_are_refused() -> None:
    with pytest.raises(UnslantError, match="2 × 2 × 2 × 3"):
        Answers(small_set(), np.full((2, 2, 3), 1 / 3, dtype=np.float32))
    with pytest.raises(UnslantError, match="has none"):
        ask(small_set(), object())  # type: ignore[arg-type]


def test_answers_in_half_precision_pass_and_cannot_be_changed_afterwards() -> None:
    pairs = small_set(3, 3, 50)
    half = random_answers(pairs).probabilities.astype(np.float16)
    found = Answers(pairs, half)  # type: ignore[arg-type]
    assert found.probabilities.dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        found.probabilities[0, 0, 0, 0] = 1
