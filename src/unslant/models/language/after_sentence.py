"""A decoder as what says whether one sentence follows another, by conditional likelihood."""

from collections.abc import Sequence

import numpy as np

from unslant.core.types import Array
from unslant.models.language.causal import begin_of
from unslant.models.language.distributions import log_probabilities_of
from unslant.models.language.gaps import Gap
from unslant.models.language.marked import CausalLikelihood


class AfterSentence(CausalLikelihood):
    """log p(second | first) − log p(second), both over the same pieces.

    A generator that chooses with equal chances between going on after the first sentence and
    beginning anew has written "second" after "first" with exactly these log-odds. Subtracting the
    likelihood without the first sentence keeps long sentences and rare words from counting as
    implausible. The sentences are joined by one space, and every piece is conditioned on the sign
    for the beginning of a text and all pieces before it.
    """

    def score(self, firsts: Sequence[str], seconds: Sequence[str]) -> Array:
        """The log-odds of each pair."""
        texts = _joined(firsts, seconds)
        return self.log_likelihoods(texts) - self._alone(texts)

    def mean_log_likelihoods(self, firsts: Sequence[str], seconds: Sequence[str]) -> Array:
        """log p(second | first) per piece, which is what published scores of decoders compare."""
        texts = _joined(firsts, seconds)
        return self.log_likelihoods(texts) / self.pieces(texts)

    def _alone(self, texts: Sequence[str]) -> Array:
        """The likelihood of the pieces of each second sentence right after the beginning."""
        begin = begin_of(self.model)
        gaps: list[Gap] = []
        rows: list[int] = []
        for row, pieces in enumerate(self.read(texts)):
            ids = tuple(pieces.ids[place] for place, _ in pieces.marked)
            read = (begin, *ids[:-1])
            gaps += [Gap(read, place, piece) for place, piece in enumerate(ids)]
            rows += [row] * len(ids)
        logs = log_probabilities_of(self, gaps)
        return np.bincount(rows, logs, len(texts)).astype(np.float64)


def _joined(firsts: Sequence[str], seconds: Sequence[str]) -> list[str]:
    pairs = zip(firsts, seconds, strict=True)
    return [f"{first.rstrip()} [[{second.lstrip()}]]" for first, second in pairs]
