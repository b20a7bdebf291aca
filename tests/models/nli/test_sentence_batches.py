"""Sentences in batches: what is found for a pair comes back at the pair's own place."""

import numpy as np
import pytest

from unslant.core.errors import UnslantError
from unslant.models.nli.batches import GridWords, PairBatches
from unslant.predictors.protocols import Context, PairGrid


def test_batches_hold_each_pair_once_and_answers_come_back_in_order() -> None:
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 9, size=(1_300, 2)).tolist()
    premises = [" ".join([f"p{row}"] * length) for row, (length, _) in enumerate(lengths)]
    hypotheses = [" ".join([f"h{row}"] * length) for row, (_, length) in enumerate(lengths)]
    asked = PairBatches.of(premises, hypotheses)
    assert [len(batch) for batch in asked.batches] == [512, 512, 276]
    sizes = [len(a) + len(b) for batch in asked.batches for a, b in batch]
    assert sizes == sorted(sizes)

    def read(batch: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> np.ndarray:
        numbers = [
            [int(asked.words[a[0]][1:]), int(asked.words[b[0]][1:]), len(a)] for a, b in batch
        ]
        return np.array(numbers, np.float32)

    found = asked.gathered(map(read, asked.batches))
    assert found.dtype == np.float32
    expected = [[row, row, length] for row, (length, _) in enumerate(lengths)]
    assert found.tolist() == expected


def test_no_pairs_are_no_answers() -> None:
    asked = PairBatches.of([], [])
    assert asked.gathered(iter([])).shape == (0, 3)


@pytest.mark.parametrize(
    ("premises", "hypotheses", "reason"),
    [
        (["a", "b"], ["a"], "there are 2 premises and 1 hypotheses"),
        (["a", " "], ["", "b"], "needs at least one word; got ' '"),
        (["a", "b"], ["b", ""], "needs at least one word; got ''"),
    ],
)
def test_pairs_that_cannot_be_compared_are_refused(
    premises: list[str], hypotheses: list[str], reason: str
) -> None:
    with pytest.raises(UnslantError, match=reason):
        PairBatches.of(premises, hypotheses)


def test_a_grid_needs_a_word_in_every_sentence_but_not_in_every_part() -> None:
    bare, full = Context(" ", ""), Context("", " sleeps")
    assert GridWords.of(PairGrid(("a man",), ("",), (full,))) == GridWords(
        ["a", "man", "sleeps"], [(0, 1)], [()], [((), (2,))]
    )
    assert GridWords.of(PairGrid(("a man",), ("he",), (bare, full))).contexts == [
        ((), ()),
        ((), (3,)),
    ]
    with pytest.raises(UnslantError, match=r"needs at least one word; got '   '"):
        GridWords.of(PairGrid(("a man",), (" ",), (full, bare)))
