"""An encoder with the weights that are tuned free and all others frozen."""

from collections.abc import Sequence

from torch import nn

from unslant.core.errors import UnslantError
from unslant.models.training.adapters import adapt
from unslant.models.training.tuned import Tuned


def free(base: nn.Module, blocks: Sequence[nn.Module], tuned: Tuned) -> None:
    """Freeze a network without its head, but for what is tuned; ``blocks`` are from the first."""
    base.requires_grad_(tuned.kind == "all")
    if tuned.kind == "last":
        if tuned.number > len(blocks):
            raise UnslantError(
                f"The model has {len(blocks)} blocks, so the last {tuned.number} cannot be tuned."
            )
        for block in blocks[-tuned.number :]:
            block.requires_grad_(True)
    if tuned.kind == "adapters":
        for block in blocks:
            adapt(block, tuned.number)
            for part in block.modules():
                if isinstance(part, nn.LayerNorm):
                    part.requires_grad_(True)
