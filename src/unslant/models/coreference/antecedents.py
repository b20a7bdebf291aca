"""How well each span fits each earlier one: a coarse product first, then a scorer of pairs."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from unslant.models.coreference.dropout import LockedDropout
from unslant.models.coreference.settings import DISTANCES, MATCHES, Shape


class Spans(NamedTuple):
    """Spans of documents × spans, in the order of the text; ``is_span`` is false for padding."""

    begin: Tensor
    end: Tensor
    is_span: Tensor
    score: Tensor


class Ranked(NamedTuple):
    """For each span, candidates before it (documents × spans × candidates) and their scores.

    The score of no antecedent is 0; that of a place that holds no candidate is -inf.
    """

    candidates: Tensor
    scores: Tensor


class Cues(NamedTuple):
    """What is known of a span beside its vector, each documents × spans."""

    sentence: Tensor
    last_word: Tensor
    text: Tensor


class Antecedents(nn.Module):
    """s(i, j) = mention(i) + mention(j) + coarse(i, j) + fine(i, j)."""

    def __init__(self, shape: Shape, wide: int, dropout: float) -> None:
        super().__init__()
        self.most = shape.antecedents
        self.project = nn.Linear(wide, shape.product)
        self.coarse = nn.Linear(shape.product, shape.product, bias=False)
        self.this = nn.Linear(wide, shape.scorer)
        self.that = nn.Linear(wide, shape.scorer, bias=False)
        self.both = nn.Linear(shape.product + sum(_CLASSES), shape.scorer, bias=False)
        self.score = nn.Linear(shape.scorer, 1)
        self.dropout = LockedDropout(dropout)

    def forward(self, vectors: Tensor, spans: Spans, cues: Cues) -> Ranked:
        """All earlier spans of a document if they are few, otherwise the best by coarse score."""
        vectors = self.dropout(vectors)
        projected = self.project(vectors)
        coarse = self.coarse(projected) @ projected.transpose(1, 2)
        coarse = coarse + spans.score[:, :, None] + spans.score[:, None, :]
        count = vectors.shape[1]
        places = torch.arange(count)
        may_be = (places[None, :] < places[:, None]) & spans.is_span[:, None, :]
        coarse = coarse.masked_fill(~(may_be & spans.is_span[:, :, None]), -torch.inf)
        if count > self.most:
            scores, candidates = coarse.topk(self.most, dim=2)
        else:
            scores, candidates = coarse, places.expand(len(vectors), count, count)
        fine = self._fine(vectors, projected, cues, candidates)
        return Ranked(candidates, scores + fine)

    def _fine(self, vectors: Tensor, projected: Tensor, cues: Cues, candidates: Tensor) -> Tensor:
        documents = torch.arange(len(vectors))[:, None, None]
        those = self.that(vectors)[documents, candidates]
        product = projected[:, :, None] * projected[documents, candidates]
        spans_apart = torch.arange(vectors.shape[1])[None, :, None] - candidates
        sentences_apart = cues.sentence[:, :, None] - cues.sentence[documents, candidates]
        same_last = cues.last_word[:, :, None] == cues.last_word[documents, candidates]
        same_text = cues.text[:, :, None] == cues.text[documents, candidates]
        match = same_last.long() + (same_last & same_text).long()
        classes = (_class_of(spans_apart), _class_of(sentences_apart), match)
        seen = torch.cat((product, *map(_one_hot, classes, _CLASSES)), 3)
        hidden = self.both(seen) + those + self.this(vectors)[:, :, None]
        found: Tensor = self.score(self.dropout(torch.relu(hidden))).squeeze(3)
        return found


_CLASSES = (DISTANCES, DISTANCES, MATCHES)
_LIMITS = torch.tensor([1, 2, 3, 4, 5, 8, 16, 32, 64])


def _class_of(distance: Tensor) -> Tensor:
    return torch.bucketize(distance, _LIMITS, right=True)


def _one_hot(classes: Tensor, count: int) -> Tensor:
    return torch.zeros(*classes.shape, count).scatter_(-1, classes[..., None], 1.0)
