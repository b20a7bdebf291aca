"""The map that gives the same vector for every vector."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from unslant.core.types import Array
from unslant.erasers.transform import Affine, Frozen, Rows, check_shapes, transform


@transform("constant")
@dataclass(frozen=True, eq=False)
class Constant(Frozen):
    """x → v."""

    value: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        check_shapes("a constant", (self.value, (np.size(self.value),)))

    @property
    def dims(self) -> tuple[int, int]:
        """The width does not change."""
        return len(self.value), len(self.value)

    @property
    def moves_zero(self) -> bool:
        """Unless the vector is zero."""
        return bool(self.value.any())

    @property
    def affine(self) -> Affine:
        """No matrix, and the vector as the offset."""
        return np.zeros(self.dims), self.value

    def apply(self, rows: Rows, out: Rows | None = None) -> Rows:
        """The vector in every row."""
        out = np.empty_like(rows) if out is None else out
        out[:] = self.value.astype(rows.dtype)
        return out

    def on_tensor(self, rows: Any) -> Any:
        """The vector in every row, for a tensor of any leading shape."""
        return rows.new_tensor(self.value).expand_as(rows).contiguous()
