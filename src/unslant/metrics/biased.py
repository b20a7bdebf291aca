"""The most biased words, selected by a metric's parameters."""

from typing import Protocol

from unslant.concepts import Concept
from unslant.measures.setting import Setting
from unslant.subspaces.most_biased import BiasedWords, most_biased
from unslant.vectors import WordVectors


class Chooser(Protocol):
    """A metric whose parameters select its words."""

    @property
    def subspace(self) -> str:
        """The direction along which words lean."""

    @property
    def n(self) -> int:
        """The number of words per side."""

    @property
    def vocabulary(self) -> int:
        """The number of first words to choose from."""


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
