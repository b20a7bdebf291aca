"""Move vectors away from some others and out of a subspace, but keep them near their start.

For each vector w, with its own list S of unit vectors and a shared orthonormal basis G, the
unknown x minimises

    a · mean over s in S of |cos(x, s)|  +  b · (1 − cos(x, w)) / 2  +  c · ‖G x‖.

With u = x/‖x‖ and p = a · mean(sign(u·s) s) − b w / 2, the gradient is
(p − (p·u) u)/‖x‖ + c G'Gx/‖Gx‖. Here p changes only when some u·s changes its sign, and no
x·s can do so before x has moved by the least |x·s|: so the products with all of S, which are
nearly all of the work, are recomputed only for vectors that have moved that far.

Products use einsum, not BLAS: batches run on their own threads, and BLAS may start more threads
for each small product.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Matrix
from unslant.numerics.adam import Adam

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
