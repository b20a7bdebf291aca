"""Decomposable attention on a grid of sentence pairs, in NumPy: each shared part computed once."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.files import Progress
from unslant.core.types import Matrix
from unslant.models.nli.batches import Sentence
from unslant.numerics.chunks import one_blas_thread, ordered_parallel, reuse_freed_memory
from unslant.predictors.protocols import Probabilities

# The layers of decomposable attention in NumPy, cut where sentences begin to meet.


@dataclass(frozen=True)
class SentenceWords:
    """Context-free parts of each distinct word, one row per word.

    ``attend`` gives the scores, as ``attend @ attend.T``. ``own`` (with the bias) and ``aligned``
    are its two parts of the first layer of compare, which is linear in them.
    """

    attend: NDArray[np.float64]
    own: Matrix
    aligned: Matrix


class Layers:
    """Attend, compare, aggregate (Parikh et al. 2016), a ReLU after every layer but the last."""

    def __init__(self, tensors: Mapping[str, Matrix]) -> None:
        self._tensors = tensors
        halves = np.split(tensors["aggregate.0.weight"], 2, axis=1)
        self.premise, self.hypothesis = (np.ascontiguousarray(half.T) for half in halves)
        self.bias = tensors["aggregate.0.bias"]
        self._compare = np.ascontiguousarray(tensors["compare.1.weight"].T)
        self._last = np.ascontiguousarray(tensors["aggregate.1.weight"].T)

    def words(self, rows: Matrix) -> SentenceWords:
        """The parts that depend on one word alone.

        Words are few, so this is done in double precision: the scores of attention are
        exponents, where the rounding of large numbers would show.
        """
        x = rows.astype(np.float64) @ self._double("project.weight").T
        attend = x
        for layer in ("attend.0", "attend.1"):
            weight, bias = self._double(f"{layer}.weight"), self._double(f"{layer}.bias")
            attend = np.maximum(attend @ weight.T + bias, 0.0)
        own, aligned = np.split(self._double("compare.0.weight"), 2, axis=1)
        return SentenceWords(
            attend,
            (x @ own.T + self._double("compare.0.bias")).astype(np.float32),
            (x @ aligned.T).astype(np.float32),
        )

    def compared(self, joint: Matrix) -> Matrix:
        """The rest of compare, given the sums of both parts of its first layer (overwritten)."""
        np.maximum(joint, 0.0, out=joint)
        found = times(joint, self._compare)
        found += self._tensors["compare.1.bias"]
        return np.maximum(found, 0.0, out=found)

    def answers(self, hidden: Matrix) -> Matrix:
        """The three probabilities, given the first layer of aggregate (overwritten)."""
        np.maximum(hidden, 0.0, out=hidden)
        logits = times(hidden, self._last)
        logits += self._tensors["aggregate.1.bias"]
        logits -= logits.max(axis=-1, keepdims=True)
        np.exp(logits, out=logits)
        logits /= logits.sum(axis=-1, keepdims=True)
        return logits

    def _double(self, name: str) -> NDArray[np.float64]:
        return self._tensors[name].astype(np.float64)


def times(array: Matrix, matrix: Matrix) -> Matrix:
    """``array @ matrix`` as one product; of more than two axes NumPy would make many small ones."""
    rows = array.reshape(-1, array.shape[-1]) @ matrix
    return rows.reshape(*array.shape[:-1], matrix.shape[1])


# Attention over several groups of items, combined from the groups' separate results.
#
# The softmax mean over two groups is `(1 - w) · mean₁ + w · mean₂` with `w = sigmoid(log_total₂ -
# log_total₁)`, where `log_total` is the logarithm of a group's sum of exponentials. A group that
# is combined with many others is therefore computed once, and nothing overflows.

Scores = NDArray[np.float64]


def log_total_and_weights(scores: Scores) -> tuple[Scores, NDArray[np.float32]]:
    """``log Σ exp`` over the last axis and the softmax weights along it.

    A score of -∞ is ignored. If all are ignored, the total is -∞ and all weights are 0.
    """
    top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    np.copyto(top, 0.0, where=np.isneginf(top))
    weights = np.exp(scores - top)
    total = weights.sum(axis=-1, keepdims=True)
    np.divide(weights, total, out=weights, where=total > 0)
    log_total = np.log(total, out=np.full_like(total, -np.inf), where=total > 0)
    log_total += top
    return log_total[..., 0], weights.astype(np.float32)


def share_of_second(first: Scores, second: Scores) -> NDArray[np.float32]:
    """How much of the attention goes to the second group, from the log totals of both.

    ``tanh`` is exact to an ulp of 1 everywhere and, unlike ``1 / (1 + exp(-x))``, never overflows.
    """
    half = (second - first) / 2
    return np.asarray((1.0 + np.tanh(half)) / 2, dtype=np.float32)


# Some premise fillers × some hypothesis fillers in a block of contexts, shared parts done once.

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

    def seen_from(self, attend: Totals, words: SentenceWords) -> tuple[Totals, Matrix]:
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
        """Values per distinct word, summed over the words of each filler."""
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
        words: SentenceWords,
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
        log_totals, means = self._attend_to_contexts(words, contexts)
        other_totals, other_means = self._to_hypotheses
        share = share_of_second(log_totals[..., None], other_totals)
        own = self._words.own[words][:, None]
        joint = _mixed(own, means[:, :, None], other_means, share)
        return self._premises.summed(self._layers.compared(joint), axis=1)

    def _hypothesis_words(self, contexts: Places) -> Matrix:
        """The words of the hypothesis fillers, which see the context and a premise filler."""
        words = self._hypotheses.words
        log_totals, means = self._attend_to_contexts(words, contexts)
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

    def _attend_to_contexts(self, words: Places, contexts: Places) -> tuple[Totals, Matrix]:
        """The log total and the mean of each context for each word: contexts × words (× hidden)."""
        attend = self._words.attend
        scores = attend[words] @ attend[contexts].transpose(0, 2, 1)
        log_totals, weights = log_total_and_weights(scores)
        return log_totals, weights @ self._words.aligned[contexts]


def _mixed(own: Matrix, means: Matrix, other_means: Matrix, share: Matrix) -> Matrix:
    """A word's own part with the mean over both groups, ``means + share · (other - means)``."""
    joint = np.subtract(other_means, means)
    joint *= share[..., None]
    joint += own + means
    return joint


