"""A share of successes among rows that come in clusters, such as all sentences with one name."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Array
from unslant.numerics.proportions import wilson_interval

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class ClusteredShare:
    """A weighted share, its interval (None with too few clusters), and the number of clusters."""

    value: float
    interval: tuple[float, float] | None
    clusters: int


def clustered_share(
    successes: Array, weights: Array, cells: Ids, clusters: Ids, level: float = 0.95
) -> ClusteredShare:
    """The share of successes, each row with its weight, with Wilson's interval.

    Rows are weighted so that cells count for fixed parts, so only the spread within cells is
    uncertain. The variance of the share over clusters (by linearisation) says how many independent
    rows would be worth as much; Student's t in place of the normal distribution makes up for few
    clusters (Korn and Graubard 1998). No more than the number of rows are counted.
    """
    total = float(weights.sum())
    value = min(1.0, float((weights * successes).sum()) / total)
    names, cluster = np.unique(clusters, return_inverse=True)
    _, cell = np.unique(cells, return_inverse=True)
    in_cell = np.bincount(cell, weights)
    means = np.bincount(cell, weights * successes) / in_cell
    sums = np.bincount(cluster, weights * (successes - means[cell]))
    # Each cell has a mean of its own, but cells that share all clusters do not cost them twice.
    freedom = len(names) - _strata(cell, cluster)
    if freedom < 1:
        return ClusteredShare(value, None, len(names))
    variance = float((sums**2).sum()) * len(names) / freedom / total**2
    worth = float(len(successes))
    if variance > 0:
        worth = min(worth, value * (1 - value) / variance)
    from scipy.special import stdtrit

    narrower = NormalDist().inv_cdf((1 + level) / 2) / float(stdtrit(freedom, (1 + level) / 2))
    worth = max(worth * narrower**2, 1e-9)
    return ClusteredShare(value, wilson_interval(value * worth, worth, level), len(names))


def _strata(cell: NDArray[np.int64], cluster: NDArray[np.int64]) -> int:
    """How many groups of cells have no cluster in common (groups linked by clusters count once)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = int(cell.max()) + 1
    wide = size + int(cluster.max()) + 1
    links = coo_array((np.ones(len(cell)), (cell, size + cluster)), shape=(wide, wide))
    count, _ = connected_components(links, directed=False)
    return int(count)
