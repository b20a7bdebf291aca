"""Maps that remove an attribute: least-squares erasure, soft and adversarial projections."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Array

# Least-squares erasure: the smallest change that leaves no covariance with given labels.

RANK_TOLERANCE = 1e-9
"""Of the largest singular value. The indicators of c labels sum to 1, so one of their c singular
values is 0 up to rounding; every other one is erased, however small, or some covariance would
remain."""


def shrunk(covariance: Array, observations: int) -> Array:
    """α S + (1 − α) (tr S / d) I with the α that is optimal as d and n grow together.

    S is the sample covariance with divisor n. Optimal means the smallest expected squared distance
    from the true covariance for any distribution (Bodnar, Gupta and Parolya 2014):
    1 − α = (tr S)²/n · ‖T‖² / (‖S‖²‖T‖² − (tr S T)²) for the target T = (tr S / d) I, which is
    (tr S)² / (n ‖S − T‖²). Kept between 0 and 1: for very few observations it would leave that
    range, and the result would not be a covariance.
    """
    dim = len(covariance)
    trace = float(np.trace(covariance))
    target = np.eye(dim) * (trace / dim)
    apart = float(((covariance - target) ** 2).sum())
    if apart <= 1e-30 * trace**2:
        return target
    weight = min(1.0, trace**2 / (observations * apart))
    return np.asarray((1 - weight) * covariance + weight * target)


def root_and_inverse(covariance: Array) -> tuple[Array, Array]:
    """The symmetric square root and its pseudo-inverse."""
    values, axes = np.linalg.eigh((covariance + covariance.T) / 2)
    is_real = values > max(values[-1], 0.0) * len(values) * np.finfo(np.float64).eps
    roots = np.sqrt(np.where(is_real, values, 1.0))
    root = (axes * np.where(is_real, roots, 0.0)) @ axes.T
    inverse = (axes * np.where(is_real, 1 / roots, 0.0)) @ axes.T
    return root, inverse


@dataclass(frozen=True, eq=False)
class Erasure:
    """x → x − ((x − mean) Rᵀ) W with k × d matrices R (``read``) and W (``write``)."""

    read: Array
    write: Array
    mean: Array

    def apply(self, rows: Array) -> Array:
        """Erase, and keep the mean."""
        return np.asarray(rows - (rows - self.mean) @ self.read.T @ self.write)


def indicators(labels: NDArray[np.int64]) -> Array:
    """One column of zeros and ones for each label that occurs."""
    _, places = np.unique(labels, return_inverse=True)
    return np.eye(int(places.max()) + 1)[places]


def erasure(rows: Array, targets: Array, *, whitened: bool, shrinkage: bool) -> Erasure:
    """The map that removes all covariance with ``targets`` from ``rows``.

    With ``whitened``, distances are measured in units of the rows' own spread, which makes the
    change minimal in mean square; otherwise it is an orthogonal projection. If nothing covaries
    with the targets, it has rank 0.
    """
    count, dim = rows.shape
    mean = rows.mean(axis=0)
    centred = rows - mean
    crossed = centred.T @ (targets - targets.mean(axis=0)) / count
    root, inverse = np.eye(dim), np.eye(dim)
    if whitened:
        covariance = centred.T @ centred / count
        root, inverse = root_and_inverse(shrunk(covariance, count) if shrinkage else covariance)
    left, values, _ = np.linalg.svd(inverse @ crossed, full_matrices=False)
    spread = np.sqrt((centred**2).sum(axis=0).max() / count)
    nothing = 1e-12 * (1.0 if whitened else spread)
    axes = left[:, values > max(RANK_TOLERANCE * values[0], nothing)].T
    return Erasure(read=axes @ inverse, write=axes @ root, mean=mean)


# The positive semidefinite X nearest to I among those under which N and B hardly meet.
#
# f(X) = tr((X − I)G(X − I)G) + λ tr(M X BB' X), with G = WW' and M = NN', is ‖W'XW − W'W‖² +
# λ‖N'XB‖² for columns W, N, B. With D = X − I, H = G^½ D G^½ and C = G^-½ B, the gradient
# vanishes over all symmetric H where H = −(λ/2)(ZC' + CZ') with Z + (λ/2) M̃(ZC'C + CZ'C) = G^-½
# M B and M̃ = G^-½ M G^-½. In the eigenbases of M̃ and C'C this leaves k² unknowns, those of Z'C.
# Where I + D is semidefinite it is the answer; else a projected gradient goes on from there.

SOFT_TOLERANCE = 1e-7
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
        return self.error <= SOFT_TOLERANCE


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
    solution = _unconstrained(centre, weighted, across, strength)
    steps, error = 0, 0.0
    if len(roots) and np.linalg.eigvalsh(solution)[0] < -_ROUNDING * roots[-1] ** 2:
        solution, steps, error = _projected(solution, centre, weighted, across, strength, report)
    inner = solution / np.outer(roots, roots)
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
    while number < _MOST_STEPS and error > SOFT_TOLERANCE:
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


# A projection and a linear classifier that play against each other.

Labels = NDArray[np.int64]


def clipped_to_sum(values: Array, k: float) -> Array:
    """The nearest numbers between 0 and 1 that sum to k: clip(values − τ, 0, 1) for the right τ.

    The sum is piecewise linear in τ, with knots where a number enters or leaves the range, so τ is
    found exactly, without bisection.

    >>> import numpy as np
    >>> clipped_to_sum(np.array([3.0, 0.6, 0.2]), 1.4).round(9).tolist()
    [1.0, 0.4, 0.0]
    """
    knots = np.sort(np.concatenate([values, values - 1]))
    sums = np.clip(values[None, :] - knots[:, None], 0, 1).sum(axis=1)
    shift = np.interp(-k, -sums, knots)  # sums descend, and interp wants them ascending
    return np.asarray(np.clip(values - shift, 0, 1))


def nearest_in_fantope(matrix: Array, k: int) -> Array:
    """The matrix of the Fantope that is nearest to a symmetric one (in the sum of squares).

    The Fantope are the symmetric matrices with eigenvalues between 0 and 1 that sum to k, the
    smallest convex set that contains all orthogonal projections of rank k.
    """
    values, axes = np.linalg.eigh(matrix)
    return np.asarray((axes * clipped_to_sum(values, k)) @ axes.T)


def leading_axes(matrix: Array, k: int) -> Array:
    """The eigenvectors of the k largest eigenvalues of a symmetric matrix, as rows."""
    _, axes = np.linalg.eigh(matrix)
    return np.ascontiguousarray(axes[:, ::-1][:, :k].T)


def adversarial_projections(
    rows: Array,
    labels: Labels,
    k: int,
    rng: np.random.Generator,
    *,
    batch: int,
    learning_rate: float,
    decay: float,
) -> Iterator[Array]:
    """Points P of the Fantope of ``k``, one for each step of min over θ, max over P of the loss.

    The loss is that of logistic regression on (I − P) x: each step moves θ down its gradient and
    P up its own on a batch, then P back into the Fantope. Two labels share
    one logistic unit; more labels use a softmax.
    """
    count, dim = rows.shape
    wide = int(labels.max()) + 1
    truth = np.eye(wide)[labels] if wide > 2 else labels[:, None].astype(np.float64)
    weights = rng.normal(scale=0.01, size=(truth.shape[1], dim))
    intercept = np.zeros(truth.shape[1])
    point = np.eye(dim) * (k / dim)
    while True:
        drawn = rng.integers(count, size=batch)
        x, y = rows[drawn], truth[drawn]
        # P moves first, against the current classifier.
        error = _probabilities((x - x @ point) @ weights.T + intercept) - y
        slope = -(x.T @ error) @ weights / batch
        slope = (slope + slope.T) / 2 - decay * point
        point = nearest_in_fantope(point + learning_rate * slope, k)
        left = x - x @ point
        error = _probabilities(left @ weights.T + intercept) - y
        weights -= learning_rate * (error.T @ left / batch + decay * weights)
        intercept -= learning_rate * (error.mean(axis=0) + decay * intercept)
        yield point


def _probabilities(scores: Array) -> Array:
    if scores.shape[1] == 1:
        return np.asarray(0.5 * (1 + np.tanh(scores / 2)))
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
