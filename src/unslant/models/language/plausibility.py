"""A language model as what says how well a word or a sentence goes with a context."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.record import Facts
from unslant.core.types import Array
from unslant.models.language.distributions import Gap, log_probabilities_of
from unslant.models.language.facts import model_facts
from unslant.models.language.likelihood import AskedModel, begin_of, filled, gap_sign
from unslant.models.language.span_likelihood import CausalLikelihood
from unslant.predictors.protocols import MASK, Likelihood, NextSentence, Scoring

if TYPE_CHECKING:
    from unslant.models.language.span_likelihood import MaskedLikelihood


# How StereoSet's authors score the filler of a gap with a masked language model.


def published_fillers(likelihood: "MaskedLikelihood", texts: Sequence[str]) -> NDArray[np.float64]:
    """log of (1/n) Σ p(piece | the pieces before it, one gap in its place, the rest of the text).

    The later pieces of the filler are left out. The mean of probabilities, not
    of their logarithms, is published; later pieces of a rare word are near 1 and lift it, which is
    why this is not the default. Each distinct sequence is read once.
    """
    _, sign = gap_sign(likelihood.model)
    gaps: list[Gap] = []
    rows: list[int] = []
    for row, pieces in enumerate(likelihood.read(texts)):
        places = [place for place, _ in pieces.marked]
        after = pieces.ids[places[-1] + 1 :]
        for place in places:
            gaps.append(Gap((*pieces.ids[:place], sign, *after), place, pieces.ids[place]))
            rows.append(row)
    likely = np.exp(log_probabilities_of(likelihood, gaps))
    sums = np.bincount(rows, likely, len(texts))
    found: NDArray[np.float64] = np.log(sums / np.bincount(rows, minlength=len(texts)))
    return found


Answer = Callable[[Sequence[str], Sequence[str], Scoring], Array]


class PlausibilityPredictor(AskedModel):
    """Gaps are filled by the masked head or by a decoder, next sentences judged as in NextSentence.

    ``words``: the likelihood of the filler's pieces from left to right, or for a decoder that of
    the whole text; the log-odds of the next sentence. ``published``: for a masked model the mean
    probability of the pieces, each with one gap in its place (Nadeem et al. 2021); for a decoder
    the mean log-likelihood per piece of the text, or of the next sentence after the context.
    """

    @property
    def facts(self) -> Facts:
        """The model's entry in a record, with the check of its next-sentence head if any."""
        try:
            return {**self._next.facts, "head": self._next.head}
        except UnslantError:  # it has no such head; a question for it will say so
            return model_facts(self.model)

    def plausibility(
        self, contexts: Sequence[str], candidates: Sequence[str], scoring: Scoring = "words"
    ) -> Array:
        """One number for each context and candidate."""
        asked = list(zip(contexts, candidates, strict=True))
        found = np.empty(len(asked))
        has_gap = np.array([MASK in context for context, _ in asked], dtype=bool)
        answers: tuple[tuple[bool, Answer], ...] = ((True, self._filler), (False, self._sentence))
        for kind, answer in answers:
            rows = np.flatnonzero(has_gap == kind)
            if len(rows):
                firsts, seconds = zip(*(asked[row] for row in rows), strict=True)
                found[rows] = answer(firsts, seconds, scoring)
        return found

    @cached_property
    def _likelihood(self) -> Any:
        return self.model.predictor(Likelihood)

    @cached_property
    def _next(self) -> Any:
        return self.model.predictor(NextSentence)

    def _filler(self, contexts: Sequence[str], fillers: Sequence[str], scoring: Scoring) -> Array:
        texts = [filled(*pair) for pair in zip(contexts, fillers, strict=True)]
        likelihood = self._likelihood
        if not likelihood.is_causal:
            if scoring == "published":
                return published_fillers(likelihood, texts)
            logs: Array = likelihood.log_likelihoods(texts)
            return logs
        whole = [f"[[{text.replace('[[', '').replace(']]', '')}]]" for text in texts]
        logs = likelihood.log_likelihoods(whole)
        return logs / likelihood.pieces(whole) if scoring == "published" else logs

    def _sentence(self, firsts: Sequence[str], seconds: Sequence[str], scoring: Scoring) -> Array:
        judge = self._next
        if scoring == "published" and judge.head == "causal":
            means: Array = judge.mean_log_likelihoods(firsts, seconds)
            return means
        odds: Array = judge.score(firsts, seconds)
        return odds

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


# A decoder as what says whether one sentence follows another, by conditional likelihood.


class AfterSentence(CausalLikelihood):
    """log p(second | first) − log p(second), both over the same pieces.

    A generator that chooses with equal chances between going on after the first sentence and
    starting over has written "second" after "first" with exactly these log-odds. Subtracting the
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
