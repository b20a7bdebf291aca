"""The positive semidefinite X nearest to I among those under which N and B hardly meet.

f(X) = tr((X − I)G(X − I)G) + λ tr(M X BB' X), with G = WW' and M = NN', is
‖W'XW − W'W‖² + λ‖N'XB‖² for columns W, N, B. With D = X − I, H = G^½ D G^½ and C = G^-½ B, the
gradient vanishes over all symmetric H where H = −(λ/2)(ZC' + CZ') with
Z + (λ/2) M̃(ZC'C + CZ'C) = G^-½ M B and M̃ = G^-½ M G^-½. In the eigenbases of M̃ and C'C this
leaves k² unknowns, those of Z'C. Where I + D is semidefinite it is the answer; else a projected
gradient goes on from there.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from unslant.core.types import Array

TOLERANCE = 1e-7
"""The projected gradient ends when it is within this of the optimum, relative to ‖G‖."""
_MOST_STEPS = 5_000
_IN_SPAN = 1e-10
_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class SoftProjection:
    """X, and how many steps of projected gradient it took (0: closed form).

    ``error`` bounds the distance of G^½XG^½ from its optimum, relative to ‖G‖.
    """

    matrix: Array
    steps: int
    error: float

    @property
    def has_converged(self) -> bool:
        """Whether the steps came to an end by themselves."""
        return self.error <= TOLERANCE


def objective(matrix: Array, gram: Array, neutral: Array, basis: Array, strength: float) -> float:
    """f(X) as above, for G (``gram``), M (``neutral``) and the rows of ``basis`` as columns B."""
    change = (matrix - np.eye(len(matrix))) @ gram
    moved = matrix @ basis.T
    met = np.einsum("ik,ij,jk->", moved, neutral, moved)
    return float(np.einsum("ij,ji->", change, change) + strength * met)


def soft_projection(
    gram: Array,
    neutral: Array,
    basis: Array,
    strength: float,
    report: Callable[[int, int], None] = lambda done, most: None,
) -> SoftProjection:
    """The minimum of f over the positive semidefinite X that are I outside the span of G.

    ``report`` hears of every step of the projected gradient, and how many there may be.
    """
    sizes, axes = np.linalg.eigh(gram)
    is_in = sizes > _IN_SPAN * max(sizes[-1], 0.0)
    axes, roots = axes[:, is_in], np.sqrt(sizes[is_in])
    weighted = (axes.T @ neutral @ axes) / np.outer(roots, roots)
    across = (axes.T @ basis.T) / roots[:, None]
    centre = np.diag(roots**2)
    found = _unconstrained(centre, weighted, across, strength)
    steps, error = 0, 0.0
    if len(roots) and np.linalg.eigvalsh(found)[0] < -_ROUNDING * roots[-1] ** 2:
        found, steps, error = _projected(found, centre, weighted, across, strength, report)
    inner = found / np.outer(roots, roots)
    if len(roots) and np.linalg.eigvalsh(inner)[0] < 0:
        inner = _semidefinite(inner)
    matrix = np.eye(len(gram)) + axes @ (inner - np.eye(len(roots))) @ axes.T
    return SoftProjection((matrix + matrix.T) / 2, steps, error)


def _unconstrained(centre: Array, weighted: Array, across: Array, strength: float) -> Array:
    """The symmetric Y that minimises ‖Y − centre‖² + λ tr(M̃ Y CC' Y)."""
    half = strength / 2
    sizes, turn = np.linalg.eigh(weighted)
    widths, inner = np.linalg.eigh(across.T @ across)
    columns = turn.T @ across @ inner
    wanted = sizes[:, None] * (turn.T @ centre @ turn @ columns)
    shrunk = 1 / (1 + half * np.outer(sizes, widths))
    weights = columns * sizes[:, None]
    # Z = shrunk ∘ (wanted − half·weights·Y') where Y = columns'Z, so one small system gives Y.
    k = len(widths)
    system = np.eye(k * k).reshape(k, k, k, k)
    for j in range(k):
        system[:, j, j, :] += half * (columns.T * shrunk[:, j]) @ weights
    right = columns.T @ (shrunk * wanted)
    y = np.linalg.solve(system.reshape(k * k, k * k), right.ravel()).reshape(k, k)
    z = shrunk * (wanted - half * weights @ y.T)
    step = turn @ (z @ columns.T + columns @ z.T) @ turn.T
    return np.asarray(centre - half * step)


def _projected(
    start: Array,
    centre: Array,
    weighted: Array,
    across: Array,
    strength: float,
    report: Callable[[int, int], None],
) -> tuple[Array, int, float]:
    """Accelerated projected gradient over semidefinite Y, restarted where it turns back.

    Half of f in Y has curvature from 1 to ``steepest``, so twice the gradient mapping bounds the
    distance from the optimum.
    """
    wide = across @ across.T
    steepest = 1 + strength * float(np.linalg.norm(weighted, 2) * np.linalg.norm(wide, 2))
    now = ahead = _semidefinite(start)
    pace, error, number = 1.0, np.inf, 0
    while number < _MOST_STEPS and error > TOLERANCE:
        number += 1
        report(number, _MOST_STEPS)
        pull = weighted @ ahead @ wide
        slope = (ahead - centre) + strength * (pull + pull.T) / 2
        after = _semidefinite(ahead - slope / steepest)
        error = 2 * steepest * float(np.linalg.norm(ahead - after) / np.linalg.norm(centre))
        if np.sum((ahead - after) * (after - now)) > 0:
            pace = 1.0
        faster = (1 + np.sqrt(1 + 4 * pace**2)) / 2
        ahead = after + (pace - 1) / faster * (after - now)
        now, pace = after, float(faster)
    return now, number, error


def _semidefinite(matrix: Array) -> Array:
    values, axes = np.linalg.eigh(matrix)
    return np.asarray((axes * np.maximum(values, 0.0)) @ axes.T)
