"""Dropout with one mask for all rows of a batch (Gal and Ghahramani 2016)."""

import torch
from torch import Tensor, nn


class LockedDropout(nn.Module):
    """Sets the same features of all rows to 0.

    One random number a feature in place of one for each of a million spans, which took a fifth of
    the time of a step.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, rows: Tensor) -> Tensor:
        """The rows with some features set to 0 and the others made larger, in training only."""
        if not self.training or not self.share:
            return rows
        kept = torch.rand(rows.shape[-1]) >= self.share
        return rows * (kept / (1 - self.share))


class ByteDropout(nn.Module):
    """Dropout with one random byte a number: eight times quicker than torch's, shares of 1/256."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share
        self._limit = round(share * 256)

    def forward(self, rows: Tensor) -> Tensor:
        """The rows with some numbers set to 0 and the others made larger, in training only."""
        if not self.training or not self._limit:
            return rows
        count = rows.numel()
        drawn = torch.empty(count // 8 + 1, dtype=torch.int64).random_(-(2**63), None)
        kept = drawn.view(torch.uint8)[:count].view(rows.shape) >= self._limit
        return rows * kept * (256 / (256 - self._limit))
