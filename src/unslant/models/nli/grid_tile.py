"""Some premise fillers × some hypothesis fillers in a block of contexts, shared parts done once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Matrix
from unslant.models.nli.layers import Layers, Words, times
from unslant.numerics.group_attention import log_total_and_weights, share_of_second

Places = NDArray[np.int64]
Totals = NDArray[np.float64]


@dataclass(frozen=True)
class FillerWords:
    """Fillers as bags of words: ``of`` holds places in the distinct ``words``, -1 is padding."""

    words: Places
    of: Places

    @classmethod
    def of_side(cls, fillers: Sequence[tuple[int, ...]]) -> "FillerWords":
        """The fillers of one side of a tile, each given as places in the table of words."""
        words = list(dict.fromkeys(word for filler in fillers for word in filler))
        order = {word: place for place, word in enumerate(words)}
        of = np.full((len(fillers), max(map(len, fillers))), -1, dtype=np.int64)
        for row, filler in zip(of, fillers, strict=True):
            row[: len(filler)] = [order[word] for word in filler]
        return cls(np.array(words, dtype=np.int64), of)

    def seen_from(self, attend: Totals, words: Words) -> tuple[Totals, Matrix]:
        """The log total and the mean of each filler, for each row of ``attend``.

        The means are rows × fillers × hidden, or 1 × fillers × hidden where they do not depend on
        who looks: a filler of one word is that word.
        """
        scores = (attend @ words.attend[self.words].T)[:, self.of]
        log_totals, weights = log_total_and_weights(np.where(self.of >= 0, scores, -np.inf))
        aligned = words.aligned[self.words[self.of]]
        if self.of.shape[1] == 1:
            return log_totals, aligned.transpose(1, 0, 2)
        return log_totals, (weights.transpose(1, 0, 2) @ aligned).transpose(1, 0, 2)

    def summed(self, found: Matrix, axis: int) -> Matrix:
        """What was found for each distinct word, summed over the words of each filler."""
        if self.of.shape[1] == 1 and np.array_equal(self.of[:, 0], np.arange(len(self.words))):
            return found
        by_word = np.moveaxis(found, axis, 0)
        sums = np.zeros((len(self.of), *by_word.shape[1:]), np.float32)
        for of in self.of.T:
            has_one = of >= 0
            sums[has_one] += by_word[of[has_one]]
        return np.moveaxis(sums, 0, axis)


class Tile:
    """Some premise fillers × some hypothesis fillers, to be met in any context."""

    def __init__(
        self,
        layers: Layers,
        words: Words,
        rows: slice,
        columns: slice,
        premises: Sequence[tuple[int, ...]],
        hypotheses: Sequence[tuple[int, ...]],
    ) -> None:
        self._layers, self._words, self.rows, self.columns = layers, words, rows, columns
        self._premises, self._hypotheses = map(FillerWords.of_side, (premises, hypotheses))
        p, h = self._premises, self._hypotheses
        self._to_hypotheses = h.seen_from(words.attend[p.words], words)
        self._to_premises = p.seen_from(words.attend[h.words], words)

    def answers(self, contexts: Places) -> Matrix:
        """Contexts × premises × hypotheses × 3 for contexts of one length."""
        to_premise, to_hypothesis = self._layers.premise, self._layers.hypothesis
        hidden = times(self._premise_words(contexts), to_premise)
        hidden += times(self._hypothesis_words(contexts), to_hypothesis)
        beside_premise = times(self._context_words(contexts, self._premises), to_hypothesis)
        beside_hypothesis = times(self._context_words(contexts, self._hypotheses), to_premise)
        hidden += beside_premise[:, :, None]
        hidden += (beside_hypothesis + self._layers.bias)[:, None]
        return self._layers.answers(hidden)

    def _premise_words(self, contexts: Places) -> Matrix:
        """The words of the premise fillers, which see the context and a hypothesis filler."""
        words = self._premises.words
        log_totals, means = self._to_contexts(words, contexts)
        other_totals, other_means = self._to_hypotheses
        share = share_of_second(log_totals[..., None], other_totals)
        own = self._words.own[words][:, None]
        joint = _mixed(own, means[:, :, None], other_means, share)
        return self._premises.summed(self._layers.compared(joint), axis=1)

    def _hypothesis_words(self, contexts: Places) -> Matrix:
        """The words of the hypothesis fillers, which see the context and a premise filler."""
        words = self._hypotheses.words
        log_totals, means = self._to_contexts(words, contexts)
        other_totals, other_means = self._to_premises
        share = share_of_second(log_totals[:, None, :], other_totals.T)
        own, other_means = self._words.own[words], other_means.transpose(1, 0, 2)
        joint = _mixed(own, means[:, None], other_means, share)
        return self._hypotheses.summed(self._layers.compared(joint), axis=2)

    def _context_words(self, contexts: Places, others: FillerWords) -> Matrix:
        """The words of contexts, which see the context and a filler of the other sentence."""
        attend = self._words.attend[contexts]
        log_totals, weights = log_total_and_weights(attend @ attend.transpose(0, 2, 1))
        means = weights @ self._words.aligned[contexts]
        rows = attend.reshape(-1, attend.shape[2])
        other_totals, other_means = others.seen_from(rows, self._words)
        other_totals = other_totals.reshape(*contexts.shape, len(others.of))
        share = share_of_second(log_totals[..., None], other_totals)
        if len(other_means) > 1:
            other_means = other_means.reshape(*contexts.shape, *other_means.shape[1:])
        own = self._words.own[contexts][:, :, None]
        joint = _mixed(own, means[:, :, None], other_means, share)
        return np.asarray(self._layers.compared(joint).sum(axis=1))

    def _to_contexts(self, words: Places, contexts: Places) -> tuple[Totals, Matrix]:
        """The log total and the mean of each context for each word: contexts × words (× hidden)."""
        attend = self._words.attend
        scores = attend[words] @ attend[contexts].transpose(0, 2, 1)
        log_totals, weights = log_total_and_weights(scores)
        return log_totals, weights @ self._words.aligned[contexts]


def _mixed(own: Matrix, means: Matrix, other_means: Matrix, share: Matrix) -> Matrix:
    """A word's own part beside the mean over both groups, ``means + share · (other - means)``."""
    joint = np.subtract(other_means, means)
    joint *= share[..., None]
    joint += own + means
    return joint
