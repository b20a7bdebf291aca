"""Batches: every pair once, in an order that depends on the generator alone."""

import numpy as np
import pytest

from tests.made_pairs import corpus_of
from unslant.datasets.nli import Corpus
from unslant.models.nli.batches import Batch, batches

COUNT, SIZE = 1_000, 16


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Sentences of 1 to 12 words; each premise begins with a word of its own."""
    rng = np.random.default_rng(0)
    vocabulary = tuple(f"w{number}" for number in range(COUNT + 30))
    pairs = [
        (
            [30 + number, *rng.integers(30, size=rng.integers(12)).tolist()],
            rng.integers(30, size=rng.integers(1, 13)).tolist(),
            int(rng.integers(3)),
        )
        for number in range(COUNT)
    ]
    return corpus_of(vocabulary, pairs)


def pairs_of(batch: Batch) -> list[tuple[list[int], list[int], int]]:
    """The pairs of a batch, read back place by place."""
    read = []
    for row, label in enumerate(batch.labels.tolist()):
        sides = []
        for places, is_word in zip(batch.places, batch.is_word, strict=True):
            length = int(is_word[row].sum())
            assert is_word[row].tolist() == [True] * length + [False] * (len(is_word[row]) - length)
            sides.append([int(batch.words[place]) for place in places[row, :length]])
        read.append((sides[0], sides[1], label))
    return read


@pytest.mark.parametrize("seed", [None, 1])
def test_every_pair_comes_exactly_once_and_unchanged(corpus: Corpus, seed: int | None) -> None:
    rng = None if seed is None else np.random.default_rng(seed)
    found = [pair for batch in batches(corpus, SIZE, rng) for pair in pairs_of(batch)]
    expected = [
        (corpus.premises[row].tolist(), corpus.hypotheses[row].tolist(), int(corpus.labels[row]))
        for row in range(COUNT)
    ]
    assert sorted(found) == sorted(expected)
    assert found != expected


@pytest.mark.parametrize("seed", [None, 1])
def test_batches_are_full_but_for_a_remainder(corpus: Corpus, seed: int | None) -> None:
    rng = None if seed is None else np.random.default_rng(seed)
    sizes = [len(batch.labels) for batch in batches(corpus, SIZE, rng)]
    assert len(sizes) == -(-COUNT // SIZE)
    assert sorted(sizes)[1:] == [SIZE] * (len(sizes) - 1)
    assert sorted(sizes)[0] == COUNT % SIZE


def order(corpus: Corpus, seed: int) -> list[int]:
    found = batches(corpus, SIZE, np.random.default_rng(seed))
    return [pair[0][0] for batch in found for pair in pairs_of(batch)]


def test_the_order_depends_on_the_generator_alone(corpus: Corpus) -> None:
    first = order(corpus, 1)
    np.random.default_rng(99).random(10)
    assert order(corpus, 1) == first
    assert order(corpus, 2) != first


def test_sentences_of_similar_length_stand_together(corpus: Corpus) -> None:
    def padding(found: list[Batch]) -> float:
        places = np.concatenate([side.ravel() for batch in found for side in batch.is_word])
        return 1 - float(places.mean())

    by_chance = padding(
        [
            batch
            for start in range(0, COUNT, SIZE)
            for batch in batches(part_of(corpus, start, start + SIZE), SIZE)
        ]
    )
    assert padding(list(batches(corpus, SIZE, np.random.default_rng(1)))) < 0.85 * by_chance


def part_of(corpus: Corpus, start: int, end: int) -> Corpus:
    rows = range(start, min(end, COUNT))
    return corpus_of(
        corpus.vocabulary,
        [(corpus.premises[r].tolist(), corpus.hypotheses[r].tolist(), 0) for r in rows],
    )


def test_a_random_order_does_not_go_from_short_to_long(corpus: Corpus) -> None:
    found = list(batches(corpus, SIZE, np.random.default_rng(1)))
    lengths = [float(sum(side.sum() for side in batch.is_word)) for batch in found]
    assert abs(np.corrcoef(lengths, np.arange(len(lengths)))[0, 1]) < 0.5


def test_words_of_a_batch_are_distinct_and_all_used(corpus: Corpus) -> None:
    for batch in batches(corpus, SIZE):
        used = {int(place) for places in batch.places for place in places.ravel()}
        assert len(set(batch.words.tolist())) == len(batch.words)
        assert used == set(range(len(batch.words)))
