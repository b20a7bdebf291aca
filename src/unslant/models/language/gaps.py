"""The single predictions that the likelihood of marked words is made of."""

from collections.abc import Iterator
from dataclasses import dataclass

from unslant.models.language.tokens import Pieces, Spelled
from unslant.predictors.protocols import Masking


@dataclass(frozen=True)
class Gap:
    """How probable is a piece at a place of what the model reads?"""

    ids: Spelled
    place: int
    piece: int


def masked_gaps(pieces: Pieces, masking: Masking, sign: int) -> Iterator[Gap]:
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
        yield Gap(_with_signs(ids, hidden, sign), place, ids[place])


def causal_gaps(pieces: Pieces, begin: int) -> Iterator[Gap]:
    """One gap for each marked piece, read at the piece before it, without what follows the last.

    ``begin`` is put before the text unless the tokenizer has put it there.
    """
    shift = 0 if pieces.ids[0] == begin else 1
    ids = (begin,) * shift + pieces.ids
    places = [place + shift for place, _ in pieces.marked]
    read = ids[: max(places)]
    for place in places:
        yield Gap(read, place - 1, ids[place])


def prompted(gap: Gap, prompt: Spelled, front: int) -> Gap:
    """The gap with the pieces of a prompt before the text, after ``front`` pieces."""
    return Gap((*gap.ids[:front], *prompt, *gap.ids[front:]), gap.place + len(prompt), gap.piece)


def _with_signs(ids: Spelled, hidden: range | list[int], sign: int) -> Spelled:
    masked = list(ids)
    for place in hidden:
        masked[place] = sign
    return tuple(masked)
