"""How likely a model with a head finds texts: batches of equal length, interventions in effect."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, ClassVar

from unslant.core.record import Facts
from unslant.models.language.facts import model_facts
from unslant.models.language.weights import Head

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

NUMBERS_IN_A_BATCH = 1 << 25
"""Every piece of a text has one number for each piece of the vocabulary: 128 MB in all."""


class AskedModel:
    """A language model that answers a probe, as records name it."""

    def __init__(self, model: "TransformerModel") -> None:
        self.model = model

    @property
    def name(self) -> str:
        """What records and messages call it."""
        return self.model.name

    @property
    def sha256(self) -> str:
        """A hash of the weights and of the interventions."""
        return self.model.content_hash


class WithHead(AskedModel):
    """A language model and one of its heads; a head that its file lacks is refused at once."""

    head: ClassVar[Head]

    def __init__(self, model: "TransformerModel") -> None:
        super().__init__(model)
        self.network = model.head(self.head)

    @property
    def facts(self) -> Facts:
        """What a record says about the model."""
        return {**model_facts(self.model), "head": self.head}

    def logits(self, ids: Any, positions: Any = None) -> Any:
        """Texts × pieces × vocabulary, in single precision, with the interventions in effect.

        With ``positions`` (texts × places) the last block and the head are computed there only.
        """
        import torch

        with ExitStack() as stack:
            stack.enter_context(torch.inference_mode())
            stack.enter_context(self.model.intervening(self.network, positions))
            return self.network(input_ids=ids).logits.float()

    def batches(self, pieces: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], Any]]:
        """The rows of texts of equal length, with their pieces as an array; nothing is padded."""
        import torch

        lengths: dict[int, list[int]] = {}
        for row, item in enumerate(pieces):
            lengths.setdefault(len(item), []).append(row)
        for length, rows in sorted(lengths.items()):
            size = max(1, NUMBERS_IN_A_BATCH // (length * self.model.layout.pieces))
            for start in range(0, len(rows), size):
                chosen = rows[start : start + size]
                yield chosen, torch.tensor([pieces[row] for row in chosen])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


def log_probabilities(logits: Any, pieces: Any) -> Any:
    """The natural logarithm of each piece's softmax over the vocabulary; rounding stays below 0."""
    found = logits.gather(-1, pieces[..., None])[..., 0].double()
    return (found - logits.logsumexp(-1).double()).clamp_max(0)