# A grid of sentence pairs, each part that pairs share computed once.
#
# The model has no positions, so a sentence is the bag of its context's words and its filler's.
# What is done how often, for P premise fillers, H hypothesis fillers and C contexts:
#
# - once a word: everything before attention, and both parts of the first layer of compare;
# - once a (context, filler): the words of the context, which see the context and the other
#   sentence's filler, and their part of aggregate;
# - for all P × H × C: the second layer of compare for the fillers' own words, and aggregate.
#
# Attention over a context and a filler is mixed from the attention over each.

_ROWS = 2048
"""Rows worked on at once: few enough to stay in a core's cache, enough for fast products."""

_LEAST_FILLERS = 32
"""Hypothesis fillers taken together if there are as many: contexts are redone for each tile."""


def grid_answers(
    layers: Layers,
    words: SentenceWords,
    premises: Sequence[Sentence],
    hypotheses: Sequence[Sentence],
    contexts: Sequence[Sentence],
    progress: Progress | None = None,
) -> Probabilities:
    """The probabilities as premises × hypotheses × contexts × 3; words are rows of ``words``."""
    shared = _in_all([*premises, *hypotheses])
    premises, hypotheses = ([_without(f, shared) for f in s] for s in (premises, hypotheses))
    contexts = [context + tuple(shared.elements()) for context in contexts]
    answers = np.empty((len(premises), len(hypotheses), len(contexts), 3), np.float32)
    done, total = 0, answers.size // 3

    def work(task: tuple[Tile, Places]) -> tuple[Tile, Places, Matrix]:
        tile, chosen = task
        return tile, chosen, tile.answers(np.array([contexts[place] for place in chosen], np.int64))

    reuse_freed_memory()
    with one_blas_thread():
        tasks = _tasks(layers, words, premises, hypotheses, contexts)
        for tile, chosen, found in ordered_parallel(work, tasks):
            answers[tile.rows, tile.columns, chosen] = found.transpose(1, 2, 0, 3)
            done += found.size // 3
            if progress:
                progress("Asking the model", done, total)
    return answers


def _tasks(
    layers: Layers,
    words: SentenceWords,
    premises: Sequence[Sentence],
    hypotheses: Sequence[Sentence],
    contexts: Sequence[Sentence],
) -> Iterator[tuple[Tile, Places]]:
    """Blocks of premises × hypotheses × contexts; the contexts of a block have one length."""
    if not (premises and hypotheses and contexts):
        return
    width = min(len(hypotheses), max(_LEAST_FILLERS, _ROWS // len(premises)))
    height = min(len(premises), max(1, _ROWS // width))
    lengths = np.array([len(context) for context in contexts])
    for top in range(0, len(premises), height):
        for left in range(0, len(hypotheses), width):
            rows, columns = slice(top, top + height), slice(left, left + width)
            tile = Tile(layers, words, rows, columns, premises[rows], hypotheses[columns])
            for length in np.unique(lengths):
                alike = np.flatnonzero(lengths == length)
                most = max(width * height, (width + height) * int(length))
                depth = max(1, _ROWS // most)
                for start in range(0, len(alike), depth):
                    yield tile, alike[start : start + depth]


def _in_all(fillers: Sequence[Sentence]) -> Counter[int]:
    """The words that every filler has, such as "The": without positions, words of the context."""
    shared = Counter(fillers[0]) if fillers else Counter[int]()
    for filler in fillers:
        shared &= Counter(filler)
    return shared


def _without(filler: Sentence, shared: Counter[int]) -> Sentence:
    return tuple((Counter(filler) - shared).elements())
