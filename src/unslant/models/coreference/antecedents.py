"""How well each span fits each earlier one: a coarse product first, then a scorer of pairs."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from unslant.models.coreference.settings import CLASSES, CorefShape

# Dropout with one mask for all rows of a batch (Gal and Ghahramani 2016).


class LockedDropout(nn.Module):
    """Sets the same features of all rows to 0.

    One random number a feature in place of one for each of a million spans, which took a fifth of
    the time of a step.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, rows: Tensor) -> Tensor:
        """The rows with some features set to 0 and the others made larger, in training only."""
        if not self.training or not self.share:
            return rows
        kept = torch.rand(rows.shape[-1]) >= self.share
        return rows * (kept / (1 - self.share))


class ByteDropout(nn.Module):
    """Dropout with one random byte a number: eight times quicker than torch's, shares of 1/256."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share
        self._limit = round(share * 256)

    def forward(self, rows: Tensor) -> Tensor:
        """The rows with some numbers set to 0 and the others made larger, in training only."""
        if not self.training or not self._limit:
            return rows
        count = rows.numel()
        drawn = torch.empty(count // 8 + 1, dtype=torch.int64).random_(-(2**63), None)
        kept = drawn.view(torch.uint8)[:count].view(rows.shape) >= self._limit
        return rows * kept * (256 / (256 - self._limit))


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
    """Features of spans other than their vectors, each documents × spans."""

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

    def __init__(self, shape: CorefShape, dropout: float, most_in_training: int = 0) -> None:
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


# The training loss: the likelihood of true antecedents, and of true mentions.


def antecedent_loss(ranked: Ranked, spans: Spans, cluster: Tensor) -> Tensor:
    """-Σᵢ log Σ P(j) over the true antecedents j of span i (Lee et al. 2017).

    ``cluster`` has the cluster of each span, -1 if it is no true mention. Where no candidate is a
    true antecedent, the correct answer is "none", whose score is 0.
    """
    documents = torch.arange(len(cluster))[:, None, None]
    of_candidates = cluster[documents, ranked.candidates]
    is_true = (of_candidates == cluster[:, :, None]) & (cluster >= 0)[:, :, None]
    is_true &= ranked.scores > -torch.inf
    none = torch.zeros_like(ranked.scores[:, :, :1])
    true_scores = ranked.scores.masked_fill(~is_true, -torch.inf)
    none_is_true = none.masked_fill(is_true.any(2, keepdim=True), -torch.inf)
    true_total = torch.cat((none_is_true, true_scores), 2).logsumexp(2)
    total = torch.cat((none, ranked.scores), 2).logsumexp(2)
    return ((total - true_total) * spans.is_span).sum()


def mention_loss(scores: Tensor, is_mention: Tensor) -> Tensor:
    """The binary cross-entropy of all candidate spans, words × widths, singletons included."""
    is_span = scores > -torch.inf
    return binary_cross_entropy_with_logits(
        scores[is_span], is_mention[is_span].to(scores.dtype), reduction="sum"
    )
