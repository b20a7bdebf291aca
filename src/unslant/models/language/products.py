"""Affine maps before or after a product, as another product: the algebra of folding.

A product is y = x Wᵀ + c, with W stored as (out, in), or as (in, out) where ``transposed``. An
eraser is x → x M + b for rows, on the columns S of what it acts on, and

    after the product:   (x W_Sᵀ + c_S) M + b  =  x (Mᵀ W_S)ᵀ + (c_S M + b)
    before the product:  (x_S M + b) W_Sᵀ + c  =  x_S (W_S Mᵀ)ᵀ + (c + b W_Sᵀ)

where W_S are rows of W in the first case and columns in the second. Both are computed in double
precision and rounded once.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unslant.erasers.transform import Affine

Columns = tuple[int, int] | None


@dataclass(frozen=True, eq=False)
class Product:
    """The weight and the bias of one product, as tensors; the bias may be None."""

    weight: Any
    bias: Any = None
    transposed: bool = False

    def then(self, affine: Affine, columns: Columns = None) -> "Product":
        """The product whose results are those of this one after the map."""
        matrix, offset = _tensors(self.weight, affine)
        weight, bias = self._plain(), None if self.bias is None else self.bias.double().clone()
        part = _slice(columns, len(weight))
        weight[part] = matrix.T @ weight[part]
        if bias is not None:
            bias[part] = bias[part] @ matrix + offset
        return self._made(weight, bias)

    def after(self, affine: Affine, columns: Columns = None) -> "Product":
        """The product that gives for x what this one gives for x after the map."""
        matrix, offset = _tensors(self.weight, affine)
        weight, bias = self._plain(), None if self.bias is None else self.bias.double().clone()
        part = _slice(columns, weight.shape[1])
        if bias is not None:
            bias += weight[:, part] @ offset
        weight[:, part] = weight[:, part] @ matrix.T
        return self._made(weight, bias)

    def _plain(self) -> Any:
        weight = self.weight.double()
        return (weight.T if self.transposed else weight).clone()

    def _made(self, weight: Any, bias: Any) -> "Product":
        weight = (weight.T if self.transposed else weight).to(self.weight.dtype).contiguous()
        return replace(self, weight=weight, bias=None if bias is None else bias.to(self.bias.dtype))


def rows_after(table: Any, affine: Affine) -> Any:
    """The rows of a table after the map."""
    matrix, offset = _tensors(table, affine)
    return (table.double() @ matrix + offset).to(table.dtype)


def composed(first: Affine, second: Affine) -> Affine:
    """The map that applies the first and then the second."""
    return np.asarray(first[0] @ second[0]), np.asarray(first[1] @ second[0] + second[1])


def _tensors(like: Any, affine: Affine) -> tuple[Any, Any]:
    matrix, offset = affine
    like = like.double()
    return like.new_tensor(matrix), like.new_tensor(offset)


def _slice(columns: Columns, width: int) -> slice:
    return slice(*columns) if columns else slice(0, width)
