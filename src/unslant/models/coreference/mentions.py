"""Spans: what they are represented by, and how likely each is a mention.

A span is [its first word; its last word; the words in it, weighted by attention; its width] (Lee
et al. 2017). The first layer of the mention scorer is linear in these, so it is applied to words
and summed for spans; the sums over widths grow by one word at a time, so all spans of up to W words
cost W passes over the words.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from unslant.models.coreference.dropout import LockedDropout
from unslant.models.coreference.settings import Shape

_BOUND = 10.0
"""Attention before it is normalised is between e⁻¹⁰ and e¹⁰, so sums cannot over- or underflow."""


class Mentions(nn.Module):
    """Scores of all spans as words × widths, and the vectors of chosen spans."""

    def __init__(self, shape: Shape, dropout: float) -> None:
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
