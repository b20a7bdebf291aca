"""How likely a language model finds the marked words of a text."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.types import Array
from unslant.models.language.distributions import (
    TextGap,
    causal_gaps,
    log_probabilities_of,
    masked_gaps,
)
from unslant.models.language.likelihood import WithHead, begin_of, gap_sign, refuse_encoder
from unslant.models.language.passes import TOKENS_IN_A_BATCH
from unslant.models.language.tokens import Pieces, shortened
from unslant.models.language.weights import network, on_shared_base
from unslant.predictors.protocols import MASK, Masking

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel
    from unslant.models.language.self_debias import SelfDebiased


# How much attention each piece of a text receives, which AULA weighs pieces by.


def received_attention(
    model: "TransformerModel", pieces: Sequence[tuple[int, ...]]
) -> list[NDArray[np.float64]]:
    """For each text one number a piece: the mean over layers, heads and pieces that attend to it.

    The numbers of a text sum to 1, with the signs that the tokenizer adds. The fast way to compute
    attention returns no weights, so the network is built once more in eager mode, on the same
    arrays; interventions are in effect.
    """
    import torch

    slow = on_shared_base(network(model.folder, model.layout, "masked"), model.network)
    slow.set_attn_implementation("eager")
    found: dict[tuple[int, ...], NDArray[np.float64]] = {}
    by_length: dict[int, list[tuple[int, ...]]] = {}
    for ids in dict.fromkeys(pieces):
        by_length.setdefault(len(ids), []).append(ids)
    for length, texts in sorted(by_length.items()):
        size = max(1, TOKENS_IN_A_BATCH // length)
        for start in range(0, len(texts), size):
            chosen = texts[start : start + size]
            with torch.inference_mode(), model.intervening(slow):
                given = slow(input_ids=torch.tensor(chosen), output_attentions=True).attentions
            if not given or any(one is None for one in given):
                raise UnslantError(
                    f"{model.name} gives no attention weights, so pieces cannot be weighted by "
                    f"them. Use AUL without weights."
                )
            mean = torch.stack([one.double().mean(dim=(1, 2)) for one in given]).mean(dim=0)
            found |= dict(zip(chosen, mean.numpy(), strict=True))
    return [found[ids] for ids in pieces]


Answer = Callable[[Sequence[TextGap]], Array]
"""The logarithm of the probability of each gap's piece."""


