"""The pairs a model is most sure of where it should not be (Dev et al. 2020, tables 2, 4 and 6)."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.models.nli.model import LABELS
from unslant.probes.nli.answers import Answers

Numbers = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Example:
    """One pair: its words, its sentences and the answer.

    ``context`` are the words that both sentences share, such as the verb and the object.
    """

    premise_word: str
    context: tuple[str, ...]
    hypothesis_word: str
    premise: str
    hypothesis: str
    entailment: float
    neutral: float
    contradiction: float

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
    pairs = answers.set
    found = answers.probabilities[..., LABELS.index(label)]
    counted = np.flatnonzero(pairs.counts.ravel())
    rows = found.reshape(-1, found.shape[2])[counted]
    if one_for_each_pair:
        best = rows.argmax(axis=1)
        chosen = _largest(np.take_along_axis(rows, best[:, None], axis=1)[:, 0], k)
        cells, contexts = chosen, best[chosen]
    else:
        cells, contexts = np.divmod(_largest(rows.reshape(-1), k), found.shape[2])
    premises, hypotheses = np.divmod(counted[cells], found.shape[1])
    return tuple(
        _example(answers, *place)
        for place in zip(premises.tolist(), hypotheses.tolist(), contexts.tolist(), strict=True)
    )


def _largest(values: Numbers, k: int) -> NDArray[np.int64]:
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
    )
