"""Which of many values a figure shows."""

import numpy as np
from numpy.typing import NDArray

MOST_POINTS = 2_000
"""A record contains at most this many points per measurement."""


def both_ends(values: NDArray[np.floating], most: int = MOST_POINTS) -> NDArray[np.int64]:
    """The indices of the largest and smallest values, largest first; all if there are few."""
    order = np.argsort(-values, kind="stable")
    half = most // 2
    return order if len(order) <= most else np.r_[order[:half], order[-half:]]
