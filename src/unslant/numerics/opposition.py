"""Descent for one loss that does not help others: gradients made perpendicular, then opposed.

∇L_P − proj_{∇L_A} ∇L_P − α ∇L_A (Zhang, Lemoine and Mitchell 2018), for one adversary or more. All
parameters together are one vector: products are sums over all entries, of matrices too.
"""

from collections.abc import Sequence

import numpy as np

from unslant.core.types import Floats

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
    found: list[Floats | None] = []
    for vector in vectors:
        length = product(vector, vector) ** 0.5
        rest: Floats | None = vector if length >= SHORTEST else None
        if rest is not None and any(each is not None for each in found):
            rest = without(without(rest, found), found)  # twice, for vectors that almost agree
            if product(rest, rest) ** 0.5 <= _IN_SPAN * length:
                rest = None
        found.append(rest)
    return found


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
