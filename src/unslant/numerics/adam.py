"""Adam (Kingma and Ba 2015) on an array, in place."""

import numpy as np

from unslant.core.types import Floats


class Adam:
    """The running moments of the gradients of one array of unknowns.

    m ← β1 m + (1 − β1) g, v ← β2 v + (1 − β2) g², and
    x ← x − rate · (m / (1 − β1ᵗ)) / (√(v / (1 − β2ᵗ)) + ε).
    """

    def __init__(
        self,
        unknowns: Floats,
        rate: float,
        *,
        first: float = 0.9,
        second: float = 0.999,
        epsilon: float = 1e-8,
    ) -> None:
        self.rate, self.first, self.second, self.epsilon = rate, first, second, epsilon
        self.steps = 0
        self._mean = np.zeros_like(unknowns)
        self._square = np.zeros_like(unknowns)
        self._spare = np.empty_like(unknowns)

    def step(self, unknowns: Floats, gradient: Floats) -> None:
        """Move the unknowns by one step; the gradient is overwritten."""
        self.steps += 1
        spare = self._spare
        np.multiply(gradient, gradient, out=spare)
        spare *= 1 - self.second
        self._square *= self.second
        self._square += spare
        gradient *= 1 - self.first
        self._mean *= self.first
        self._mean += gradient
        np.sqrt(self._square, out=spare)
        # Both corrections are moved into scalars: the quotient is the same.
        correction = np.sqrt(1 - self.second**self.steps)
        spare += self.epsilon * correction
        np.divide(self._mean, spare, out=spare)
        spare *= self.rate * correction / (1 - self.first**self.steps)
        unknowns -= spare
