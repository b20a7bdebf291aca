"""Distributions over the vocabulary at single places of texts: each text is read once.

Distinct sequences of equal length share a batch, so that nothing is padded; the last block and the
head are computed only at the requested positions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unslant.models.language.passes import TOKENS_IN_A_BATCH
from unslant.models.language.tokens import Pieces, Spelled
from unslant.predictors.protocols import Masking

if TYPE_CHECKING:
    from unslant.models.language.likelihood import WithHead


# The single predictions that make up the likelihood of marked words.


@dataclass(frozen=True)
class TextGap:
    """How probable is a piece at a place of what the model reads?"""

    ids: Spelled
    place: int
    piece: int


def masked_gaps(pieces: Pieces, masking: Masking, sign: int) -> Iterator[TextGap]:
    """One gap for each marked piece; ``sign`` is the piece that hides another.

    Texts that differ only in what is hidden ask about the same sequence, which is then read once.
    """
    ids = pieces.ids
    every = [place for place, _ in pieces.marked]
    for number, (place, end) in enumerate(pieces.marked):
        hidden: range | list[int]
        if masking == "words":
            hidden = range(place, end)
        elif masking == "tokenizer-words":
            hidden = range(place, pieces.tokenizer_ends[number])
        elif masking == "pieces":
            hidden = [place]
        else:
            hidden = every if masking == "span" else []
        yield TextGap(_with_signs(ids, hidden, sign), place, ids[place])


def causal_gaps(pieces: Pieces, begin: int) -> Iterator[TextGap]:
    """One gap for each marked piece, read at the piece before it, without what follows the last.

    ``begin`` is put before the text unless the tokenizer has put it there.
    """
    shift = 0 if pieces.ids[0] == begin else 1
    ids = (begin,) * shift + pieces.ids
    places = [place + shift for place, _ in pieces.marked]
    read = ids[: max(places)]
    for place in places:
        yield TextGap(read, place - 1, ids[place])


def prompted(gap: TextGap, prompt: Spelled, front: int) -> TextGap:
    """The gap with the pieces of a prompt before the text, after ``front`` pieces."""
    return TextGap(
        (*gap.ids[:front], *prompt, *gap.ids[front:]), gap.place + len(prompt), gap.piece
    )


def _with_signs(ids: Spelled, hidden: range | list[int], sign: int) -> Spelled:
    masked = list(ids)
    for place in hidden:
        masked[place] = sign
    return tuple(masked)


NUMBERS_IN_A_BATCH = 1 << 22
"""Each position needs a double for each piece of the vocabulary: 32 MB in all."""
_ROWS_TOGETHER = 64


def log_distributions(
    predictor: "WithHead", gaps: Sequence[TextGap]
) -> Iterator[tuple[list[list[int]], Any]]:
    """Natural logarithms (rows × vocabulary, in double precision) with the gaps of each row."""
    import torch

    asked: dict[tuple[int, ...], dict[int, list[int]]] = {}
    for number, gap in enumerate(gaps):
        asked.setdefault(gap.ids, {}).setdefault(gap.place, []).append(number)
    shapes: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    for ids, places in asked.items():
        shapes.setdefault((len(ids), len(places)), []).append(ids)
    for (length, count), sequences in sorted(shapes.items()):
        most = min(
            TOKENS_IN_A_BATCH // length,
            NUMBERS_IN_A_BATCH // (count * predictor.model.layout.pieces),
        )
        for start in range(0, len(sequences), max(1, most)):
            chosen = sequences[start : start + max(1, most)]
            positions = torch.tensor([list(asked[ids]) for ids in chosen])
            logits = predictor.logits(torch.tensor(chosen), positions).flatten(0, 1)
            rows = [numbers for ids in chosen for numbers in asked[ids].values()]
            yield rows, logits.double().log_softmax(dim=-1)


def log_probabilities_of(predictor: "WithHead", gaps: Sequence[TextGap]) -> NDArray[np.float64]:
    """The natural logarithm of the probability of each gap's piece."""
    found = np.empty(len(gaps))
    for rows, logs in log_distributions(predictor, gaps):
        for numbers, row in zip(rows, logs, strict=True):
            found[numbers] = row[[gaps[number].piece for number in numbers]].numpy()
    return np.minimum(found, 0)


def whole_distributions(predictor: "WithHead", gaps: Sequence[TextGap]) -> Any:
    """The distribution of each gap, one row for each: only for as many as memory holds."""
    import torch

    found = torch.empty((len(gaps), predictor.model.layout.pieces), dtype=torch.float64)
    for rows, logs in log_distributions(predictor, gaps):
        for numbers, row in zip(rows, logs, strict=True):
            found[numbers] = row
    return found


def in_parts(gaps: Sequence[TextGap]) -> Iterator[Sequence[TextGap]]:
    """The gaps, in batches whose distributions fit into memory."""
    for start in range(0, len(gaps), _ROWS_TOGETHER):
        yield gaps[start : start + _ROWS_TOGETHER]
