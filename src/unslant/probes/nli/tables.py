"""Mean answers for parts of a set: some words, every word in turn, or groups of words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core import nli_exhibits as show
from unslant.core.errors import UndefinedMeasureError, UnknownNameError, UnslantError
from unslant.core.exhibits import Case, Examples, Exhibit
from unslant.core.nli_exhibits import Average, GroupAnswer
from unslant.core.types import Array, Mask, Matrix
from unslant.datasets.nli.pairs import LABELS, NEUTRAL
from unslant.predictors.protocols import Probabilities
from unslant.probes.nli.answers import Answers, is_most_probable
from unslant.probes.nli.pairset import PairSet, Positions
from unslant.probes.nli.subsets import contexts_with, places_of

Places = Sequence[int]

Masks = dict[str, Mask]


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
    rows = places_of(premises, pairs.premise_words, f"premise word of {pairs.name}")
    columns = places_of(hypotheses, pairs.hypothesis_words, f"hypothesis word of {pairs.name}")
    layers = contexts_with(pairs, contexts or {})
    counted = pairs.counts[np.ix_(rows, columns)]
    named = [*(premises or ()), *(hypotheses or ())]
    named += [word for words in (contexts or {}).values() for word in words]
    sums = cell_sums(answers, rows, columns, layers)[counted].sum(axis=0)
    size = int(counted.sum()) * len(layers)
    if not size:
        raise UndefinedMeasureError(
            f'No pair of "{pairs.name}" that counts has all of these words: {", ".join(named)}.'
        )
    return average_of(tuple(named), sums, size)


def averages(answers: Answers, by: str) -> tuple[Average, ...]:
    """The mean for every word: ``by`` premise, hypothesis, pair, or a slot such as verb or object.

    A word that occurs in a list twice has one row, over all its pairs.
    """
    pairs = answers.set
    everything = [range(size) for size in pairs.grid.shape]
    if by in ("premise", "hypothesis", "pair"):
        sums = cell_sums(answers, *everything) * pairs.counts[..., None]
        sizes = pairs.counts * len(pairs.context_words)
        if by == "pair":
            both = [(p, h) for p in pairs.premise_words for h in pairs.hypothesis_words]
            return _by_key(both, sums.reshape(-1, 5), sizes.ravel())
        axis, words = (1, pairs.premise_words) if by == "premise" else (0, pairs.hypothesis_words)
        return _by_key([(word,) for word in words], sums.sum(axis=axis), sizes.sum(axis=axis))
    if by not in pairs.context_slots:
        names = ("premise", "hypothesis", "pair", *pairs.context_slots)
        raise UnknownNameError("table of averages", by, names)
    keys = [(word,) for word in pairs.slot(by)]
    sizes = np.full(len(keys), int(pairs.counts.sum()))
    return _by_key(keys, _context_sums(answers), sizes)


def _five(found: Probabilities, right: NDArray[np.int64]) -> Array:
    """The three probabilities, whether neutral is the largest, and that of the right answer.

    ``found`` is hypotheses × contexts × 3, and ``right`` the right answer for each hypothesis.
    """
    is_neutral = is_most_probable(NEUTRAL).of(found)[..., None]
    return np.concatenate(
        [found, is_neutral, np.take_along_axis(found, right[:, None, None], axis=2)], axis=-1
    )


def cell_sums(answers: Answers, rows: Places, columns: Places, layers: Places) -> Array:
    """For each pair of words the sums of five numbers over these contexts.

    They are premises × hypotheses × 5: the three probabilities, whether neutral is the most
    probable, and the probability of the right answer.
    """
    return np.stack(
        [
            _five(
                answers.probabilities[row][np.ix_(columns, layers)],
                answers.set.labels[row, columns],
            ).sum(axis=1)
            for row in rows
        ]
    )


def _context_sums(answers: Answers) -> Array:
    """For each context the sums over the pairs of words that count: contexts × 5."""
    counted = answers.set.counts
    sums = np.zeros((counted.shape[1], answers.probabilities.shape[2], 5))
    every = zip(answers.probabilities, counted, answers.set.labels, strict=True)
    for found, is_counted, right in every:
        sums[is_counted] += _five(found[is_counted], right[is_counted])
    return np.asarray(sums.sum(axis=0))


def _by_key(
    keys: Sequence[tuple[str, ...]], sums: Array, sizes: NDArray[np.int64]
) -> tuple[Average, ...]:
    """One average for each distinct key, in the order of their first places."""
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    places = np.array([numbers[key] for key in keys], dtype=np.int64)
    totals, counts = np.zeros((len(numbers), 5)), np.zeros(len(numbers), dtype=np.int64)
    np.add.at(totals, places, sums)
    np.add.at(counts, places, sizes)
    return tuple(
        average_of(key, totals[number], int(counts[number]))
        for key, number in numbers.items()
        if counts[number]
    )


def average_of(words: tuple[str, ...], sums: Array, size: int) -> Average:
    """The mean of ``size`` pairs whose five numbers sum to these."""
    entailment, neutral, contradiction, fraction, right = (sums / size).tolist()
    return Average(
        words=words,
        entailment=entailment,
        neutral=neutral,
        contradiction=contradiction,
        fraction_neutral=fraction,
        right=right,
        pairs=size,
    )


def group_answers(answers: Answers) -> tuple[GroupAnswer, ...]:
    """The mean for every two groups, then for each premise word and each hypothesis word.

    A word's mean is over one group of the other side at a time. Where a side has groups, its
    words of no group are left out, and so are words without a scored pair.
    """
    pairs = answers.set
    sums = cell_sums(answers, *(range(size) for size in pairs.grid.shape))
    premises, hypotheses = pairs.premise_words, pairs.hypothesis_words
    of = (
        _masks(pairs.premise_groups, len(premises)),
        _masks(pairs.hypothesis_groups, len(hypotheses)),
    )
    return (
        *_means(pairs, sums, of[0], of[1]),
        *_of_words("premise", premises, pairs, sums, of),
        *_of_words("hypothesis", hypotheses, pairs, sums, of),
    )


def _of_words(
    side: str, words: Sequence[str], pairs: PairSet, sums: Array, of: tuple[Masks, Masks]
) -> Iterator[GroupAnswer]:
    every = np.array(words)
    for word in dict.fromkeys(words):  # one that occurs in a list twice has one mean
        is_it = every == word
        mine, theirs = of
        if side == "premise":
            mine = {group: mask & is_it for group, mask in mine.items()}
        else:
            theirs = {group: mask & is_it for group, mask in theirs.items()}
        yield from _means(pairs, sums, mine, theirs, side=side, word=word)


def _means(
    pairs: PairSet, sums: Array, premises: Masks, hypotheses: Masks, **whose: str
) -> Iterator[GroupAnswer]:
    for mine, rows in premises.items():
        for theirs, columns in hypotheses.items():
            counted = pairs.counts & rows[:, None] & columns[None, :]
            size = int(counted.sum()) * len(pairs.context_words)
            if size:
                answer = average_of((), sums[counted].sum(axis=0), size)
                yield GroupAnswer(premises=mine, hypotheses=theirs, answer=answer, **whose)


def _masks(groups: Positions, size: int) -> Masks:
    if not groups:
        return {"": np.ones(size, dtype=np.bool_)}
    masks = {name: np.zeros(size, dtype=np.bool_) for name in groups}
    for name, places in groups.items():
        masks[name][list(places)] = True
    return masks


# The pairs a model is most sure of where it should not be (Dev et al. 2020, tables 2, 4 and 6).


@dataclass(frozen=True, kw_only=True)
class ExtremePair:
    """One pair: its words, its sentences and the answer.

    ``context`` are the words that both sentences share, such as the verb and the object;
    ``right`` is the answer that would be right.
    """

    premise_word: str
    context: tuple[str, ...]
    hypothesis_word: str
    premise: str
    hypothesis: str
    entailment: float
    neutral: float
    contradiction: float
    right: str = "neutral"

    def to_dict(self) -> dict[str, Any]:
        """The example as plain JSON values."""
        return {**asdict(self), "context": list(self.context)}


def extremes(
    answers: Answers, label: str = "entailment", k: int = 10, *, one_for_each_pair: bool = False
) -> tuple[ExtremePair, ...]:
    """The ``k`` pairs with the largest probability of a label, the largest first.

    ``one_for_each_pair`` keeps the strongest context only of each premise word with each
    hypothesis word, so that one odd pair of words does not fill the list. Of equally probable
    pairs the first in the order of the set is taken.
    """
    if label not in LABELS:
        raise UnknownNameError("label", label, LABELS)
    if k < 1:
        raise UnslantError(f"The number of examples must be at least 1. Got {k} instead.")
    return _examples(answers, answers.probabilities[..., LABELS.index(label)], k, one_for_each_pair)


def furthest(
    answers: Answers, k: int = 10, *, one_for_each_pair: bool = False
) -> tuple[ExtremePair, ...]:
    """The ``k`` pairs whose right answer is least probable, the least first."""
    if k < 1:
        raise UnslantError(f"The number of examples must be at least 1. Got {k} instead.")
    right = answers.set.labels[:, :, None, None]
    found = np.take_along_axis(answers.probabilities, right, axis=3)[..., 0]
    return _examples(answers, 1 - found, k, one_for_each_pair)


def _examples(
    answers: Answers, found: Matrix, k: int, one_for_each_pair: bool
) -> tuple[ExtremePair, ...]:
    """The pairs with the largest of these numbers, one for each pair."""
    counted = np.flatnonzero(answers.set.counts.ravel())
    rows = found.reshape(-1, found.shape[2])[counted]
    if one_for_each_pair:
        best = rows.argmax(axis=1)
        values = np.take_along_axis(rows, best[:, None], axis=1)[:, 0]
        cells = _one_each(values, _pairs_of_words(answers)[counted])[:k]
        contexts = best[cells]
    else:
        cells, contexts = np.divmod(_largest(rows.reshape(-1), k), found.shape[2])
    premises, hypotheses = np.divmod(counted[cells], found.shape[1])
    return tuple(
        _example(answers, *place)
        for place in zip(premises.tolist(), hypotheses.tolist(), contexts.tolist(), strict=True)
    )


def _pairs_of_words(answers: Answers) -> NDArray[np.int64]:
    """A number for every cell of the grid; cells of the same two words share it."""
    sides = (answers.set.premise_words, answers.set.hypothesis_words)
    first, second = (np.unique([w.lower() for w in side], return_inverse=True)[1] for side in sides)
    return np.asarray((first[:, None] * len(second) + second[None, :]).ravel())


def _one_each(values: Matrix, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of the largest value of each key, the largest first; of equal ones the first."""
    order = np.lexsort((np.arange(len(values)), -values))
    firsts = np.unique(keys[order], return_index=True)[1]
    return np.asarray(order[np.sort(firsts)])


