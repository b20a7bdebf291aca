"""Sentences as places in a table of their words, and pairs of them in batches of similar length."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.datasets.nli.text import tokenise
from unslant.predictors.protocols import PairGrid, Probabilities

_BATCH = 512

Sentence = tuple[int, ...]
Pair = tuple[Sentence, Sentence]


class WordTable:
    """Distinct words in the order of their first appearance, in lower case or as written."""

    def __init__(self, *, keeps_case: bool = False) -> None:
        self._place_of: dict[str, int] = {}
        self._keeps_case = keeps_case

    @property
    def words(self) -> list[str]:
        """The words, each at its place."""
        return list(self._place_of)

    def places(self, text: str) -> Sentence:
        """The words of a text as places in the table, which grows."""
        order, words = self._place_of, tokenise(text, keeps_case=self._keeps_case)
        return tuple(order.setdefault(word, len(order)) for word in words)


@dataclass(frozen=True)
class PairBatches:
    """Pairs of sentences in batches: ``rows`` says which of the pairs asked each batch holds."""

    words: list[str]
    batches: list[list[Pair]]
    rows: list[NDArray[np.int64]]

    @classmethod
    def of(
        cls, premises: Sequence[str], hypotheses: Sequence[str], *, keeps_case: bool = False
    ) -> "PairBatches":
        """The pairs by their length together; a sentence without a word is refused."""
        if len(premises) != len(hypotheses):
            raise UnslantError(
                f"Each premise needs one hypothesis; there are {len(premises):,} premises and "
                f"{len(hypotheses):,} hypotheses."
            )
        table = WordTable(keeps_case=keeps_case)
        sides = [[table.places(text) for text in side] for side in (premises, hypotheses)]
        for texts, side in zip((premises, hypotheses), sides, strict=True):
            if () in side:
                raise _empty(texts[side.index(())])
        pairs = list(zip(*sides, strict=True))
        by_length = np.argsort([len(a) + len(b) for a, b in pairs], kind="stable")
        rows = [by_length[at : at + _BATCH] for at in range(0, len(pairs), _BATCH)]
        return cls(table.words, [[pairs[row] for row in some] for some in rows], rows)

    def gathered(self, found: Iterable[Probabilities]) -> Probabilities:
        """What was found for each batch, in the order in which the pairs were asked."""
        answers = np.empty((sum(map(len, self.rows)), 3), np.float32)
        for some, answered in zip(self.rows, found, strict=True):
            answers[some] = answered
        return answers


@dataclass(frozen=True)
class GridWords:
    """The parts of a grid's sentences; a context is its words before the filler, and after it."""

    words: list[str]
    premises: list[Sentence]
    hypotheses: list[Sentence]
    contexts: list[tuple[Sentence, Sentence]]

    @classmethod
    def of(cls, grid: PairGrid, *, keeps_case: bool = False) -> "GridWords":
        """The fillers and contexts of a grid; a sentence without a word is refused."""
        table = WordTable(keeps_case=keeps_case)
        premises, hypotheses = (
            [table.places(filler) for filler in side] for side in (grid.premises, grid.hypotheses)
        )
        contexts = [(table.places(one.before), table.places(one.after)) for one in grid.contexts]
        fillers = [*premises, *hypotheses]
        # An empty filler in a context of words is a sentence, and so is a filler by itself.
        if () in fillers and ((), ()) in contexts:
            filler = (*grid.premises, *grid.hypotheses)[fillers.index(())]
            raise _empty(grid.contexts[contexts.index(((), ()))].sentence(filler))
        return cls(table.words, premises, hypotheses, contexts)


def _empty(sentence: str) -> UnslantError:
    return UnslantError(f"A sentence to compare needs at least one word; got {sentence!r}.")
