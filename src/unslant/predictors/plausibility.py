"""What says how well a word or a sentence goes with what precedes it."""

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

from numpy.typing import ArrayLike

Scoring = Literal["words", "published"]
"""``words``: whole words from left to right; ``published``: as the authors of StereoSet score."""


@runtime_checkable
class Plausibility(Protocol):
    """A language model that fills gaps, judges next sentences, or both.

    A kind of question that it cannot answer, because it has no such head, is an UnslantError.
    """

    def plausibility(
        self, contexts: Sequence[str], candidates: Sequence[str], scoring: Scoring = "words"
    ) -> ArrayLike:
        """One number for each pair: larger if the candidate goes better with its context.

        If the context has a gap, written [MASK], the candidate fills it, and the number is the
        natural logarithm of its likelihood, up to a constant of the context. Otherwise the
        candidate is a sentence, and the number is the log-odds that it comes next. With the
        published scoring, only the order of the candidates of a context means anything.
        """
        ...
