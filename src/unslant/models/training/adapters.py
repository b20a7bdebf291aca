"""Low-rank adapters (Hu et al. 2022): a product W x becomes W x + B A x, and only A, B are trained.

B begins at 0, so an adapted network begins as it was. Merged, B A is added to W, and nothing of the
adapters is left.
"""

from collections.abc import Iterator, Sequence
from math import sqrt

import torch
from torch import Tensor, nn

from unslant.core.errors import UnslantError
from unslant.models.training.schedule import Tuned


class Adapted(nn.Module):
    """A product with its adapter; its own weights are frozen."""

    def __init__(self, product: nn.Linear, rank: int) -> None:
        super().__init__()
        self.product = product.requires_grad_(False)
        narrow = torch.randn(rank, product.in_features) / sqrt(product.in_features)
        self.narrow = nn.Parameter(narrow)
        self.widen = nn.Parameter(torch.zeros(product.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        """The product, and what the adapter adds."""
        found: Tensor = self.product(x) + (x @ self.narrow.T) @ self.widen.T
        return found

    def merged(self) -> nn.Linear:
        """The product with the adapter in its weights, added in double precision."""
        with torch.no_grad():
            added = self.widen.double() @ self.narrow.double()
            self.product.weight.copy_((self.product.weight.double() + added).float())
        return self.product


def adapt(part: nn.Module, rank: int) -> None:
    """Give every product inside a part of a network an adapter."""
    if rank < 1:
        raise UnslantError(f"The rank of adapters must be at least 1, not {rank}.")
    found = list(_inside(part, nn.Linear))
    if not found:
        raise UnslantError("This architecture has no products that can have adapters.")
    for owner, name, product in found:
        setattr(owner, name, Adapted(product, rank))


def merge(network: nn.Module) -> None:
    """Put every adapter of a network into the weights."""
    for owner, name, adapted in list(_inside(network, Adapted)):
        setattr(owner, name, adapted.merged())


def _inside(part: nn.Module, kind: type[nn.Module]) -> Iterator[tuple[nn.Module, str, nn.Module]]:
    for owner in list(part.modules()):
        if isinstance(owner, Adapted):
            continue
        for name, child in list(owner.named_children()):
            if isinstance(child, kind):
                yield owner, name, child


# An encoder with the weights that are tuned free and all others frozen.


def free(base: nn.Module, blocks: Sequence[nn.Module], tuned: Tuned) -> None:
    """Freeze a network without its head, except tuned weights; ``blocks`` are from the first."""
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
