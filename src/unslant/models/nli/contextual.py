"""Decomposable attention whose words see their sentence first; it needs torch to be used.

In a grid, each sentence is read once. Fillers are taken together by their lengths and contexts by
theirs. Blocks of contexts are spread over threads, on each of which torch works alone: threads of
torch's own, which wait for each other after every small product, made a grid three times slower on
a busy machine (measured).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import linear

from unslant.core.extras import torch_threads
from unslant.core.files import Progress
from unslant.models.nli.attention import Rows
from unslant.models.nli.batches import GridWords, Pair, PairBatches, Sentence
from unslant.models.nli.network import JudgingNetwork, NliNetwork, Padded
from unslant.models.nli.settings import Shape
from unslant.numerics.chunks import ordered_parallel
from unslant.predictors.protocols import PairGrid, Probabilities

# Every premise with every hypothesis of the same context, for models that read context.
#
# Of a pair, only attention between its sentences, the second layer of compare and aggregate are
# its own; what its sentences are by themselves has been read once. All sentences of a side are of
# one length, so that there is no padding.

_PAIRS = 256
"""Pairs judged at once: few enough to stay in a core's cache, enough for fast products."""


@dataclass(frozen=True)
class ReadSentences:
    """Word states of sentences, as contexts × sentences × words × hidden."""

    attend: Tensor
    own: Tensor
    aligned: Tensor

    @classmethod
    def read(cls, network: JudgingNetwork, rows: Tensor, places: Tensor) -> "ReadSentences":
        """Sentences whose words are ``places`` in ``rows``: contexts × sentences × words."""
        flat = places.reshape(-1, places.shape[2])
        states = network.read(rows, Padded(flat, torch.ones_like(flat, dtype=torch.bool)))
        parts = (states.attend, states.own, states.aligned)
        return cls(*(part.view(*places.shape, -1) for part in parts))

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Contexts, sentences of each, words of each, hidden size."""
        contexts, sentences, words, hidden = self.own.shape
        return contexts, sentences, words, hidden

    def part(self, contexts: slice, sentences: slice) -> "ReadSentences":
        """Some of the sentences of some of the contexts."""
        parts = (self.attend, self.own, self.aligned)
        return ReadSentences(*(part[contexts, sentences] for part in parts))


def judge_all(
    network: JudgingNetwork, premises: ReadSentences, hypotheses: ReadSentences
) -> Tensor:
    """The probabilities as contexts × premises × hypotheses × 3."""
    (contexts, height, _, _), width = premises.shape, hypotheses.shape[1]
    answers = premises.own.new_empty((contexts, height, width, 3))
    tall = min(height, max(1, _PAIRS // width))
    deep = max(1, _PAIRS // (width * tall))
    for at in range(0, contexts, deep):
        some = slice(at, at + deep)
        others = hypotheses.part(some, slice(None))
        for top in range(0, height, tall):
            these = slice(top, top + tall)
            answers[some, these] = _judged(network, premises.part(some, these), others)
    return answers


def _judged(network: JudgingNetwork, premises: ReadSentences, hypotheses: ReadSentences) -> Tensor:
    contexts, height, long, hidden = premises.shape
    _, width, wide, _ = hypotheses.shape
    first, second = (side.attend.flatten(1, 2) for side in (premises, hypotheses))
    scores = (first @ second.transpose(1, 2)).view(contexts, height, long, width, wide)
    for_premises = _compared(network, premises, hypotheses, scores.permute(0, 3, 1, 2, 4))
    for_hypotheses = _compared(network, hypotheses, premises, scores.permute(0, 1, 3, 4, 2))
    layer, last = network.aggregate
    half, other_half = layer.weight.split(hidden, dim=1)
    joint = linear(for_hypotheses, other_half, layer.bias)
    joint += linear(for_premises, half).transpose(1, 2)
    return torch.softmax(last(joint.relu_()), dim=3)


def _compared(
    network: JudgingNetwork, these: ReadSentences, others: ReadSentences, scores: Tensor
) -> Tensor:
    """The summed words of each of these: contexts × others × these × hidden.

    ``scores`` are contexts × others × these × words of these × words of others.
    """
    contexts, count, long, hidden = these.shape
    wide = others.shape[2]
    weights = torch.softmax(scores, dim=4).reshape(-1, count * long, wide)
    joint = weights @ others.aligned.reshape(-1, wide, hidden)
    joint = joint.view(contexts, -1, count * long, hidden)
    joint += these.own.reshape(contexts, 1, count * long, hidden)
    layer = network.compare[1]
    found = linear(joint.relu_(), layer.weight, layer.bias).relu_()
    return found.view(contexts, -1, count, long, hidden).sum(3)


Context = tuple[Sentence, Sentence]

Places = NDArray[np.int64]

_SENTENCES = 1024
"""Sentences read at once, of one context at least."""

_FILLERS = 512
"""Fillers of one side taken together, which bounds the memory."""


class ContextualAttention:
    """Decomposable attention with a BiLSTM (Dev et al. 2020), intra-sentence attention, or both.

    ``tensors`` are the weights by their names in :class:`unslant.models.nli.settings.Shape`.
    """

    def __init__(
        self, shape: Shape, tensors: Mapping[str, NDArray[np.float32]], embedding: Rows
    ) -> None:
        self._network = NliNetwork(shape)
        # Copied: the arrays of a file may be read-only, which torch warns of.
        weights = {name: torch.from_numpy(np.array(value)) for name, value in tensors.items()}
        self._network.load_state_dict(weights)
        self._network.train(mode=False)
        self._embedding = embedding

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Probabilities:
        """One row (entailment, neutral, contradiction) for each pair of sentences."""
        asked = PairBatches.of(premises, hypotheses)
        rows = self._embedding.rows(asked.words)
        return asked.gathered(pair_answers(self._network, rows, asked.batches))

    def predict_grid(self, grid: PairGrid, progress: Progress | None = None) -> Probabilities:
        """The probabilities as premises × hypotheses × contexts × 3, each sentence read once."""
        asked = GridWords.of(grid)
        table = torch.from_numpy(self._embedding.rows(asked.words))

        def read(sentences: Places) -> ReadSentences:
            return ReadSentences.read(self._network, table, torch.from_numpy(sentences))

        return grid_answers(self._network, read, asked, progress)


def pair_answers(
    network: JudgingNetwork, rows: NDArray[np.float32], batches: Sequence[Sequence[Pair]]
) -> Iterator[Probabilities]:
    """The probabilities of each batch of pairs, evaluated as in training; words are ``rows``."""
    table = torch.from_numpy(rows)

    def work(batch: Sequence[Pair]) -> Probabilities:
        with torch.inference_mode():
            sides = (_padded([pair[side] for pair in batch]) for side in (0, 1))
            return np.asarray(torch.softmax(network(table, *sides), dim=1).numpy())

    with torch_threads(torch):
        yield from ordered_parallel(work, batches)


def grid_answers(
    network: JudgingNetwork,
    read: Callable[[Places], ReadSentences],
    asked: GridWords,
    progress: Progress | None = None,
) -> Probabilities:
    """The probabilities as premises × hypotheses × contexts × 3.

    ``read`` encodes each sentence by itself; it gets contexts × sentences × words as
    places in the words of the grid.
    """
    premises, hypotheses, contexts = asked.premises, asked.hypotheses, asked.contexts
    answers = np.empty((len(premises), len(hypotheses), len(contexts), 3), np.float32)
    tops, lefts = _of_one_length(premises), _of_one_length(hypotheses)

    def work(chosen: Places) -> int:
        here = [contexts[place] for place in chosen]

        def sides() -> Iterator[tuple[Places, ReadSentences]]:
            for left in lefts:
                yield left, read(_sentences(here, [hypotheses[place] for place in left]))

        with torch.inference_mode():
            # Few hypotheses are read once for all groups of premises; many would fill the memory.
            kept = list(sides()) if len(hypotheses) <= _FILLERS else None
            for top in tops:
                first = read(_sentences(here, [premises[place] for place in top]))
                for left, second in kept or sides():
                    found = judge_all(network, first, second).permute(1, 2, 0, 3)
                    answers[np.ix_(top, left, chosen)] = found.numpy()
        return len(premises) * len(hypotheses) * len(chosen)

    done, blocks = 0, _blocks(contexts, len(premises) + len(hypotheses))
    with torch_threads(torch):
        for count in ordered_parallel(work, blocks):
            done += count
            if progress:
                progress("Asking the model", done, answers.size // 3)
    return answers


def _sentences(contexts: Sequence[Context], fillers: Sequence[Sentence]) -> Places:
    """Every filler in every context, as contexts × fillers × words."""
    before, after = (np.array([c[side] for c in contexts], np.int64)[:, None] for side in (0, 1))
    parts = (before, np.array(fillers, np.int64)[None], after)
    shape = len(contexts), len(fillers)
    return np.concatenate([np.broadcast_to(p, (*shape, p.shape[2])) for p in parts], axis=2)


def _of_one_length(fillers: Sequence[Sentence]) -> list[Places]:
    """The places of the fillers of each length, not too many together."""
    lengths = np.array([len(filler) for filler in fillers], np.int64)
    alike = [np.flatnonzero(lengths == length) for length in np.unique(lengths)]
    return [all_[at : at + _FILLERS] for all_ in alike for at in range(0, len(all_), _FILLERS)]


def _blocks(contexts: Sequence[Context], fillers: int) -> list[Places]:
    """The places of contexts that have as many words before the filler, and as many after it."""
    most = max(1, _SENTENCES // max(1, fillers))
    alike: dict[tuple[int, int], list[int]] = {}
    for place, (before, after) in enumerate(contexts):
        alike.setdefault((len(before), len(after)), []).append(place)
    return [
        np.array(places[start : start + most])
        for places in alike.values()
        for start in range(0, len(places), most)
    ]


def _padded(sentences: Sequence[Sentence]) -> Padded:
    lengths = np.array([len(sentence) for sentence in sentences])
    is_word = np.arange(lengths.max()) < lengths[:, None]
    places = np.zeros(is_word.shape, np.int64)
    places[is_word] = np.fromiter(chain.from_iterable(sentences), np.int64, lengths.sum())
    return Padded(torch.from_numpy(places), torch.from_numpy(is_word))
