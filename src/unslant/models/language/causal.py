"""A decoder as a causal language model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError, refuse_one_text
from unslant.models.language.likelihood import WithHead, log_probabilities

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


class CausalPredictor(WithHead):
    """log p(text) = Σ log p(piece | pieces before it), over all pieces of the text.

    The first piece is conditioned on the sign for the beginning of a text: ``bos_token_id`` of the
    configuration, or ``eos_token_id`` in models that have no other. If the tokenizer puts that sign
    before the text itself, it is not put there twice; it is never scored.
    """

    head = "causal"

    def __init__(self, model: "TransformerModel") -> None:
        refuse_encoder(model)
        super().__init__(model)

    def log_likelihood(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """One natural logarithm for each text; each distinct text is computed once."""
        refuse_one_text(texts, self.name)
        distinct = list(dict.fromkeys(texts))
        found = dict(zip(distinct, self._scored(self._begun(distinct)), strict=True))
        return np.array([found[text] for text in texts], dtype=np.float64)

    def pieces(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Over how many pieces the logarithm of each text is summed."""
        return np.array([len(item) - 1 for item in self._begun(texts)], dtype=np.int64)

    def _scored(self, pieces: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        sums = np.empty(len(pieces))
        for rows, ids in self.batches(pieces):
            logits = self.logits(ids)[:, :-1]
            sums[rows] = log_probabilities(logits, ids[:, 1:]).sum(dim=1).numpy()
        return sums

    def _begun(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """The pieces of each text after the sign for its beginning."""
        begin = begin_of(self.model)
        found = []
        for text, pieces in zip(texts, self.model.tokens.of(texts), strict=True):
            ids = pieces.ids if pieces.ids[0] == begin else (begin, *pieces.ids)
            if len(ids) > self.model.layout.positions:
                raise UnslantError(
                    f'"{text[:60]}…" has {len(ids):,} pieces with the sign for its beginning; '
                    f"{self.name} reads at most {self.model.layout.positions:,}. Shorten or split "
                    f"it."
                )
            found.append(ids)
        return found


def refuse_encoder(model: "TransformerModel") -> None:
    """Refuse a model that reads in both directions."""
    if not model.layout.architecture.is_decoder:
        raise UnslantError(
            f"{model.name} has no causal head: a {model.layout.kind} reads a text in both "
            f"directions, so it gives no likelihood of a text. Use a decoder such as GPT-2."
        )


def begin_of(model: "TransformerModel") -> int:
    """The sign for the beginning of a text."""
    config = model.folder.config
    for key in ("bos_token_id", "eos_token_id"):
        number = config.get(key)
        number = number[0] if isinstance(number, list) and number else number
        if isinstance(number, int) and 0 <= number < model.layout.pieces:
            return number
    raise UnslantError(
        f"{model.name} has no sign for the beginning of a text (bos_token_id or eos_token_id in "
        f"config.json), so its first piece has no probability."
    )
