"""The places that a picture shows of many values."""

import numpy as np
from numpy.typing import NDArray

MOST_POINTS = 2_000
"""A record holds at most this many points of one measurement."""


def both_ends(values: NDArray[np.floating], most: int = MOST_POINTS) -> NDArray[np.int64]:
    """The places of the largest and of the smallest values, largest first; all if they are few."""
    order = np.argsort(-values, kind="stable")
    half = most // 2
    return order if len(order) <= most else np.r_[order[:half], order[-half:]]
