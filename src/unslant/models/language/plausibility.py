"""A language model as what says how well a word or a sentence goes with a context."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.record import Facts
from unslant.core.types import Array
from unslant.models.language.classifying import pair_logits
from unslant.models.language.distributions import TextGap, log_probabilities_of
from unslant.models.language.facts import model_facts
from unslant.models.language.likelihood import AskedModel, WithHead, begin_of, filled, gap_sign
from unslant.models.language.span_likelihood import CausalLikelihood
from unslant.predictors.protocols import MASK, Likelihood, NextSentence, Scoring

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel
    from unslant.models.language.span_likelihood import MaskedLikelihood


# How StereoSet's authors score the filler of a gap with a masked language model.


def published_fillers(likelihood: "MaskedLikelihood", texts: Sequence[str]) -> NDArray[np.float64]:
    """log of (1/n) Σ p(piece | the pieces before it, one gap in its place, the rest of the text).

    The later pieces of the filler are left out. The mean of probabilities, not
    of their logarithms, is published; later pieces of a rare word are near 1 and lift it, which is
    why this is not the default. Each distinct sequence is read once.
    """
    _, sign = gap_sign(likelihood.model)
    gaps: list[TextGap] = []
    rows: list[int] = []
    for row, pieces in enumerate(likelihood.read(texts)):
        places = [place for place, _ in pieces.marked]
        after = pieces.ids[places[-1] + 1 :]
        for place in places:
            gaps.append(TextGap((*pieces.ids[:place], sign, *after), place, pieces.ids[place]))
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
        gaps: list[TextGap] = []
        rows: list[int] = []
        for row, pieces in enumerate(self.read(texts)):
            ids = tuple(pieces.ids[place] for place, _ in pieces.marked)
            read = (begin, *ids[:-1])
            gaps += [TextGap(read, place, piece) for place, piece in enumerate(ids)]
            rows += [row] * len(ids)
        logs = log_probabilities_of(self, gaps)
        return np.bincount(rows, logs, len(texts)).astype(np.float64)


def _joined(firsts: Sequence[str], seconds: Sequence[str]) -> list[str]:
    pairs = zip(firsts, seconds, strict=True)
    return [f"{first.rstrip()} [[{second.lstrip()}]]" for first, second in pairs]


# A model with a next-sentence head as what says whether one sentence follows another.


class NextSentencePredictor(WithHead):
    """log p(next) − log p(not next) from the head of BERT's pretraining, or one trained later.

    Both sentences are read together, as the tokenizer joins them, with the parts of the pair
    marked. Which of the two outputs means "next" is found out by a check on held-out sentences
    (``next_sentence_check.py``), because models differ and their names say nothing about it.
    """

    head = "next-sentence"

    def __init__(self, model: "TransformerModel") -> None:
        super().__init__(model)
        self.check = model.next_sentence_check

    @property
    def facts(self) -> Facts:
        """The model's entry in a record, with the outcome of the check."""
        return {**super().facts, **self.check.facts}

    def score(self, firsts: Sequence[str], seconds: Sequence[str]) -> Array:
        """The log-odds of each pair."""
        odds = first_output_odds(self.model, firsts, seconds)
        return odds if self.check.column == 0 else -odds


def first_output_odds(
    model: "TransformerModel", firsts: Sequence[str], seconds: Sequence[str]
) -> Array:
    """The first output of the head less the second."""
    logits = pair_logits(model, "next-sentence", firsts, seconds)
    found: Array = logits[:, 0] - logits[:, 1]
    return found


# Which output of a next-sentence head means "next": true next sentences against others.

MOST_P = 0.01


@dataclass(frozen=True)
class NextSentenceCheck:
    """The output that means "next", and how well it separates true pairs from others.

    ``ranked`` is the share of pairs whose true second sentence scores higher than another one;
    ``right`` is the share of all answers with the right sign.
    """

    column: int
    pairs: int
    ranked: float
    right: float
    p_value: float

    @property
    def facts(self) -> Facts:
        """Its entry in a record."""
        return {
            "next-sentence-output": self.column,
            "next-sentence-check-pairs": self.pairs,
            "next-sentence-check-ranked-right": self.ranked,
            "next-sentence-check-accuracy": self.right,
            "next-sentence-check-p": self.p_value,
        }


def checked(model: "TransformerModel") -> NextSentenceCheck:
    """Test the head on held-out sentences; a head at chance is refused.

    An output is taken for "next" if it ranks the true sentence above another one more often than a
    fair coin would, by an exact binomial test of both sides at the level .01.
    """
    from scipy.stats import binomtest

    firsts, seconds = zip(*held_out_pairs(), strict=True)
    shift = len(seconds) // 2
    others = [*seconds[shift:], *seconds[:shift]]
    true = first_output_odds(model, firsts, seconds)
    false = first_output_odds(model, firsts, others)
    wins, losses = int((true > false).sum()), int((true < false).sum())
    p_value = float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0
    if p_value >= MOST_P:
        raise UnslantError(
            f'Which output of the next-sentence head of {model.name} means "next" is undecided: of '
            f"{len(firsts)} held-out pairs, the first output prefers the true next sentence in "
            f"{wins} and another one in {losses} (p = {p_value:.2g}; needed: below {MOST_P:g}). "
            f"Use a model whose next-sentence head has been trained."
        )
    sign = 1 if wins > losses else -1
    ties = len(firsts) - wins - losses
    return NextSentenceCheck(
        column=0 if sign > 0 else 1,
        pairs=len(firsts),
        ranked=(max(wins, losses) + ties / 2) / len(firsts),
        right=float(np.mean([*(sign * true > 0), *(sign * false < 0)])),
        p_value=p_value,
    )


@cache
def held_out_pairs() -> tuple[tuple[str, str], ...]:
    """Sentences with the sentence that follows.

    >>> len(held_out_pairs())
    64
    """
    path = files("unslant.models.language") / "data" / "next-sentences.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple((first, second) for first, second in table["pairs"])
