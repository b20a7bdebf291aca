"""Every vector scaled to length 1."""

from dataclasses import dataclass

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
