"""What a language model is trained on: masked pieces, and whether a sentence comes next.

A pair is ``[CLS] first [SEP] second [SEP]``. In half of them the second sentence follows the first
in the text; in the others it is drawn from all of it. Of all pieces 15 % are asked for; 80 % of
these are masked, 10 % are another piece and 10 % stay as they are (Devlin et al. 2019).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Mask
from unslant.models.pretraining.running_text import RunningText

ASKED = 0.15
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Marks:
    """The numbers of the pieces that are not of the text."""

    begin: int
    end: int
    gap: int
    pieces: int
    """How many pieces the vocabulary has."""


@dataclass(frozen=True, eq=False)
class PairBatch:
    """Pairs of sentences, padded on the right: pairs × pieces.

    ``asked`` are the places (pair, piece) of the pieces that are asked for, ``answers`` what stood
    there, and ``is_random`` is 1 for pairs whose second sentence does not follow the first.
    """

    ids: Ids
    kinds: Ids
    is_piece: Mask
    asked: tuple[Ids, Ids]
    answers: Ids
    is_random: Ids

    def __len__(self) -> int:
        return len(self.ids)


def pair_batches(
    text: RunningText,
    marks: Marks,
    *,
    firsts: Ids,
    size: int,
    rng: np.random.Generator,
) -> Iterator[PairBatch]:
    """Pairs that begin with the given sentences, those of similar length together."""
    is_random = rng.integers(0, 2, len(firsts))
    seconds = np.where(is_random == 1, rng.integers(0, len(text), len(firsts)), firsts + 1)
    lengths = np.diff(text.ends)
    order = np.argsort(lengths[firsts] + lengths[seconds], kind="stable")
    groups = [order[at : at + size] for at in range(0, len(order), size)]
    for place in rng.permutation(len(groups)):
        chosen = groups[place]
        ids, kinds, is_piece, is_text = _laid_out(text, marks, firsts[chosen], seconds[chosen])
        shown, asked = with_gaps(ids, is_text, marks, rng)
        yield PairBatch(shown, kinds, is_piece, asked, ids[asked], is_random[chosen])


def _laid_out(
    text: RunningText, marks: Marks, firsts: Ids, seconds: Ids
) -> tuple[Ids, Ids, Mask, Mask]:
    """The pieces of pairs, which sentence each is of, and which are pieces, and of the text."""
    lengths = np.diff(text.ends)
    shape = len(firsts), int((lengths[firsts] + lengths[seconds]).max()) + 3
    ids, kinds = np.zeros((2, *shape), np.int64)
    is_piece, is_text = np.zeros((2, *shape), bool)
    for row, (first, second) in enumerate(zip(firsts, seconds, strict=True)):
        one, two = text.sentence(first), text.sentence(second)
        middle, last = len(one) + 1, len(one) + len(two) + 2
        ids[row, : last + 1] = [marks.begin, *one, marks.end, *two, marks.end]
        kinds[row, middle + 1 : last + 1] = 1
        is_piece[row, : last + 1] = True
        is_text[row, 1:last] = True
        is_text[row, middle] = False
    return ids, kinds, is_piece, is_text


def with_gaps(
    ids: Ids, is_text: Mask, marks: Marks, rng: np.random.Generator
) -> tuple[Ids, tuple[Ids, Ids]]:
    """The pieces as they are shown, and the places of those that are asked for: at least one."""
    draws = np.where(is_text, rng.random(ids.shape), 1.0)
    asked_at = max(ASKED, float(draws.min()) + 1e-12)
    shown = np.where(draws < 0.8 * asked_at, marks.gap, ids)
    is_other = (draws >= 0.8 * asked_at) & (draws < 0.9 * asked_at)
    others = rng.integers(0, marks.pieces, ids.shape)
    rows, columns = np.nonzero(draws < asked_at)
    return np.where(is_other, others, shown), (rows, columns)
