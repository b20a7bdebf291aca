"""A small feed-forward network, applied without the library that trained it."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.types import Array
from unslant.erasers.transform import Frozen, Rows, transform


@transform("network")
@dataclass(frozen=True, eq=False)
class Network(Frozen):
    """``scale_out`` · fₙ(… f₁(``scale`` · x W₁ + b₁) … Wₙ + bₙ), for rows x.

    Every layer is tanh; ``last`` makes the last one ``tanh`` or ``linear``.
    """

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]
    scale: float = 1.0
    scale_out: float = 1.0
    last: str = "tanh"

    def __post_init__(self) -> None:
        super().__post_init__()
        shapes = [weight.shape for weight in self.weights]
        fits = len(shapes) > 0 and all(len(shape) == 2 for shape in shapes)
        fits = fits and all(one[1] == other[0] for one, other in pairwise(shapes))
        if not fits or [bias.shape for bias in self.biases] != [shape[1:] for shape in shapes]:
            raise UnslantError("The layers of a network do not fit together.")
        if self.last not in ("tanh", "linear"):
            raise UnslantError(f'The last layer must be "tanh" or "linear", not {self.last!r}.')
        if not np.isfinite([self.scale, self.scale_out]).all():
            raise UnslantError("The scales of a network must be finite numbers.")

    @property
    def dims(self) -> tuple[int, int]:
        """The widths of the first and of the last layer."""
        return self.weights[0].shape[0], self.weights[-1].shape[1]

    @property
    def moves_zero(self) -> bool:
        """Biases do."""
        return True

    @property
    def affine(self) -> None:
        """It bends."""
        return None

    def apply(self, rows: Rows, out: Rows | None = None) -> Rows:
        """Pass the rows through all layers."""
        state = rows * rows.dtype.type(self.scale)
        for place, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True), 1):
            state = state @ weight.astype(rows.dtype)
            state += bias.astype(rows.dtype)
            if self.last == "tanh" or place < len(self.weights):
                np.tanh(state, out=state)
        return np.multiply(state, rows.dtype.type(self.scale_out), out=out)

    def on_tensor(self, rows: Any) -> Any:
        """Pass the rows through all layers."""
        state = rows * self.scale
        for place, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True), 1):
            state = state @ rows.new_tensor(weight) + rows.new_tensor(bias)
            if self.last == "tanh" or place < len(self.weights):
                state = state.tanh()
        return state * self.scale_out
