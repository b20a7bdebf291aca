"""Gradient descent: Adam, steps that oppose another loss, and vectors that repel each other."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Floats, Matrix

# Adam (Kingma and Ba 2015) on an array, in place.


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


# Descent for one loss that does not help others: gradients made perpendicular, then opposed.
#
# ∇L_P − proj_{∇L_A} ∇L_P − α ∇L_A (Zhang, Lemoine and Mitchell 2018), for one adversary or more.
# All parameters together are one vector: products are sums over all entries, of matrices too.

SHORTEST = 1e-12
"""A gradient shorter than this has no direction that means anything."""
_IN_SPAN = 1e-5
"""What is left of a gradient, relative to it, if the gradients before it span it (in float32)."""
_BLOCK = 1 << 16


def product(one: Floats, other: Floats) -> float:
    """The sum of the products of all entries; sums of blocks are added in double precision."""
    a, b = one.ravel(), other.ravel()
    ends = range(0, a.size, _BLOCK)
    return float(sum(float(np.vdot(a[at : at + _BLOCK], b[at : at + _BLOCK])) for at in ends))


def perpendicular(vectors: Sequence[Floats]) -> list[Floats | None]:
    """Vectors at right angles with the same span, one for each of those given (Gram–Schmidt).

    A vector without a direction of its own, because it is too short or because those before it
    span it, has None.
    """
    basis: list[Floats | None] = []
    for vector in vectors:
        length = product(vector, vector) ** 0.5
        rest: Floats | None = vector if length >= SHORTEST else None
        if rest is not None and any(each is not None for each in basis):
            rest = without(without(rest, basis), basis)  # twice, for vectors that almost agree
            if product(rest, rest) ** 0.5 <= _IN_SPAN * length:
                rest = None
        basis.append(rest)
    return basis


def without(vector: Floats, directions: Sequence[Floats | None]) -> Floats:
    """A vector minus its projection on each of several directions at right angles."""
    for direction in directions:
        if direction is not None:
            vector = vector - _share(vector, direction) * direction
    return vector


def without_each(vector: Floats, directions: Sequence[Floats | None]) -> Floats:
    """A vector minus the sum of its projections on directions at any angle.

    Unless they are at right angles, the result still has a component along each.
    """
    shares = [0.0 if each is None else _share(vector, each) for each in directions]
    for share, direction in zip(shares, directions, strict=True):
        if direction is not None:
            vector = vector - share * direction
    return vector


def opposed(predictor: Floats, adversaries: Sequence[Floats], alphas: Sequence[float]) -> Floats:
    """The predictor's gradient without the span of the adversaries' gradients, minus α of each.

    >>> import numpy as np
    >>> opposed(np.array([[1.0, 2.0], [3.0, 4.0]]), [np.eye(2)], [0.5]).tolist()
    [[-2.0, 2.0], [3.0, 1.0]]
    """
    step = without(predictor, perpendicular(adversaries))
    for alpha, adversary in zip(alphas, adversaries, strict=True):
        step = step - alpha * adversary
    return step


def _share(vector: Floats, direction: Floats) -> float:
    return product(vector, direction) / product(direction, direction)


# Move vectors away from some others and out of a subspace, but keep them near their start.
#
# For each vector w, with its own list S of unit vectors and a shared orthonormal basis G, the
# unknown x minimises
#
#     a · mean over s in S of |cos(x, s)|  +  b · (1 − cos(x, w)) / 2  +  c · ‖G x‖.
#
# With u = x/‖x‖ and p = a · mean(sign(u·s) s) − b w / 2, the gradient is (p − (p·u) u)/‖x‖ + c
# G'Gx/‖Gx‖. Here p changes only when some u·s changes its sign, and no x·s can do so before x has
# moved by the least |x·s|: so the products with all of S, which are nearly all of the work, are
# recomputed only for vectors that have moved that far.
#
# Products use einsum, not BLAS: batches run on their own threads, and BLAS may start more threads
# for each small product.

_SLACK = 1e-5
"""Rounding of a product of float32 vectors."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Repulsion:
    """The objective for n vectors at once.

    ``starts`` (n × d) have length 1, ``others`` (n × m × d) too; a list shorter than m is
    padded with zero vectors, and ``counts`` says how many vectors it has.
    """

    starts: Matrix
    others: Matrix
    counts: NDArray[np.int64]
    basis: Matrix
    repel: float
    attract: float
    neutralise: float
    shares: Matrix = field(init=False)

    def __post_init__(self) -> None:
        shares = self.repel / np.maximum(self.counts, 1).astype(np.float32)
        object.__setattr__(self, "shares", shares.astype(np.float32)[:, None])

    def values(self, x: Matrix) -> NDArray[np.float64]:
        """The objective of each vector."""
        lengths = np.linalg.norm(x, axis=1, keepdims=True)
        units = x / lengths
        near = np.abs(self._products(units)).sum(axis=1) * self.shares[:, 0]
        # 1 − cos = ‖u − w‖²/2, which keeps its digits where u is close to w.
        away = ((units - self.starts) ** 2).sum(axis=1) / 2
        inside = np.linalg.norm(x @ self.basis.T, axis=1)
        return np.asarray(near + self.attract / 2 * away + self.neutralise * inside, np.float64)

    def gradient(self, x: Matrix) -> Matrix:
        """The gradient of each vector; where there is none, a limit of gradients."""
        return self._gradient(x, self._pull(x, slice(None))[0])

    def minimised(self, steps: int, rate: float, *, decay: bool) -> Matrix:
        """The unknowns after the given steps of Adam from ``starts``, scaled to length 1.

        With ``decay`` the rate falls linearly, towards 0 after the last step.
        """
        x = self.starts.copy()
        adam = Adam(x, rate)
        pulls, room = self._pull(x, slice(None))
        seen = x.copy()
        for step in range(steps):
            if step:
                moved = x - seen
                stale = np.flatnonzero(np.einsum("ij,ij->i", moved, moved) >= room * room)
                if len(stale):
                    pulls[stale], room[stale] = self._pull(x[stale], stale)
                    seen[stale] = x[stale]
            if decay:
                adam.rate = rate * (1 - step / steps)
            adam.step(x, self._gradient(x, pulls))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        return x

    def _products(self, x: Matrix, which: slice | NDArray[np.int64] = slice(None)) -> Matrix:
        return np.asarray(np.einsum("nmd,nd->nm", self.others[which], x))

    def _pull(self, x: Matrix, which: slice | NDArray[np.int64]) -> tuple[Matrix, Matrix]:
        """p for some of the vectors, and how far each may move before p may change."""
        products = self._products(x, which)
        pull = np.einsum("nm,nmd->nd", np.sign(products), self.others[which])
        pull *= self.shares[which]
        pull -= np.float32(self.attract / 2) * self.starts[which]
        is_filler = np.arange(products.shape[1]) >= self.counts[which][:, None]
        least = np.where(is_filler, np.inf, np.abs(products)).min(axis=1, initial=np.inf)
        return pull, np.maximum(least - _SLACK, 0).astype(np.float32)

    def _gradient(self, x: Matrix, pulls: Matrix) -> Matrix:
        square = np.einsum("ij,ij->i", x, x)
        along = np.einsum("ij,ij->i", pulls, x) / square
        result = pulls - along[:, None] * x
        result /= np.sqrt(square)[:, None]
        inside = np.einsum("nd,kd->nk", x, self.basis)
        lengths = np.linalg.norm(inside, axis=1, keepdims=True)
        inside *= self.neutralise / np.where(lengths == 0, 1, lengths)
        result += np.einsum("nk,kd->nd", inside, self.basis)
        return np.asarray(result)
