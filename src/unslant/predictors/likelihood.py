"""What says how likely the words of a text are: a masked language model or a decoder."""

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

from numpy.typing import ArrayLike

Masking = Literal[
    "words", "tokenizer-words", "pieces", "span", "none", "attention", "published-attention"
]
"""What a masked language model does not see while it scores a marked piece.

``words``: this piece and the later pieces of its word, so that a word is scored from left to right
(Kauf and Ivanova 2023). Words are those of the text: "don't" and "well-known" are one word each in
every model. ``tokenizer-words``: the same with the words of the model's tokenizer, as Kauf and
Ivanova and minicons define it; BERT's has three in "don't". ``pieces``: this piece alone (Salazar
et al. 2020; Nangia et al. 2020). ``span``: every marked piece at once. ``none``: nothing, and the
mean over the marked pieces is given in place of their sum (AUL, Kaneko and Bollegala 2022);
``attention`` is the same with the mean weighted by the share of attention that each piece receives
(AULA); the shares sum to 1. ``published-attention`` is AULA as published, (1/n) Σ αᵢ log pᵢ, whose
weights do not sum to 1, so that long texts come out as likelier. A decoder sees only what precedes
a piece, so for it ``words``, ``tokenizer-words``, ``pieces`` and ``span`` are one, and weights by
attention are refused.
"""


@runtime_checkable
class Likelihood(Protocol):
    """A masked language model or a decoder.

    It may also have ``is_causal`` (whether it reads from left to right) and ``pieces(texts)`` (how
    many pieces are marked in each text).
    """

    def log_likelihoods(self, texts: Sequence[str], masking: Masking = "words") -> ArrayLike:
        """One natural logarithm for each text: how likely its [[marked]] words are, given the rest.

        A text has one or more marks, ``The [[nurse]] said [[that]].``, and the number is the sum
        over all marked pieces. No number is greater than 0. A gap that is written [MASK] stays
        hidden throughout; decoders refuse it.
        """
        ...
