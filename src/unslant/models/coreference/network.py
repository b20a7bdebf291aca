"""The network: words in their sentences, spans that may be mentions, and their antecedents."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import pad

from unslant.models.coreference.antecedents import (
    Antecedents,
    ByteDropout,
    Cues,
    LockedDropout,
    Ranked,
    Spans,
)
from unslant.models.coreference.layout import DocumentLayout
from unslant.models.coreference.lstm import PackedBiLstm, Ways
from unslant.models.coreference.settings import CASE_SIZE, CASES, WIDTH_SIZE, CorefShape

# Spans: what they are represented by, and how likely each is a mention.
#
# A span is [its first word; its last word; the words in it, weighted by attention; its width]
# (Lee et al. 2017). The first layer of the mention scorer is linear in these, so it is applied to
# words and summed for spans; the sums over widths grow by one word at a time, so all spans of up
# to W words cost W passes over the words.

_BOUND = 10.0
"""Attention before it is normalised is between e⁻¹⁰ and e¹⁰, so sums cannot over- or underflow."""


class Mentions(nn.Module):
    """Scores of all spans as words × widths, and the vectors of chosen spans."""

    def __init__(self, shape: CorefShape, dropout: float) -> None:
        super().__init__()
        self.widest = shape.widest
        self.attention = nn.Linear(shape.hidden, 1)
        self.first = nn.Linear(shape.hidden, shape.scorer)
        self.last = nn.Linear(shape.hidden, shape.scorer, bias=False)
        self.inside = nn.Linear(shape.lexical, shape.scorer, bias=False)
        self.width = nn.Embedding(shape.widest, shape.scorer)
        self.score = nn.Linear(shape.scorer, 1)
        self.dropout = LockedDropout(dropout)

    def weights(self, states: Tensor) -> Tensor:
        """The attention of each word, before it is normalised over a span."""
        logits: Tensor = self.attention(states).squeeze(1)
        return (_BOUND * torch.tanh(logits / _BOUND)).exp()

    def all_scores(self, states: Tensor, lexical: Tensor, weights: Tensor, room: Tensor) -> Tensor:
        """words × widths; -inf if the sentence ends before the span does."""
        words = len(states)
        first, last = self.first(states), self.last(states)
        inside = self.inside(lexical) * weights[:, None]
        # Zero rows at the end, so that every width has as many spans as there are words.
        last, inside = (pad(part, (0, 0, 0, self.widest - 1)) for part in (last, inside))
        weights = pad(weights, (0, self.widest - 1))
        summed, total, columns = inside[:words], weights[:words], []
        for width in range(self.widest):
            if width:
                summed = summed + inside[width : width + words]
                total = total + weights[width : width + words]
            hidden = first + last[width : width + words] + summed / total[:, None]
            columns.append(self._scored(hidden + self.width.weight[width]))
        scores = torch.stack(columns, 1)
        is_span = torch.arange(self.widest) < room[:, None]
        return scores.masked_fill(~is_span, -torch.inf)

    def scores(
        self, states: Tensor, lexical: Tensor, weights: Tensor, begin: Tensor, end: Tensor
    ) -> Tensor:
        """The scores of given spans, of any width; those too wide count as the widest."""
        inside = averaged(self.inside(lexical), weights, begin, end)
        width = (end - begin).clamp(max=self.widest) - 1
        hidden = self.first(states)[begin] + self.last(states)[end - 1] + inside
        return self._scored(hidden + self.width(width))

    def _scored(self, hidden: Tensor) -> Tensor:
        found: Tensor = self.score(self.dropout(torch.relu(hidden))).squeeze(-1)
        return found


def averaged(rows: Tensor, weights: Tensor, begin: Tensor, end: Tensor) -> Tensor:
    """The weighted mean of the rows of each span."""
    widest = int((end - begin).max()) if begin.numel() else 1
    places = begin[..., None] + torch.arange(widest)
    is_inside = places < end[..., None]
    places = torch.where(is_inside, places, begin[..., None])
    own = weights[places] * is_inside
    own = own / own.sum(-1, keepdim=True)
    return (own.unsqueeze(-2) @ rows[places]).squeeze(-2)


_LEAST_KEPT = 10
"""Spans that even a document of one short sentence keeps."""


class DocumentStates(NamedTuple):
    """Word states: in their sentences, by themselves, and their attention."""

    states: Tensor
    lexical: Tensor
    weights: Tensor


class FoundSpans(NamedTuple):
    """The spans that were kept and their antecedents; ``mentions`` scores all, words × widths."""

    mentions: Tensor
    spans: Spans
    ranked: Ranked


class CorefNetwork(nn.Module):
    """Span ranking; word vectors come as rows of a table and are not trained."""

    def __init__(
        self,
        shape: CorefShape,
        dropout: float = 0.0,
        word_dropout: float = 0.0,
        training_antecedents: int = 0,
    ) -> None:
        super().__init__()
        self.shape = shape
        self.project = nn.Linear(shape.dim, shape.projected)
        self.case = nn.Embedding(CASES, CASE_SIZE)
        if shape.context:
            self.context = nn.Linear(shape.context, shape.projected)
        self.lstm = PackedBiLstm(shape.read, shape.hidden // 2)
        self.mentions = Mentions(shape, dropout)
        self.width = nn.Embedding(shape.widest, WIDTH_SIZE)
        self.antecedents = Antecedents(shape, dropout, training_antecedents)
        self.word_dropout = ByteDropout(word_dropout)
        self.dropout = ByteDropout(dropout)

    def read(self, table: Tensor, laid: DocumentLayout) -> DocumentStates:
        """The words of some documents, each in its sentence; ``table`` has their vectors."""
        rows = self.word_dropout(table[torch.from_numpy(laid.words)])
        cases = self.case(torch.from_numpy(laid.cases))
        lexical = torch.cat((self.project(rows), cases), 1)
        read = lexical
        if laid.context is not None:
            context = self.context(self.word_dropout(torch.from_numpy(laid.context)))
            read = torch.cat((lexical, context), 1)
        onward, backward, from_onward, from_backward = map(torch.from_numpy, laid.ways)
        ways = Ways(onward, backward, from_onward, from_backward, laid.sizes.tolist())
        states = self.dropout(self.lstm(read, ways))
        return DocumentStates(states, lexical, self.mentions.weights(states))

    def forward(self, table: Tensor, laid: DocumentLayout) -> FoundSpans:
        """The documents with the spans that the model itself takes for mentions."""
        words = self.read(table, laid)
        scores = self.mentions.all_scores(*words, torch.from_numpy(laid.room))
        spans = kept_spans(scores, laid, self.shape.kept)
        return FoundSpans(scores, spans, self.ranked(words, laid, spans))

    def given(
        self,
        table: Tensor,
        laid: DocumentLayout,
        begin: Tensor,
        end: Tensor,
        is_span: Tensor,
        *,
        prune: bool = True,
    ) -> FoundSpans:
        """The documents with given spans, in the order of the text; padding is any one word."""
        words = self.read(table, laid)
        scores = self.mentions.scores(*words, begin, end)
        spans = Spans(begin, end, is_span, scores)
        return FoundSpans(scores, spans, self.ranked(words, laid, spans, prune=prune))

    def ranked(
        self, words: DocumentStates, laid: DocumentLayout, spans: Spans, *, prune: bool = True
    ) -> Ranked:
        """The antecedents of spans: the best by coarse score, or all without ``prune``."""
        width = (spans.end - spans.begin).clamp(max=self.shape.widest) - 1
        vectors = torch.cat(
            (
                words.states[spans.begin],
                words.states[spans.end - 1],
                averaged(words.lexical, words.weights, spans.begin, spans.end),
                self.width(width),
            ),
            2,
        )
        found: Ranked = self.antecedents(vectors, spans, cues(laid, spans), prune=prune)
        return found


def cues(laid: DocumentLayout, spans: Spans) -> Cues:
    """The sentences and words of spans."""
    words = torch.from_numpy(laid.words)
    longest = int((spans.end - spans.begin).max()) if spans.begin.numel() else 1
    text = torch.zeros_like(spans.begin)
    for offset in range(longest):  # a polynomial of the words, which wraps around as a hash may
        places = spans.begin + offset
        is_inside = places < spans.end
        word = words[torch.where(is_inside, places, spans.begin)] + 1
        text = text * 1_000_003 + torch.where(is_inside, word, 0)
    sentence = torch.from_numpy(laid.sentence)[spans.begin]
    return Cues(sentence, words[spans.end - 1], text)


def kept_spans(scores: Tensor, laid: DocumentLayout, share: float) -> Spans:
    """The best spans of each document, a fixed number per word, in text order."""
    widest = scores.shape[1]
    lengths = torch.from_numpy(laid.lengths)
    most = (lengths * share).ceil().long().clamp(min=_LEAST_KEPT)
    begins = torch.from_numpy(laid.starts[:-1])
    longest, count = int(lengths.max()), int(most.max())
    with torch.no_grad():
        words = begins[:, None] + torch.arange(longest)
        is_word = torch.arange(longest) < lengths[:, None]
        by_document = scores.detach()[torch.where(is_word, words, 0)]
        by_document = by_document.masked_fill(~is_word[:, :, None], -torch.inf).flatten(1)
        best, places = by_document.topk(min(count, by_document.shape[1]), dim=1)
        is_span = (torch.arange(best.shape[1]) < most[:, None]) & (best > -torch.inf)
        order = torch.where(is_span, places, by_document.shape[1]).argsort(1)
        places, is_span = places.gather(1, order), is_span.gather(1, order)
        begin = torch.where(is_span, begins[:, None] + places // widest, begins[:, None])
        width = torch.where(is_span, places % widest, 0)
    score = scores[begin, width]
    return Spans(begin, begin + width + 1, is_span, score)


def loaded_network(shape: CorefShape, tensors: Mapping[str, NDArray[np.float32]]) -> CorefNetwork:
    """The network with trained weights."""
    network = CorefNetwork(shape)
    # Copied: the arrays of a file may be read-only, which torch warns of.
    weights = {name: torch.from_numpy(np.array(value)) for name, value in tensors.items()}
    network.load_state_dict(weights)
    network.train(mode=False)
    return network
