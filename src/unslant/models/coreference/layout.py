"""Documents laid out for the network: all words in one row, sentences packed by time step.

Nothing is padded in the BiLSTM: at step t it gets the t-th word of every sentence that has one, so
sentences of any length share a batch. Everything here is NumPy and made once for each document.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Layout:
    """Some documents as one row of words.

    ``words`` and ``cases`` are numbers of each word, ``sentence`` the number of its sentence,
    ``room`` how many words its sentence has from it to the end, and ``starts`` where each document
    begins, with the number of all words at the end. ``onward`` and ``backward`` are the places of
    the words in the order in which the BiLSTM reads them, ``sizes`` how many it reads at each step.
    """

    words: Places
    cases: Places
    sentence: Places
    room: Places
    starts: Places
    onward: Places
    backward: Places
    sizes: Places
    context: NDArray[np.float32] | None = None

    @property
    def ways(self) -> "tuple[Places, Places, Places, Places]":
        """Both orders, and the place of each word in them."""
        return self.onward, self.backward, _inverse(self.onward), _inverse(self.backward)

    @property
    def lengths(self) -> Places:
        """How many words each document has."""
        return np.diff(self.starts)


@dataclass(frozen=True, eq=False)
class Read:
    """A document as numbers: for each sentence the words and how they are written."""

    words: Places
    cases: Places
    lengths: Places
    context: NDArray[np.float32] | None = None


def layout(documents: Sequence[Read]) -> Layout:
    """The documents one after another."""
    lengths = np.concatenate([each.lengths for each in documents])
    words = np.concatenate([each.words for each in documents])
    begins = np.cumsum(lengths) - lengths
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    within = np.arange(len(words)) - begins[sentence]
    # Longest sentences first: at each step those that still have a word are the first ones.
    rank = np.empty_like(lengths)
    rank[np.argsort(-lengths, kind="stable")] = np.arange(len(lengths))
    onward = np.lexsort((rank[sentence], within))
    mirror = (begins + lengths - 1)[sentence] - within
    contexts = [each.context for each in documents if each.context is not None]
    return Layout(
        words=words,
        cases=np.concatenate([each.cases for each in documents]),
        sentence=sentence,
        room=lengths[sentence] - within,
        starts=np.cumsum([0, *(len(each.words) for each in documents)]),
        onward=onward,
        backward=mirror[onward],
        sizes=np.bincount(within),
        context=np.concatenate(contexts) if contexts else None,
    )


def _inverse(order: Places) -> Places:
    inverse = np.empty_like(order)
    inverse[order] = np.arange(len(order))
    return inverse
