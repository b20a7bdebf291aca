"""Mean answers for parts of a set: some words, or every word in turn."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UndefinedMeasureError, UnknownNameError
from unslant.models.nli.model import NEUTRAL, Probabilities
from unslant.numerics.crossed_bootstrap import Array
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.measures.channels import is_most_probable
from unslant.probes.nli.pairset import PairSet

Places = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Average:
    """The mean answer over some pairs and the share of them where neutral is most probable."""

    words: tuple[str, ...]
    entailment: float
    neutral: float
    contradiction: float
    fraction_neutral: float
    pairs: int

    def to_dict(self) -> dict[str, Any]:
        """The average as plain JSON values."""
        return {**asdict(self), "words": list(self.words)}


def mean_answer(
    answers: Answers,
    *,
    premises: Sequence[str] | None = None,
    hypotheses: Sequence[str] | None = None,
    contexts: Mapping[str, Sequence[str]] | None = None,
) -> Average:
    """The mean over the pairs with these words; a side that is not named is taken whole.

    ``contexts`` names words of the shared part: ``{"verb": ["bought"], "object": ["car"]}``.
    """
    pairs = answers.set
    rows = _places("premise word", pairs.premise_words, premises)
    columns = _places("hypothesis word", pairs.hypothesis_words, hypotheses)
    layers = np.arange(len(pairs.context_words))
    for slot, words in (contexts or {}).items():
        of_slot = _slot_words(pairs, slot)
        layers = np.intersect1d(layers, _places(slot, of_slot, words))
    counted = pairs.counts[np.ix_(rows, columns)]
    named = [*(premises or ()), *(hypotheses or ())]
    named += [word for words in (contexts or {}).values() for word in words]
    sums = _cell_sums(answers, rows, columns, layers)[counted].sum(axis=0)
    size = int(counted.sum()) * len(layers)
    if not size:
        raise UndefinedMeasureError(
            f'No pair of "{pairs.name}" that counts has all of these words: {", ".join(named)}.'
        )
    return _average(tuple(named), sums, size)


def averages(answers: Answers, by: str) -> tuple[Average, ...]:
    """The mean for every word: ``by`` premise, hypothesis, pair, or a slot such as verb or object.

    A word that stands in a list twice has one row, over all its pairs.
    """
    pairs = answers.set
    everything = [np.arange(size) for size in pairs.grid.shape]
    if by in ("premise", "hypothesis", "pair"):
        sums = _cell_sums(answers, *everything) * pairs.counts[..., None]
        sizes = pairs.counts * len(pairs.context_words)
        if by == "pair":
            both = [(p, h) for p in pairs.premise_words for h in pairs.hypothesis_words]
            return _by_key(both, sums.reshape(-1, 4), sizes.ravel())
        axis, words = (1, pairs.premise_words) if by == "premise" else (0, pairs.hypothesis_words)
        return _by_key([(word,) for word in words], sums.sum(axis=axis), sizes.sum(axis=axis))
    if by not in pairs.context_slots:
        names = ("premise", "hypothesis", "pair", *pairs.context_slots)
        raise UnknownNameError("table of averages", by, names)
    keys = [(word,) for word in _slot_words(pairs, by)]
    sizes = np.full(len(keys), int(pairs.counts.sum()))
    return _by_key(keys, _context_sums(answers), sizes)


def _four(found: Probabilities) -> Array:
    """The three probabilities and whether neutral is the largest."""
    return np.concatenate([found, is_most_probable(NEUTRAL).of(found)[..., None]], axis=-1)


def _cell_sums(answers: Answers, rows: Places, columns: Places, layers: Places) -> Array:
    """For each pair of words the sums over these contexts: premises × hypotheses × 4."""
    return np.stack(
        [
            _four(answers.probabilities[row][np.ix_(columns, layers)]).sum(axis=1)
            for row in rows.tolist()
        ]
    )


def _context_sums(answers: Answers) -> Array:
    """For each context the sums over the pairs of words that count: contexts × 4."""
    counted = answers.set.counts
    sums = np.zeros((counted.shape[1], answers.probabilities.shape[2], 4))
    for found, is_counted in zip(answers.probabilities, counted, strict=True):
        sums[is_counted] += _four(found[is_counted])
    return np.asarray(sums.sum(axis=0))


def _places(kind: str, words: Sequence[str], wanted: Sequence[str] | None) -> Places:
    """Where these words stand, in any case of letters; all places where none is asked for."""
    if wanted is None:
        return np.arange(len(words))
    known: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        known.setdefault(word.casefold(), []).append(place)
    for word in wanted:
        if word.casefold() not in known:
            raise UnknownNameError(kind, word, set(words))
    found = {place for word in wanted for place in known[word.casefold()]}
    return np.array(sorted(found), dtype=np.int64)


def _slot_words(pairs: PairSet, slot: str) -> list[str]:
    if slot not in pairs.context_slots:
        raise UnknownNameError("slot of the contexts", slot, pairs.context_slots)
    column = pairs.context_slots.index(slot)
    return [words[column] for words in pairs.context_words]


def _by_key(
    keys: Sequence[tuple[str, ...]], sums: Array, sizes: NDArray[np.int64]
) -> tuple[Average, ...]:
    """One average for each distinct key, in the order of their first places."""
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    places = np.array([numbers[key] for key in keys], dtype=np.int64)
    totals, counts = np.zeros((len(numbers), 4)), np.zeros(len(numbers), dtype=np.int64)
    np.add.at(totals, places, sums)
    np.add.at(counts, places, sizes)
    return tuple(
        _average(key, totals[number], int(counts[number]))
        for key, number in numbers.items()
        if counts[number]
    )


def _average(words: tuple[str, ...], sums: Array, size: int) -> Average:
    entailment, neutral, contradiction, fraction = (sums / size).tolist()
    return Average(
        words=words,
        entailment=entailment,
        neutral=neutral,
        contradiction=contradiction,
        fraction_neutral=fraction,
        pairs=size,
    )