def _largest(values: Matrix, k: int) -> NDArray[np.int64]:
    """The places of the ``k`` largest values, the largest first; of equal ones the first."""
    k = min(k, len(values))
    if k == 0:
        return np.empty(0, dtype=np.int64)
    least = np.partition(values, len(values) - k)[len(values) - k]
    above = np.flatnonzero(values > least)
    places = np.concatenate([above, np.flatnonzero(values == least)[: k - len(above)]])
    return places[np.lexsort((places, -values[places]))]


def _example(answers: Answers, premise: int, hypothesis: int, context: int) -> ExtremePair:
    pairs = answers.set
    first, second = pairs.grid.pair(premise, hypothesis, context)
    entailment, neutral, contradiction = answers.probabilities[
        premise, hypothesis, context
    ].tolist()
    return ExtremePair(
        premise_word=pairs.premise_words[premise],
        context=tuple(pairs.context_words[context]),
        hypothesis_word=pairs.hypothesis_words[hypothesis],
        premise=first,
        hypothesis=second,
        entailment=entailment,
        neutral=neutral,
        contradiction=contradiction,
        right=pairs.label(premise, hypothesis),
    )


# Tables and figures for the scores: example pairs, and mean answers by group and by word.


def exhibits(
    answers: Answers, examples: int, slices: Sequence[tuple[str, str]] = ()
) -> tuple[Exhibit, ...]:
    """Examples, the requested slices, the words of either side, and shares by group and word."""
    groups = group_answers(answers)
    return (
        *_telling_examples(answers, examples),
        *show.slices([mean_answer(answers, premises=[p], hypotheses=[h]) for p, h in slices]),
        *show.words({side: averages(answers, side) for side in show.SIDES}),
        *show.shares(groups, groups),
    )


def _telling_examples(answers: Answers, count: int) -> Iterator[Examples]:
    """The most extreme pairs by the label, or those furthest from the right answer."""
    if answers.set.family == "retention":
        found = furthest(answers, count, one_for_each_pair=True)
        yield show.examples("furthest", "Pairs furthest from the right answer", _cases(found))
        return
    for label in ("entailment", "contradiction"):
        found = extremes(answers, label, count, one_for_each_pair=True)
        yield show.examples(label, f"Pairs most confidently called {label}", _cases(found))


def _cases(found: Sequence[ExtremePair]) -> Iterator[Case]:
    for item in found:
        numbers = (item.entailment, item.neutral, item.contradiction)
        yield Case(texts=(item.premise, item.hypothesis), numbers=numbers, right=item.right)
