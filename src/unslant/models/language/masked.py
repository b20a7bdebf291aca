"""An encoder with its masked head as a masked language model."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.models.language.gap_piece import gap_piece
from unslant.models.language.likelihood import WithHead, log_probabilities
from unslant.models.language.tokens import without_marks
from unslant.predictors.protocols import MASK


class MaskedPredictor(WithHead):
    """log p(filler | text) = Σ log p(piece), with all pieces of the filler masked at once.

    The text is split into pieces with the filler in its place, so that these are the pieces that
    the model would see; then each of them becomes the model's own sign for a gap. The number of
    signs therefore tells the model how many pieces the filler has, and its pieces are predicted
    independently: fillers with different numbers of pieces are not on one scale.
    """

    head = "masked"

    def log_probabilities(
        self, texts: Sequence[str], fillers: Sequence[str]
    ) -> NDArray[np.float64]:
        """One natural logarithm for each text; each distinct question is asked once."""
        return self._answers(texts, fillers)[:, 0]

    def recovers(self, texts: Sequence[str], fillers: Sequence[str]) -> NDArray[np.float64]:
        """1 for each text in which every piece of the filler is the most probable, else 0."""
        return self._answers(texts, fillers)[:, 1]

    def _answers(self, texts: Sequence[str], fillers: Sequence[str]) -> NDArray[np.float64]:
        asked = list(zip(texts, fillers, strict=True))
        distinct = {question: row for row, question in enumerate(dict.fromkeys(asked))}
        pieces = self.model.tokens.of([filled(*question) for question in distinct])
        sign = gap_piece(self.model)
        found = np.empty((len(distinct), 2))
        for rows, ids in self.batches([item.ids for item in pieces]):
            gaps = [list(pieces[row].word) for row in rows]
            masked = ids.clone()
            for number, gap in enumerate(gaps):
                masked[number, gap] = sign
            logits = self.logits(masked)
            scored = log_probabilities(logits, ids)
            is_best = logits.argmax(dim=-1) == ids
            for number, (row, gap) in enumerate(zip(rows, gaps, strict=True)):
                found[row] = float(scored[number, gap].sum()), float(is_best[number, gap].all())
        return found[[distinct[question] for question in asked]].reshape(-1, 2)


def filled(text: str, filler: str) -> str:
    """The text with the filler, marked, in its gap."""
    plain = without_marks(text)
    if plain.count(MASK) != 1:
        raise UnslantError(
            f'"{plain[:60]}" has {plain.count(MASK)} gaps; expected exactly one {MASK}.'
        )
    if not filler.strip():
        raise UnslantError(f'The filler for "{plain[:60]}" is empty; expected a word.')
    return plain.replace(MASK, f"[[{filler}]]")