class MarkedLikelihood(WithHead, ABC):
    """log p(marked words | the rest) = Σ log p(piece), each piece as the masking has it.

    Texts are split into pieces as they are, and pieces are compared by their numbers: nothing is
    put together and split again.
    """

    is_causal: ClassVar[bool]

    @abstractmethod
    def gaps(self, pieces: Pieces, masking: Masking) -> Iterable[TextGap]:
        """One prediction for each marked piece."""

    def read(self, texts: Sequence[str]) -> list[Pieces]:
        """The pieces of texts that have at least one marked word each."""
        found = self.model.tokens.of(texts)
        for text, pieces in zip(texts, found, strict=True):
            if not pieces.marked:
                raise UnslantError(
                    f'No word is marked in "{shortened(text)}". Mark what is to be scored, as in '
                    f'"This is [[she]]."'
                )
        return found

    def pieces(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """How many pieces are marked in each text."""
        return np.array([len(item.marked) for item in self.read(texts)], dtype=np.int64)

    def log_likelihoods(self, texts: Sequence[str], masking: Masking = "words") -> Array:
        """One natural logarithm for each text; each distinct sequence is read once."""
        return self.answered(texts, masking, lambda gaps: log_probabilities_of(self, gaps))

    def answered(self, texts: Sequence[str], masking: Masking, answer: Answer) -> Array:
        """The sums, or the means that a masking asks for, of what a function answers."""
        distinct = list(dict.fromkeys(texts))
        pieces = self.read(distinct)
        parts = [list(self.gaps(item, masking)) for item in pieces]
        logs = answer([gap for part in parts for gap in part])
        ends = np.cumsum([len(part) for part in parts])[:-1]
        weights = self.weights(pieces, masking)
        found = {
            text: float(part.sum() if share is None else part @ share)
            for text, part, share in zip(distinct, np.split(logs, ends), weights, strict=True)
        }
        return np.array([found[text] for text in texts], dtype=np.float64)

    def weights(self, pieces: Sequence[Pieces], masking: Masking) -> list[Array] | list[None]:
        """How much each marked piece counts in a mean; None for a sum."""
        if masking in ("words", "tokenizer-words", "pieces", "span"):
            return [None] * len(pieces)
        return [np.full(len(item.marked), 1 / len(item.marked)) for item in pieces]

    def self_debiased(
        self, prompts: Sequence[str], decay: float = 50.0, floor: float = 0.01
    ) -> "SelfDebiased":
        """The same model with Self-Debias (Schick et al. 2021) for these prompts."""
        from unslant.models.language.self_debias import SelfDebiased  # it builds on this file

        return SelfDebiased(self, tuple(prompts), decay, floor)

    @cached_property
    @abstractmethod
    def front(self) -> int:
        """After how many pieces of what the model reads a prompt would be put."""


class MaskedLikelihood(MarkedLikelihood):
    """An encoder with its masked head. A gap in a text, written [MASK], stays hidden throughout."""

    head = "masked"
    is_causal = False

    def gaps(self, pieces: Pieces, masking: Masking) -> Iterable[TextGap]:
        """Gaps use the model's own mask token."""
        return masked_gaps(pieces, masking, self._sign[1])

    def read(self, texts: Sequence[str]) -> list[Pieces]:
        """The pieces, with the model's own sign in the gaps."""
        literal, sign = self._sign
        found = super().read([text.replace(MASK, literal) for text in texts])
        for text, pieces in zip(texts, found, strict=True):
            if pieces.ids.count(sign) != text.count(MASK):
                raise UnslantError(
                    f'The tokenizer of {self.name} does not read "{literal}" as its sign for a '
                    f'gap, so "{shortened(text)}" cannot be asked.'
                )
        return found

    def weights(self, pieces: Sequence[Pieces], masking: Masking) -> list[Array] | list[None]:
        """For ``attention``, how much of it each piece receives."""
        if masking not in ("attention", "published-attention"):
            return super().weights(pieces, masking)
        received = received_attention(self.model, [item.ids for item in pieces])
        found = []
        for item, every in zip(pieces, received, strict=True):
            own = every[[place for place, _ in item.marked]]
            found.append(own / (own.sum() if masking == "attention" else len(own)))
        return found

    @cached_property
    def _sign(self) -> tuple[str, int]:
        return gap_sign(self.model)

    @cached_property
    def front(self) -> int:
        """How many signs begin a text."""
        return self.model.tokens.of(["a"])[0].added[0]


class CausalLikelihood(MarkedLikelihood):
    """A decoder, which sees only what precedes a piece; the text begins as in CausalPredictor."""

    head = "causal"
    is_causal = True

    def __init__(self, model: "TransformerModel") -> None:
        refuse_encoder(model)
        super().__init__(model)

    def gaps(self, pieces: Pieces, masking: Masking) -> Iterable[TextGap]:
        """Hiding what follows is what a decoder does anyway."""
        return causal_gaps(pieces, begin_of(self.model))

    def read(self, texts: Sequence[str]) -> list[Pieces]:
        """The pieces; a decoder has no gaps."""
        for text in texts:
            if MASK in text:
                raise UnslantError(
                    f'"{shortened(text)}" has a gap, and {self.name} is a decoder, which has no '
                    f"sign for one. Use a masked language model."
                )
        found = super().read(texts)
        for text, pieces in zip(texts, found, strict=True):
            if len(pieces) >= self.model.layout.positions and not pieces.added[0]:
                raise UnslantError(
                    f'"{shortened(text)}" has {len(pieces) + 1:,} pieces with the sign for its '
                    f"beginning; {self.name} reads at most {self.model.layout.positions:,}. "
                    f"Shorten or split it."
                )
        return found

    def weights(self, pieces: Sequence[Pieces], masking: Masking) -> list[Array] | list[None]:
        """Attention of a decoder goes to what precedes: the last pieces would count for nothing."""
        if masking in ("attention", "published-attention"):
            raise UnslantError(
                f"{self.name} is a decoder: a piece receives attention from later ones only, so "
                f"weighting by attention is not defined. Use a masked model, or no weights."
            )
        return super().weights(pieces, masking)

    @cached_property
    def front(self) -> int:
        """The sign for the beginning."""
        return 1
