"""Mean answers by group: of all words, and of every word on either side."""

from collections.abc import Iterator, Sequence

import numpy as np

from unslant.core.nli_exhibits import GroupAnswer
from unslant.numerics.crossed_bootstrap import Array, Mask
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.pairset import PairSet, Positions
from unslant.probes.nli.tables import average_of, cell_sums

Masks = dict[str, Mask]


def group_answers(answers: Answers) -> tuple[GroupAnswer, ...]:
    """The mean for every two groups, then for each premise word and each hypothesis word.

    A word's mean is over one group of the other side at a time. Where a side has groups, its
    words of no group are left out; so is whatever no pair that counts is about.
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
    for word in dict.fromkeys(words):  # one that stands in a list twice has one mean
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
