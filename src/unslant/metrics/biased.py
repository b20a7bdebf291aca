"""The most biased words that a metric's parameters ask for."""

from typing import Protocol

from unslant.concepts import Concept
from unslant.measures.setting import Setting
from unslant.subspaces.most_biased import BiasedWords, most_biased
from unslant.vectors import WordVectors


class Chooser(Protocol):
    """A metric whose parameters say which words it is about."""

    @property
    def subspace(self) -> str:
        """The direction along which words lean."""

    @property
    def n(self) -> int:
        """How many words a side."""

    @property
    def vocabulary(self) -> int:
        """Among how many of the first words."""


def biased_words(
    metric: Chooser, by: str, vectors: WordVectors, concept: Concept, setting: Setting
) -> BiasedWords:
    """The words, chosen in the baseline."""
    return most_biased(
        vectors,
        concept,
        setting.policy,
        by=by,
        baseline=setting.vectors_before(vectors),
        subspace=metric.subspace,
        n=metric.n,
        vocabulary=metric.vocabulary,
    )
