"""Decode spans and antecedents of the network into clusters."""

from collections.abc import Iterable, Iterator, Sequence

import torch

from unslant.datasets.coreference.document import Clusters, CorefDocument
from unslant.measures.coreference_scores import CorefScores
from unslant.models.coreference.antecedents import Spans
from unslant.models.coreference.layout import DocumentLayout
from unslant.models.coreference.network import CorefNetwork, FoundSpans
from unslant.predictors.coreference import Span

# Clusters from links: spans joined to the antecedents that were chosen for them.


def clusters_of(
    spans: Sequence[Span], antecedents: Sequence[int], singletons: Iterable[int]
) -> list[list[Span]]:
    """Every span with its antecedent (-1 for none); spans without links only if in ``singletons``.

    >>> clusters_of([(0, 1), (2, 3), (4, 5)], [-1, 0, -1], singletons=[])
    [[(0, 1), (2, 3)]]
    """
    cluster = list(range(len(spans)))
    alone = set(range(len(spans)))
    for this, that in enumerate(antecedents):  # an antecedent is earlier, so its cluster is known
        if that >= 0:
            cluster[this] = cluster[that]
            alone -= {this, that}
    left_out = alone - set(singletons)
    found: dict[int, list[Span]] = {}
    for place, number in enumerate(cluster):
        if place not in left_out:
            found.setdefault(number, []).append(spans[place])
    return list(found.values())


def decoded(
    found: FoundSpans, laid: DocumentLayout, *, singletons: bool = True, keep_all: bool = False
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


def spans_of(spans: Spans, laid: DocumentLayout) -> Iterator[list[Span]]:
    """The spans of each document, by its own words."""
    counts = spans.is_span.sum(1).tolist()
    begin, end = spans.begin.tolist(), spans.end.tolist()
    for row, (start, count) in enumerate(zip(laid.starts.tolist(), counts, strict=False)):
        yield [(begin[row][place] - start, end[row][place] - start) for place in range(count)]


# Given spans of documents as tensors, in the order of the text and padded.


def on_given(
    network: CorefNetwork,
    table: torch.Tensor,
    laid: DocumentLayout,
    spans: Sequence[Sequence[Span]],
    *,
    prune: bool = True,
) -> FoundSpans:
    """The network's scores of given spans, in text order within each document."""
    most = max(1, *map(len, spans)) if len(spans) > 1 else max(1, len(spans[0]))
    begin = torch.from_numpy(laid.starts[:-1])[:, None].repeat(1, most)
    end = begin + 1
    is_span = torch.zeros(begin.shape, dtype=torch.bool)
    for row, (start, own) in enumerate(zip(laid.starts.tolist(), spans, strict=False)):
        if own:
            pairs = torch.tensor(own) + start
            begin[row, : len(own)], end[row, : len(own)] = pairs[:, 0], pairs[:, 1]
            is_span[row, : len(own)] = True
    return network.given(table, laid, begin, end, is_span, prune=prune)


# How well a network does on documents whose clusters are known.

Known = tuple[CorefDocument, DocumentLayout]


def predicted(
    network: CorefNetwork, table: torch.Tensor, documents: Iterable[Known], *, singletons: bool
) -> Iterator[tuple[Clusters, Sequence[Sequence[Span]]]]:
    """The true clusters of each document, and those found in its bare words."""
    for document, laid in documents:
        (found,) = decoded(network(table, laid), laid, singletons=singletons)
        yield document.clusters, found


def with_true_mentions(
    network: CorefNetwork, table: torch.Tensor, documents: Iterable[Known]
) -> Iterator[tuple[Clusters, Sequence[Sequence[Span]]]]:
    """The true clusters of each document, and those that the true mentions were joined to."""
    for document, laid in documents:
        found = on_given(network, table, laid, [document.mentions])
        (joined,) = decoded(found, laid, keep_all=True)
        yield document.clusters, joined


def scores_of(
    answered: Iterable[tuple[Clusters, Sequence[Sequence[Span]]]], *, singletons: bool
) -> CorefScores:
    """All scores over the documents."""
    scores = CorefScores(singletons=singletons)
    for key, response in answered:
        scores.add(key, response)
    return scores
