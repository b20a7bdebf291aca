"""Linear and affine maps: a few directions removed, or a full matrix."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from unslant.core.types import Array
from unslant.erasers.transform import Affine, Frozen, Rows, check_shapes, transform


@transform("low-rank")
@dataclass(frozen=True, eq=False)
class LowRank(Frozen):
    """x − (x Rᵀ) W + offset, with k × d matrices R (``read``) and W (``write``).

    With R = W orthonormal this is the projection that removes k directions. It costs k products
    per vector instead of the d of a matrix.
    """

    read: Array
    write: Array
    offset: Array | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        shape = np.shape(self.read)[:2] if np.ndim(self.read) == 2 else (0, 0)
        check_shapes(
            "a low-rank map", (self.read, shape), (self.write, shape), (self.offset, shape[1:])
        )

    @property
    def dims(self) -> tuple[int, int]:
        """The width does not change."""
        return self.read.shape[1], self.write.shape[1]

    @property
    def moves_zero(self) -> bool:
        """An offset moves it."""
        return self.offset is not None

    @property
    def matrix(self) -> Array:
        """The same as a d × d matrix M, for rows: x M."""
        return np.asarray(np.eye(self.read.shape[1]) - self.read.T @ self.write)

    @property
    def affine(self) -> Affine:
        """The matrix and the offset."""
        return self.matrix, _or_zeros(self.offset, self.dims[1])

    def apply(self, rows: Rows, out: Rows | None = None) -> Rows:
        """Remove the directions."""
        parts, directions = rows @ self.read.T.astype(rows.dtype), self.write.astype(rows.dtype)
        if self.offset is not None:  # as one more direction, which saves a pass over the rows
            parts = np.hstack([parts, np.ones((len(rows), 1), dtype=rows.dtype)])
            directions = np.vstack([directions, -self.offset.astype(rows.dtype)])
        if len(directions) == 1:  # a plain product is twice as fast as one of matrices
            out = np.multiply(parts, directions, out=out)
        else:
            out = np.matmul(parts, directions, out=out)
        return np.subtract(rows, out, out=out)

    def on_tensor(self, rows: Any) -> Any:
        """Take the directions out."""
        after = rows - (rows @ rows.new_tensor(self.read.T)) @ rows.new_tensor(self.write)
        return after if self.offset is None else after + rows.new_tensor(self.offset)


@transform("dense")
@dataclass(frozen=True, eq=False)
class Dense(Frozen):
    """x M + offset, with a matrix M of any rank; the width may change."""

    matrix: Array
    offset: Array | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        shape = np.shape(self.matrix) if np.ndim(self.matrix) == 2 else (0, 0)
        check_shapes("a linear map", (self.matrix, shape), (self.offset, shape[1:]))

    @property
    def dims(self) -> tuple[int, int]:
        """The shape of the matrix."""
        return self.matrix.shape[0], self.matrix.shape[1]

    @property
    def moves_zero(self) -> bool:
        """An offset moves it."""
        return self.offset is not None

    @property
    def affine(self) -> Affine:
        """The matrix and the offset."""
        return self.matrix, _or_zeros(self.offset, self.dims[1])

    def apply(self, rows: Rows, out: Rows | None = None) -> Rows:
        """Multiply."""
        out = np.matmul(rows, self.matrix.astype(rows.dtype), out=out)
        if self.offset is not None:
            out += self.offset.astype(rows.dtype)
        return out

    def on_tensor(self, rows: Any) -> Any:
        """Multiply."""
        after = rows @ rows.new_tensor(self.matrix)
        return after if self.offset is None else after + rows.new_tensor(self.offset)


def _or_zeros(offset: Array | None, width: int) -> Array:
    return np.zeros(width) if offset is None else offset


def projection(basis: Array, weights: Array | None = None) -> LowRank:
    """Remove the directions of an orthonormal basis, each by its weight (1: completely)."""
    return LowRank(basis if weights is None else weights[:, None] * basis, basis)


def linear_map(matrix: Array, offset: Array | None = None) -> LowRank | Dense:
    """x M + offset in the cheaper form: if M changes few directions, only these are stored."""
    change = np.eye(len(matrix)) - matrix
    left, values, right = np.linalg.svd(change)
    rank = int((values > 1e-12 * max(1.0, values[0])).sum())
    if rank > len(matrix) // 4:
        return Dense(matrix, offset)
    return LowRank((left[:, :rank] * values[:rank]).T, right[:rank], offset)


# The map from every vector to one constant vector.


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


# Every vector scaled to length 1.

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
        """Divide rows by their lengths, scaling them first to avoid overflow."""
        largest = rows.detach().abs().amax(dim=-1, keepdim=True)
        sized = rows / largest.where(largest > 0, 1)
        lengths = sized.norm(dim=-1, keepdim=True)
        return sized / lengths.where(lengths > 0, 1)
