"""What a causal language model is: anything that says how likely a text is."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike


@runtime_checkable
class CausalLM(Protocol):
    """A model such as GPT-2.

    It may also have ``pieces(texts)``: over how many pieces each sum goes, which perplexity needs.
    """

    def log_likelihood(self, texts: Sequence[str]) -> ArrayLike:
        """One natural logarithm for each text: the sum over its pieces, given those before.

        The first piece is conditioned on the model's sign for the beginning of a text. No number
        is greater than 0.
        """
        ...
