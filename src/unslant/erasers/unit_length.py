"""Every vector scaled to length 1."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from unslant.erasers.transform import Rows, transform

_SMALL, _LARGE = 1e-20, 1e20
"""Between these, a sum of squares in single precision has all its digits."""


@transform("unit-length")
@dataclass(frozen=True)
class UnitLength:
    """x / ‖x‖; the zero vector stays."""

    @property
    def dims(self) -> tuple[None, None]:
        """Any width, which does not change."""
        return None, None

    @property
    def moves_zero(self) -> bool:
        """It does not."""
        return False

    @property
    def affine(self) -> None:
        """Each vector is divided by another number."""
        return None

    def apply(self, rows: Rows, out: Rows | None = None) -> Rows:
        """Divide by the length; rows whose squares underflow or overflow are rescaled first."""
        squares = np.einsum("ij,ij->i", rows, rows)
        if not ((squares > _SMALL) & (squares < _LARGE)).all():
            largest = np.abs(rows).max(axis=1, keepdims=True)
            rows = rows / np.where(largest == 0, 1, largest)
            squares = np.einsum("ij,ij->i", rows, rows)
            squares[squares == 0] = 1
        scaled: Rows = np.multiply(rows, (1 / np.sqrt(squares))[:, None], out=out)
        return scaled

    def on_tensor(self, rows: Any) -> Any:
        """Divide by the length, of rows brought to size first."""
        largest = rows.detach().abs().amax(dim=-1, keepdim=True)
        sized = rows / largest.where(largest > 0, 1)
        lengths = sized.norm(dim=-1, keepdim=True)
        return sized / lengths.where(lengths > 0, 1)
