"""A language model as what says how well a word or a sentence goes with a context."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.record import Facts
from unslant.core.types import Array
from unslant.models.language.facts import model_facts
from unslant.models.language.likelihood import AskedModel
from unslant.models.language.masked import filled
from unslant.models.language.published_fillers import published_fillers
from unslant.predictors.protocols import MASK, Likelihood, NextSentence, Scoring

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
        """What a record says about the model, with the check of its next-sentence head if any."""
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
