"""How well a network does on documents whose clusters are known."""

from collections.abc import Iterable, Iterator, Sequence

import torch

from unslant.datasets.coreference.document import Clusters, CorefDocument
from unslant.measures.coreference_scores import CorefScores
from unslant.models.coreference.decoding import decoded
from unslant.models.coreference.given import on_given
from unslant.models.coreference.layout import Layout
from unslant.models.coreference.network import CorefNetwork
from unslant.predictors.coreference import Span

Known = tuple[CorefDocument, Layout]


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
