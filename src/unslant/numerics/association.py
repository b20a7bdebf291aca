"""How much two sets of vectors differ in their association with two other sets."""

import numpy as np

from unslant.core.types import Array

SMALLEST_SPREAD = 1e-9
"""The precision of cosines of float32 vectors."""


def effect_size(x: Array, y: Array, a: Array, b: Array, *, ddof: int = 1) -> float | None:
    """(mean s(x) − mean s(y)) / sd of s over both, where s(w) = mean cos(w, a) − mean cos(w, b).

    None if a vector is zero or all associations are equal.

    >>> one, two = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    >>> effect_size(one, two, one, two, ddof=0)
    2.0
    """
    lengths = [np.linalg.norm(rows, axis=1, keepdims=True) for rows in (x, y, a, b)]
    if not all(length.all() for length in lengths):
        return None
    x, y, a, b = (rows / length for rows, length in zip((x, y, a, b), lengths, strict=True))
    scores = np.concatenate([x, y]) @ (a.mean(axis=0) - b.mean(axis=0))
    spread = float(scores.std(ddof=ddof)) if len(scores) > ddof else 0.0
    if spread <= SMALLEST_SPREAD:
        return None
    return float(scores[: len(x)].mean() - scores[len(x) :].mean()) / spread
