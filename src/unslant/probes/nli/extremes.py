"""The pairs a model is most sure of where it should not be (Dev et al. 2020, tables 2, 4 and 6)."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.types import Matrix
from unslant.datasets.nli.pairs import LABELS
from unslant.probes.nli.answers import Answers


@dataclass(frozen=True, kw_only=True)
class Example:
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
) -> tuple[Example, ...]:
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
) -> tuple[Example, ...]:
    """The ``k`` pairs whose right answer is least probable, the least first."""
    if k < 1:
        raise UnslantError(f"The number of examples must be at least 1. Got {k} instead.")
    right = answers.set.labels[:, :, None, None]
    found = np.take_along_axis(answers.probabilities, right, axis=3)[..., 0]
    return _examples(answers, 1 - found, k, one_for_each_pair)


def _examples(
    answers: Answers, found: Matrix, k: int, one_for_each_pair: bool
) -> tuple[Example, ...]:
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


def _example(answers: Answers, premise: int, hypothesis: int, context: int) -> Example:
    pairs = answers.set
    first, second = pairs.grid.pair(premise, hypothesis, context)
    entailment, neutral, contradiction = answers.probabilities[
        premise, hypothesis, context
    ].tolist()
    return Example(
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
