"""What the network found as spans and antecedents in plain Python."""

from collections.abc import Iterator

import torch

from unslant.models.coreference.antecedents import Spans
from unslant.models.coreference.clusters import clusters_of
from unslant.models.coreference.layout import Layout
from unslant.models.coreference.network import Found
from unslant.predictors.coreference import Span


def decoded(
    found: Found, laid: Layout, *, singletons: bool = True, keep_all: bool = False
) -> Iterator[list[list[Span]]]:
    """The clusters of each document.

    A span whose best antecedent scores above 0 joins it. One without links is a cluster of its own
    if ``singletons`` are wanted and its mention score is above 0 (probability ½); with
    ``keep_all``, always.
    """
    spans, ranked = found.spans, found.ranked
    if ranked.scores.shape[2]:
        best, which = ranked.scores.max(2)
        chosen = ranked.candidates.gather(2, which[:, :, None]).squeeze(2)
        links = torch.where(best > 0, chosen, -1).tolist()
    else:
        links = [[] for _ in spans.begin]
    is_mention = (spans.is_span & (spans.score > 0)).tolist()
    for row, own in enumerate(spans_of(spans, laid)):
        alone = [
            place
            for place in range(len(own))
            if keep_all or (singletons and is_mention[row][place])
        ]
        yield clusters_of(own, links[row][: len(own)], alone)


def spans_of(spans: Spans, laid: Layout) -> Iterator[list[Span]]:
    """The spans of each document, by its own words."""
    counts = spans.is_span.sum(1).tolist()
    begin, end = spans.begin.tolist(), spans.end.tolist()
    for row, (start, count) in enumerate(zip(laid.starts.tolist(), counts, strict=False)):
        yield [(begin[row][place] - start, end[row][place] - start) for place in range(count)]
