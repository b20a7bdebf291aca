"""Pairs of sentences that differ in one phrase: fillers × fillers × contexts, never written out."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Context:
    """The words that both sentences of a pair share, before and after the phrase that differs."""

    before: str
    after: str

    def sentence(self, filler: str) -> str:
        """The sentence with this phrase inserted."""
        return " ".join(part for part in (self.before, filler, self.after) if part)


@dataclass(frozen=True)
class PairGrid:
    """Every premise filler with every hypothesis filler in every context.

    >>> grid = PairGrid(("The nurse",), ("The man", "The woman"), (Context("", "ate an apple ."),))
    >>> list(grid.pairs())[1]
    ('The nurse ate an apple .', 'The woman ate an apple .')
    """

    premises: tuple[str, ...]
    hypotheses: tuple[str, ...]
    contexts: tuple[Context, ...]

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many premise fillers, hypothesis fillers and contexts there are."""
        return len(self.premises), len(self.hypotheses), len(self.contexts)

    def __len__(self) -> int:
        return len(self.premises) * len(self.hypotheses) * len(self.contexts)

    def pair(self, premise: int, hypothesis: int, context: int) -> tuple[str, str]:
        """The two sentences at one position in the grid."""
        shared = self.contexts[context]
        return shared.sentence(self.premises[premise]), shared.sentence(self.hypotheses[hypothesis])

    def pairs(self) -> Iterator[tuple[str, str]]:
        """All pairs, one at a time: premise by premise, then hypothesis, then context."""
        for premise in self.premises:
            for hypothesis in self.hypotheses:
                for context in self.contexts:
                    yield context.sentence(premise), context.sentence(hypothesis)
