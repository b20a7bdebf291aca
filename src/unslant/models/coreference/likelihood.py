"""What is trained: the likelihood of true antecedents, and of true mentions."""

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from unslant.models.coreference.antecedents import Ranked, Spans


def antecedent_loss(ranked: Ranked, spans: Spans, cluster: Tensor) -> Tensor:
    """-Σᵢ log Σ P(j) over the true antecedents j of span i (Lee et al. 2017).

    ``cluster`` has the cluster of each span, -1 if it is no true mention. Where no candidate is a
    true antecedent, having none (whose score is 0) is what is true.
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
