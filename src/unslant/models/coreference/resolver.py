"""Resolve documents with a trained model on word vectors, short ones in one batch."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
import torch

from unslant.core.errors import UnslantError
from unslant.core.extras import torch_threads
from unslant.models.coreference.context import WordsInSentences
from unslant.models.coreference.decoding import decoded, on_given, spans_of
from unslant.models.coreference.layout import (
    DocumentLayout,
    DocumentWords,
    Read,
    layout,
    split_sentences,
)
from unslant.models.coreference.network import CorefNetwork
from unslant.numerics.chunks import ordered_parallel
from unslant.predictors.coreference import Span
from unslant.vectors import WordVectors

_WORDS = 4096
"""Words read at once, or one document that has more."""

Document = Sequence[str]
Answer = TypeVar("Answer")


class CorefResolver:
    """Resolves documents given as words; a sentence ends with ., ! or ?.

    ``singletons`` says whether mentions that nothing joins are answered, as the corpus that the
    model learnt from has them or has not.
    """

    def __init__(
        self,
        network: CorefNetwork,
        vectors: WordVectors,
        context: WordsInSentences | None = None,
        *,
        singletons: bool,
    ) -> None:
        self._network = network.train(mode=False)
        self._vectors, self._context = vectors, context
        self._singletons = singletons

    def resolve(self, documents: Sequence[Document]) -> list[list[list[Span]]]:
        """The clusters of each document."""

        def ask(table: torch.Tensor, laid: DocumentLayout, _: list[int]) -> list[list[list[Span]]]:
            found = self._network(table, laid)
            return list(decoded(found, laid, singletons=self._singletons))

        return self._asked(documents, ask, if_empty=[])

    def choose(
        self,
        documents: Sequence[Document],
        mentions: Sequence[Span],
        candidates: Sequence[Sequence[Span]],
    ) -> list[int]:
        """For each document, which of the candidate spans the mention most likely belongs to."""
        for document, mention, own in zip(documents, mentions, candidates, strict=True):
            _check(document, mention, own)

        def ask(table: torch.Tensor, laid: DocumentLayout, chosen: list[int]) -> list[int]:
            asked = [{mentions[row], *candidates[row]} for row in chosen]
            # Among the spans that the model itself keeps, distances mean what it learnt.
            kept = spans_of(self._network(table, laid).spans, laid)
            spans = [sorted(own.union(more)) for own, more in zip(asked, kept, strict=True)]
            scores = on_given(self._network, table, laid, spans, prune=False).ranked.scores.numpy()
            answers = []
            for row, own, score in zip(chosen, spans, scores, strict=True):
                this = own.index(mentions[row])
                those = np.array([own.index(span) for span in candidates[row]])
                # The later of two spans is the one that looks for an antecedent.
                best = score[np.maximum(this, those), np.minimum(this, those)].argmax()
                answers.append(int(best))
            return answers

        return self._asked(documents, ask, if_empty=-1)

    def _asked(
        self,
        documents: Sequence[Document],
        ask: Callable[[torch.Tensor, DocumentLayout, list[int]], list[Answer]],
        if_empty: Answer,
    ) -> list[Answer]:
        words = DocumentWords()
        sentences = [list(split_sentences(list(document))) for document in documents]
        read = words.read_all(sentences, self._context)
        table = torch.from_numpy(words.table(self._vectors))
        answers = [if_empty] * len(read)

        def work(chosen: list[int]) -> tuple[list[int], list[Answer]]:
            with torch.inference_mode():
                return chosen, ask(table, layout([read[row] for row in chosen]), chosen)

        with torch_threads(torch):
            for chosen, found in ordered_parallel(work, _batches(read)):
                for row, answer in zip(chosen, found, strict=True):
                    answers[row] = answer
        return answers


def _batches(documents: Sequence[Read]) -> Iterator[list[int]]:
    """Documents of similar length together; empty ones are left out."""
    lengths = np.array([len(each.words) for each in documents])
    batch: list[int] = []
    for row in np.argsort(lengths, kind="stable").tolist():
        if not lengths[row]:
            continue
        if batch and (len(batch) + 1) * lengths[row] > _WORDS:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _check(document: Document, mention: Span, candidates: Sequence[Span]) -> None:
    if not candidates:
        raise UnslantError("A mention needs at least one candidate to choose from.")
    for begin, end in (mention, *candidates):
        if not 0 <= begin < end <= len(document):
            raise UnslantError(
                f"The document has {len(document)} words, so words {begin} up to {end} are no span "
                f"of it."
            )
    if mention in candidates:
        raise UnslantError(f"Words {mention[0]} up to {mention[1]} cannot be their own antecedent.")
