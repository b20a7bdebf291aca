"""How well two clusters of vectors agree with two groups."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def agreement_of_two_clusters(
    rows: NDArray[np.floating[Any]], is_first: NDArray[np.bool_], state: int
) -> float:
    """max(a, 1 − a) for the accuracy a of k-means with k = 2; 0.5 is chance for equal sides."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    if not (rows != rows[0]).any():  # one cluster, in which the larger side is right
        agreement = float(is_first.mean())
    else:
        # One thread: with few rows there is little to share out, and threads that wait for each
        # other at every step are slow where other programs keep the processor busy.
        with threadpool_limits(1):
            found = KMeans(2, n_init=10, random_state=state).fit_predict(rows)
        agreement = float((found == is_first).mean())
    return max(agreement, 1 - agreement)
