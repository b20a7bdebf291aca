"""A projection and a linear classifier that play against each other."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Array

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
