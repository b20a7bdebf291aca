"""Names in sentences: the vector of the name, and the sum of those of all other words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.places import Place, parse_place
from unslant.core.record import Facts
from unslant.models.language.facts import model_facts
from unslant.models.language.passes import batches
from unslant.models.language.tokens import is_marked
from unslant.predictors.protocols import LAST, Spans

if TYPE_CHECKING:
    from unslant.models.language.base import LanguageModel

from unslant.core.types import Matrix

PieceSpans = Sequence[tuple[int, int] | None]
_ONE_VECTOR = ("wordpieces", "pooled", "sentence")


class NameVectors:
    """A language model without its head, as what reads names in sentences.

    A piece belongs to the name if any of its characters do. Nothing is padded.
    """

    def __init__(self, model: "LanguageModel") -> None:
        self.model = model

    @property
    def name(self) -> str:
        """The model's name in records."""
        return self.model.name

    @property
    def sha256(self) -> str:
        """A hash of the weights and of what acts in them."""
        return self.model.content_hash

    @property
    def facts(self) -> Facts:
        """The model's entry in a record."""
        return model_facts(self.model)

    def place(self, text: str) -> Place:
        """The place that a text means; one without a vector for each token is refused."""
        if text == LAST:
            return Place("lstm" if self.model.layout.kind == "elmo" else "layer", -1)
        place = parse_place(text)
        if place.part in _ONE_VECTOR or place.tokens is not None:
            raise UnslantError(
                f"{place} does not have a vector for each token of a sentence. Name a place such "
                f"as layer:-1 or embeddings, without [tokens]."
            )
        self.model.site(place)
        return place

    def name_and_rest(
        self, texts: Sequence[str], spans: Sequence[Spans], place: str = LAST
    ) -> tuple[Matrix, Matrix]:
        """The mean over the pieces of each name, and the sum over all others but added ones."""
        at = self.place(place)
        shape = len(texts), self.model.site(at).width
        names, rests = np.full(shape, np.nan, np.float32), np.full(shape, np.nan, np.float32)
        pieces = self.model.tokens.spans(texts)
        usable = [
            row
            for row, (text, found, mine) in enumerate(zip(texts, pieces, spans, strict=True))
            if len(found) <= self.model.tokens.most
            and not is_marked(text)  # brackets of the text's own would be taken for marks
            and all(any(_within(piece, span) for piece in found) for span in mine)
        ]
        for batch in batches(self.model, [texts[row] for row in usable], [at]):
            rows = [usable[row] for row in batch.rows]
            state = batch.states[at]
            shares = np.stack([_shares(pieces[row], spans[row]) for row in rows])
            both = _product(state, shares)
            names[rows], rests[rows] = both[:, 0], both[:, 1]
        return names, rests


def _shares(pieces: PieceSpans, spans: Spans) -> Matrix:
    """How much of each piece goes into the name's vector and into the rest's: 2 × pieces."""
    is_added = np.array([piece is None for piece in pieces])
    is_name = np.array([any(_within(piece, span) for span in spans) for piece in pieces])
    is_name &= ~is_added
    return np.stack([is_name / is_name.sum(), ~is_name & ~is_added]).astype(np.float32)


def _within(piece: tuple[int, int] | None, span: tuple[int, int]) -> bool:
    return piece is not None and piece[0] < span[1] and piece[1] > span[0]


def _product(state: Any, shares: Matrix) -> Matrix:
    import torch

    found: Matrix = torch.einsum("tkp,tpw->tkw", torch.from_numpy(shares), state.float()).numpy()
    return found
