"""Every vector scaled to length 1."""

from dataclasses import dataclass

import numpy as np

from unslant.methods.erasers.transform import Rows, transform


@transform("unit-length")
@dataclass(frozen=True)
class UnitLength:
    """x / ‖x‖; the zero vector stays."""

    @property
    def dims(self) -> tuple[None, None]:
        """Any width, which is kept."""
        return None, None

    @property
    def moves_zero(self) -> bool:
        """It does not."""
        return False

    def apply(self, rows: Rows) -> Rows:
        """Scale, first by the largest component so that no square vanishes or overflows."""
        largest = np.abs(rows).max(axis=1, keepdims=True)
        scaled = rows / np.where(largest == 0, 1, largest)
        lengths = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
        scaled /= np.where(lengths == 0, 1, lengths)
        return scaled
