"""How well each span fits each earlier one: a coarse product first, then a scorer of pairs."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from unslant.models.coreference.dropout import LockedDropout
from unslant.models.coreference.settings import CLASSES, Shape


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
    """s(i, j) = mention(i) + mention(j) + coarse(i, j) + fine(i, j).

    The coarse score is a product of both vectors, and a number for each class of distance and of
    agreement between the words. In training, where documents are cut and the spans before one are
    few, fewer candidates are enough; a first version had a CoNLL F1 of .51 on whole documents with
    30 candidates, .60 with 100 and .61 with 600.
    """

    def __init__(self, shape: Shape, dropout: float, most_in_training: int = 0) -> None:
        super().__init__()
        self.most = shape.antecedents
        self.most_in_training = most_in_training or shape.antecedents
        self.project = nn.Linear(shape.span, shape.product)
        self.coarse = nn.Linear(shape.product, shape.product, bias=False)
        self.prior = nn.Parameter(torch.zeros(sum(CLASSES)))
        self.this = nn.Linear(shape.span, shape.scorer)
        self.that = nn.Linear(shape.span, shape.scorer, bias=False)
        self.both = nn.Linear(shape.product + sum(CLASSES), shape.scorer, bias=False)
        self.score = nn.Linear(shape.scorer, 1)
        self.dropout = LockedDropout(dropout)

    def forward(self, vectors: Tensor, spans: Spans, cues: Cues, *, prune: bool = True) -> Ranked:
        """All earlier spans of a document if they are few, otherwise the best by coarse score."""
        vectors = self.dropout(vectors)
        projected = self.project(vectors)
        classes = _classes(cues)
        coarse = self.coarse(projected) @ projected.transpose(1, 2)
        coarse = coarse + spans.score[:, :, None] + spans.score[:, None, :]
        for prior, own in zip(self.prior.split(CLASSES), classes, strict=True):
            coarse = coarse + prior[own]
        count = vectors.shape[1]
        places = torch.arange(count)
        may_be = (places[None, :] < places[:, None]) & spans.is_span[:, None, :]
        coarse = coarse.masked_fill(~(may_be & spans.is_span[:, :, None]), -torch.inf)
        most = self.most_in_training if self.training else self.most
        if prune and count > most:
            scores, candidates = coarse.topk(most, dim=2)
            classes = tuple(own.gather(2, candidates) for own in classes)
        else:
            scores, candidates = coarse, places.expand(len(vectors), count, count)
        return Ranked(candidates, scores + self._fine(vectors, projected, candidates, classes))

    def _fine(
        self,
        vectors: Tensor,
        projected: Tensor,
        candidates: Tensor,
        classes: tuple[Tensor, ...],
    ) -> Tensor:
        documents = torch.arange(len(vectors))[:, None, None]
        those = self.that(vectors)[documents, candidates]
        product = projected[:, :, None] * projected[documents, candidates]
        seen = torch.cat((product, *map(_one_hot, classes, CLASSES)), 3)
        hidden = self.both(seen) + those + self.this(vectors)[:, :, None]
        found: Tensor = self.score(self.dropout(torch.relu(hidden))).squeeze(3)
        return found


_LIMITS = torch.tensor([1, 2, 3, 4, 5, 8, 16, 32, 64])


def _classes(cues: Cues) -> tuple[Tensor, ...]:
    """Spans between two spans, sentences between them, and whether their words agree."""
    count = cues.sentence.shape[1]
    places = torch.arange(count)
    apart = _class_of(places[:, None] - places).expand(len(cues.sentence), count, count)
    sentences = _class_of(cues.sentence[:, :, None] - cues.sentence[:, None, :])
    same_last = cues.last_word[:, :, None] == cues.last_word[:, None, :]
    same_text = cues.text[:, :, None] == cues.text[:, None, :]
    return apart, sentences, same_last.long() + (same_last & same_text).long()


def _class_of(distance: Tensor) -> Tensor:
    return torch.bucketize(distance, _LIMITS, right=True)


def _one_hot(classes: Tensor, count: int) -> Tensor:
    return torch.zeros(*classes.shape, count).scatter_(-1, classes[..., None], 1.0)
